"""Learn an embedding: python faces/train.py loss=proxy training.epochs=2"""
import hydra
import torch
from data import make_split
from nets import Embedder, Trunk
from pytorch_metric_learning import distances, losses, miners, reducers, samplers
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import CustomKNN
from torch.utils.data import DataLoader


def build_loss(cfg):
    distance = getattr(distances, cfg.distance)()
    reducer = getattr(reducers, cfg.reducer)(**cfg.reducer_kwargs)
    return getattr(losses, cfg.name)(distance=distance, reducer=reducer, **cfg.kwargs)


@torch.no_grad()
def embed(model, dataset):
    model.eval()
    x, y = dataset.tensors
    return model(x), y


@hydra.main(version_base=None, config_path=".", config_name="config")
def main(cfg):
    train_set, test_set = make_split(cfg.classes, cfg.per_class, cfg.features)
    model = torch.nn.Sequential(
        Trunk(cfg.features, cfg.trunk.sizes, cfg.trunk.dropout),
        Embedder(cfg.trunk.sizes[-1], cfg.embedder.size),
    )
    loss_func = build_loss(cfg.loss)
    miner = getattr(miners, cfg.miner.name)(**cfg.miner.kwargs)
    sampler = samplers.MPerClassSampler(
        train_set.tensors[1], m=cfg.training.samples_per_class,
        batch_size=cfg.training.batch_size, length_before_new_iter=len(train_set),
    )
    loader = DataLoader(train_set, batch_size=cfg.training.batch_size, sampler=sampler)
    parameters = [*model.parameters(), *loss_func.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=cfg.training.lr)
    knn = CustomKNN(distances.LpDistance(p=2))
    calculator = AccuracyCalculator(include=("precision_at_1", "mean_average_precision"), k=5, knn_func=knn)

    for epoch in range(cfg.training.epochs):
        model.train()
        for x, y in loader:
            embeddings = model(x)
            pairs = miner(embeddings, y)
            loss = loss_func(embeddings, y, pairs)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        query, query_labels = embed(model, test_set)
        reference, reference_labels = embed(model, train_set)
        scores = calculator.get_accuracy(query, query_labels, reference, reference_labels)
        print(f"epoch {epoch}: loss {loss.item():.4f} precision@1 {scores['precision_at_1']:.4f}")


if __name__ == "__main__":
    main()
