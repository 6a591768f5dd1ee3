import torch
import torch.nn.functional as F


class GANTrainer:
    def __init__(self, generator, discriminator, lr_g=2e-4, lr_d=2e-4, smoothing=0.1):
        self.g = generator
        self.d = discriminator
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=lr_g, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=lr_d, betas=(0.5, 0.999))
        self.smoothing = smoothing
        self.step_count = 0

    def discriminator_loss(self, real, fake):
        real_logits = self.d(real)
        fake_logits = self.d(fake)
        loss_real = F.binary_cross_entropy_with_logits(
            real_logits, torch.full_like(real_logits, 1.0 - self.smoothing)
        )
        loss_fake = F.binary_cross_entropy_with_logits(fake_logits, torch.zeros_like(fake_logits))
        return loss_real + loss_fake

    def generator_loss(self, fake):
        logits = self.d(fake)
        return F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))

    def step(self, real):
        noise = self.g.sample_noise(real.size(0), real.device)
        fake = self.g(noise)

        self.opt_d.zero_grad(set_to_none=True)
        d_loss = self.discriminator_loss(real, fake)
        d_loss.backward()
        self.opt_d.step()

        self.opt_g.zero_grad(set_to_none=True)
        g_loss = self.generator_loss(fake)
        g_loss.backward()
        self.opt_g.step()

        self.step_count += 1
        return {"d_loss": d_loss.item(), "g_loss": g_loss.item()}
