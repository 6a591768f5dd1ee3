import torch
import torch.nn.functional as F


def hinge_d(real_score, fake_score):
    return F.relu(1 - real_score).mean() + F.relu(1 + fake_score).mean()


def r1_penalty(disc, real):
    real = real.detach().requires_grad_(True)
    (grad,) = torch.autograd.grad(disc(real).sum(), real, create_graph=True)
    return grad.pow(2).sum((1, 2, 3)).mean()


def discriminator_loss(disc, real, fake, r1=0.0):
    loss = hinge_d(disc(real), disc(fake))
    if r1 > 0:
        loss = loss + 0.5 * r1 * r1_penalty(disc, real)
    return loss


def generator_loss(disc, fake):
    return -disc(fake).mean()
