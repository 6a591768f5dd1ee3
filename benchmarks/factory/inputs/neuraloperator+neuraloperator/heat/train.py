"""Learn the heat equation with a Fourier neural operator and test it at a finer resolution."""
import argparse

from config import Config
from data import make_loaders
from neuralop import H1Loss, LpLoss, Trainer
from neuralop.data.transforms.data_processors import DefaultDataProcessor
from neuralop.data.transforms.normalizers import UnitGaussianNormalizer
from neuralop.models import FNO, TFNO
from neuralop.training import AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR

LOSSES = {"h1": lambda: H1Loss(d=2), "l2": lambda: LpLoss(d=2, p=2)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="fno", choices=["fno", "tfno"])
    parser.add_argument("--loss", default=Config.loss, choices=sorted(LOSSES))
    parser.add_argument("--epochs", type=int, default=Config.epochs)
    args = parser.parse_args()
    config = Config(loss=args.loss, epochs=args.epochs)

    train_loader, test_loaders = make_loaders(config.data)
    normalizers = []
    for part in (train_loader.dataset.x, train_loader.dataset.y):
        normalizer = UnitGaussianNormalizer(dim=[0, 2, 3])
        normalizer.fit(part)
        normalizers.append(normalizer)
    processor = DefaultDataProcessor(*normalizers)

    options = dict(vars(config.model))
    if args.model == "tfno":
        model = TFNO(**options, factorization="tucker", rank=0.4, implementation="factorized")
    else:
        model = FNO(**options)
    optimizer = AdamW(model.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
    scheduler = CosineAnnealingLR(optimizer, T_max=config.epochs)
    trainer = Trainer(
        model=model, n_epochs=config.epochs, device="cpu", data_processor=processor,
        eval_interval=1, verbose=True, wandb_log=False,
    )
    metrics = trainer.train(
        train_loader=train_loader, test_loaders=test_loaders, optimizer=optimizer,
        scheduler=scheduler, regularizer=False, training_loss=LOSSES[config.loss](),
        eval_losses={"h1": H1Loss(d=2), "l2": LpLoss(d=2, p=2)},
    )
    fine = metrics[f"{config.data.test_resolution}_l2"]
    print(f"error at the finer resolution {float(fine):.4f}")


if __name__ == "__main__":
    main()
