"""Fine-tune a sentence embedding model on triplets of questions."""
import argparse
import json

import torch
from sentence_transformers import SentenceTransformer, losses, models
from sentence_transformers.evaluation import TripletEvaluator
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup

COLUMNS = ("anchor", "positive", "negative")


def load(path, test_size):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return rows[:-test_size], rows[-test_size:]


def build_model(path, max_seq_length, pooling, size):
    transformer = models.Transformer(path, max_seq_length=max_seq_length)
    pool = models.Pooling(transformer.get_word_embedding_dimension(), pooling_mode=pooling)
    dense = models.Dense(pool.get_sentence_embedding_dimension(), size)
    return SentenceTransformer(modules=[transformer, pool, dense, models.Normalize()], device="cpu")


def make_evaluator(rows):
    anchors, positives, negatives = ([row[name] for row in rows] for name in COLUMNS)
    return TripletEvaluator(anchors=anchors, positives=positives, negatives=negatives, name="test")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="questions/bert")
    parser.add_argument("--pooling", default="mean", choices=["mean", "cls", "max"])
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--loss", default="ranking", choices=["ranking", "triplet"])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=5e-3)
    args = parser.parse_args()

    train, test = load("questions/pairs.jsonl", test_size=12)
    model = build_model(args.model, 16, args.pooling, args.size)
    if args.loss == "ranking":
        loss_function = losses.MultipleNegativesRankingLoss(model, scale=20.0)
    else:
        loss_function = losses.TripletLoss(model, triplet_margin=0.5)
    evaluator = make_evaluator(test)

    def collate(rows):
        return [model.tokenize([row[name] for row in rows]) for name in COLUMNS]

    loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = get_linear_schedule_with_warmup(optimizer, 2, args.epochs * len(loader))
    for epoch in range(args.epochs):
        model.train()
        for features in loader:
            loss = loss_function(features, labels=None)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
        scores = evaluator(model)
        print(f"epoch {epoch}: loss {loss.item():.4f} accuracy {scores['test_cosine_accuracy']:.4f}")
    model.save_pretrained("runs/questions")
    vectors = model.encode(["how much is it", "is the phone cheap"])
    print("similarity", model.similarity(vectors, vectors).tolist())


if __name__ == "__main__":
    main()
