"""Train a small unconditional diffusion model on drawn shapes, and sample with DDIM."""
import argparse
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from diffusers import DDIMScheduler, DDPMPipeline, DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel
from torch.utils.data import DataLoader, Dataset


@dataclass
class TrainingConfig:
    image_size: int = 16
    batch_size: int = 16
    epochs: int = 2
    learning_rate: float = 1e-3
    warmup_steps: int = 4
    train_timesteps: int = 50
    sampling_steps: int = 5
    output_dir: str = "runs/shapes"


class Shapes(Dataset):
    def __init__(self, size, length=96):
        self.size = size
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        image = -torch.ones(1, self.size, self.size)
        top, left = torch.randint(0, self.size // 2, (2,), generator=generator).tolist()
        extent = self.size // 2
        image[:, top : top + extent, left : left + extent] = 1.0
        return {"images": image}


def build_model(config):
    return UNet2DModel(
        sample_size=config.image_size,
        in_channels=1,
        out_channels=1,
        layers_per_block=1,
        block_out_channels=(16, 32),
        norm_num_groups=8,
        attention_head_dim=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--image_size", type=int, default=16)
    parser.add_argument("--prediction_type", default="epsilon", choices=["epsilon", "sample", "v_prediction"])
    args = parser.parse_args()
    config = TrainingConfig(epochs=args.epochs, image_size=args.image_size)

    loader = DataLoader(Shapes(config.image_size), config.batch_size, shuffle=True)
    model = build_model(config)
    ema = EMAModel(model.parameters(), decay=0.95)
    noise_scheduler = DDPMScheduler(
        num_train_timesteps=config.train_timesteps,
        beta_schedule="squaredcos_cap_v2",
        prediction_type=args.prediction_type,
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    lr_scheduler = get_cosine_schedule_with_warmup(
        optimizer, config.warmup_steps, num_training_steps=len(loader) * config.epochs
    )
    for epoch in range(config.epochs):
        for batch in loader:
            clean = batch["images"]
            noise = torch.randn_like(clean)
            timesteps = torch.randint(0, noise_scheduler.config.num_train_timesteps, (len(clean),))
            noisy = noise_scheduler.add_noise(clean, noise, timesteps)
            predicted = model(noisy, timesteps, return_dict=False)[0]
            if args.prediction_type == "epsilon":
                target = noise
            elif args.prediction_type == "v_prediction":
                target = noise_scheduler.get_velocity(clean, noise, timesteps)
            else:
                target = clean
            loss = F.mse_loss(predicted, target)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
            ema.step(model.parameters())
        print(f"epoch {epoch} loss {loss.item():.4f} lr {lr_scheduler.get_last_lr()[0]:.2e}")

    ema.copy_to(model.parameters())
    scheduler = DDIMScheduler.from_config(noise_scheduler.config)
    pipeline = DDPMPipeline(unet=model, scheduler=scheduler)
    pipeline.set_progress_bar_config(disable=True)
    pipeline.save_pretrained(config.output_dir)
    model.eval()
    sample = torch.randn(2, 1, config.image_size, config.image_size)
    scheduler.set_timesteps(config.sampling_steps)
    with torch.no_grad():
        for t in scheduler.timesteps:
            sample = scheduler.step(model(sample, t).sample, t, sample).prev_sample
    print(f"samples {tuple(sample.shape)} mean {sample.mean().item():.3f}")


if __name__ == "__main__":
    main()
