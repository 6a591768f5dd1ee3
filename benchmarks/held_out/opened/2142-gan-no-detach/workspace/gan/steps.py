import torch

from .objective import adversarial_loss


def discriminator_step(disc, opt, real, fake, smooth):
    opt.zero_grad()
    p_real = disc(real)
    p_fake = disc(fake)
    loss = adversarial_loss(p_real, smooth) + adversarial_loss(p_fake, 0.0)
    loss.backward()
    opt.step()
    return loss.item(), p_real.mean().item(), p_fake.mean().item()


def generator_step(disc, opt, fake):
    opt.zero_grad()
    loss = adversarial_loss(disc(fake), 1.0)
    loss.backward()
    opt.step()
    return loss.item()


def noise(n, latent):
    return torch.randn(n, latent)
