import click
import pandas as pd
import torch
from loguru import logger
from torch.utils.data import DataLoader, TensorDataset

from churn.engine import evaluate, train_one_epoch
from churn.features import NUMERIC, TableEncoder, time_split
from churn.model import ChurnNet


@click.command()
@click.option("--csv", default="data/customers.csv", show_default=True)
@click.option("--cutoff", default="2024-10", show_default=True, help="first month of the test period")
@click.option("--epochs", default=8)
@click.option("--lr", default=3e-3)
@click.option("--hidden", default=32)
def main(csv, cutoff, epochs, lr, hidden):
    torch.manual_seed(0)
    train_df, test_df = time_split(pd.read_csv(csv), cutoff)
    logger.info("{} training and {} test customers", len(train_df), len(test_df))

    encoder = TableEncoder().fit(train_df)
    train_loader = DataLoader(TensorDataset(*encoder.transform(train_df)), batch_size=32, shuffle=True)
    test_loader = DataLoader(TensorDataset(*encoder.transform(test_df)), batch_size=64)

    model = ChurnNet(encoder.cardinalities, len(NUMERIC), hidden=hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(1, epochs + 1):
        loss = train_one_epoch(model, train_loader, optimizer)
        logger.info("epoch {:2d}  loss {:.4f}", epoch, loss)
    logger.info("test AUC {:.3f}", evaluate(model, test_loader))


if __name__ == "__main__":
    main()
