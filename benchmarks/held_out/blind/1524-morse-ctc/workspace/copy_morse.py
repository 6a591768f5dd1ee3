import logging
from pathlib import Path

import hydra
import torch
from hydra.utils import to_absolute_path
from omegaconf import DictConfig
from torch.utils.data import DataLoader

from decoder import MorseNet, edit_distance, greedy
from keying import MorseMessages, collate

log = logging.getLogger(__name__)


@torch.no_grad()
def character_error(net, loader, charset):
    net.eval()
    wrong = total = 0
    for b in loader:
        logp, steps = net(b["x"], b["frames"])
        for guess, text in zip(greedy(logp, steps, charset), b["text"]):
            wrong += edit_distance(guess, text)
            total += len(text)
    return wrong / total, guess, text


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    torch.manual_seed(cfg.seed)
    lines = Path(to_absolute_path(cfg.messages)).read_text().splitlines()
    held, rest = lines[-cfg.holdout :], lines[: -cfg.holdout]
    train = MorseMessages(rest, cfg.charset, cfg.audio, cfg.repeat, cfg.seed)
    test = MorseMessages(held, cfg.charset, cfg.audio, 1, cfg.seed + 1)
    loader = DataLoader(train, cfg.train.batch_size, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(test, cfg.train.batch_size, collate_fn=collate)
    net = MorseNet(cfg.audio.bands, len(cfg.charset) + 1, **cfg.model)
    ctc = torch.nn.CTCLoss(blank=0, zero_infinity=True)
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.train.max_lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.train.max_lr, epochs=cfg.train.epochs, steps_per_epoch=len(loader))
    for epoch in range(1, cfg.train.epochs + 1):
        net.train()
        total = 0.0
        for b in loader:
            logp, steps = net(b["x"], b["frames"])
            loss = ctc(logp.transpose(0, 1), b["y"], steps, b["letters"])
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            sched.step()
            total += loss.item()
        log.info("epoch %d  ctc %.3f", epoch, total / len(loader))
    cer, guess, text = character_error(net, test_loader, cfg.charset)
    log.info("held-out CER %.3f  e.g. %r for %r", cer, guess, text)


if __name__ == "__main__":
    main()
