import hydra
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from torch.utils.data import DataLoader

from sprites.data import Sprites
from sprites.vae import elbo_terms


def beta_at(step, sched):
    return sched.start + (sched.end - sched.start) * min(1.0, step / sched.warmup)


@torch.no_grad()
def validate(model, image_size, n=128):
    model.eval()
    x = next(iter(DataLoader(Sprites(image_size, seed=777), batch_size=n)))
    rec, kl = elbo_terms(*((lambda o: (o[0], x, o[1], o[2]))(model(x))))
    model.train()
    return rec.item(), kl.item()


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    set_seed(cfg.seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=cfg.grad_accum)
    loader = DataLoader(Sprites(cfg.image_size, cfg.seed), batch_size=cfg.batch_size)
    model = instantiate(cfg.model)
    optimizer = instantiate(cfg.optim.optimizer)(model.parameters())
    scheduler = instantiate(cfg.optim.scheduler)(optimizer)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    accelerator.print(type(model).__name__, sum(p.numel() for p in model.parameters()), "parameters")

    for step, x in enumerate(loader, start=1):
        with accelerator.accumulate(model):
            logits, mu, logvar = model(x)
            rec, kl = elbo_terms(logits, x, mu, logvar)
            loss = rec + beta_at(step, cfg.beta) * kl
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 50.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        if step % 50 == 0:
            v_rec, v_kl = validate(accelerator.unwrap_model(model), cfg.image_size)
            accelerator.print(f"step {step:4d} loss {loss.item():8.2f} | val rec {v_rec:7.2f} kl {v_kl:5.2f}")
        if step >= cfg.steps:
            break
    OmegaConf.save(cfg, "outputs/run/final.yaml", resolve=True)


if __name__ == "__main__":
    main()
