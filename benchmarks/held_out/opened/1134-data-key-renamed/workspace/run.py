import logging
from pathlib import Path

import hydra
import torch
import torch.nn.functional as F
from hydra.core.hydra_config import HydraConfig
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassCalibrationError, MulticlassF1Score

log = logging.getLogger(__name__)


def run_epoch(net, loader, metrics, opt=None):
    net.train(opt is not None)
    metrics.reset()
    total = count = 0
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            logits = net(x)
            loss = F.cross_entropy(logits, y)
            if opt is not None:
                opt.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
            metrics.update(logits.softmax(-1).detach(), y)
            total, count = total + loss.item() * len(y), count + len(y)
    return total / count, {k: v.item() for k, v in metrics.compute().items()}


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg: DictConfig) -> float:
    torch.manual_seed(cfg.seed)
    out = Path(HydraConfig.get().runtime.output_dir)

    split = instantiate(cfg.data.loader)
    train = split.loader("train", cfg.data.batch_size, drop_last=True)
    test = split.loader("test", 256)

    net = instantiate(cfg.model.net)
    opt = instantiate(cfg.optim.optimizer)(net.parameters())
    sched = instantiate(cfg.optim.scheduler)(opt)
    metrics = MetricCollection({
        "acc": MulticlassAccuracy(cfg.data.n_classes, average="micro"),
        "f1": MulticlassF1Score(cfg.data.n_classes),
        "ece": MulticlassCalibrationError(cfg.data.n_classes, n_bins=8),
    })
    log.info("%s: %d parameters", cfg.run_name, sum(p.numel() for p in net.parameters()))

    best, stale = float("inf"), 0
    for epoch in range(cfg.epochs):
        loss, _ = run_epoch(net, train, metrics, opt)
        sched.step()
        test_loss, scores = run_epoch(net, test, metrics)
        if epoch % 3 == 2:
            log.info("epoch %2d train %.3f test %.3f %s", epoch + 1, loss, test_loss,
                     " ".join(f"{k} {v:.3f}" for k, v in scores.items()))
        if test_loss < best - cfg.early_stop.min_delta:
            best, stale = test_loss, 0
            torch.save({"net": net.state_dict(), "cfg": OmegaConf.to_container(cfg, resolve=True)}, out / "best.pt")
        elif (stale := stale + 1) >= cfg.early_stop.patience:
            log.info("no improvement for %d epochs, stopping", stale)
            break

    net.load_state_dict(torch.load(out / "best.pt", weights_only=True)["net"])
    test_loss, scores = run_epoch(net, test, metrics)
    log.info("best: loss %.4f, acc %.3f", test_loss, scores["acc"])
    return test_loss


if __name__ == "__main__":
    main()
