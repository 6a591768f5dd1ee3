import argparse

from transformers import BertConfig, BertForSequenceClassification, TrainingArguments, set_seed

from dna import VOCAB_SIZE, make_dataset
from metrics import compute_metrics
from weighted_trainer import WeightedTrainer


def tiny_bert():
    return BertForSequenceClassification(BertConfig(
        vocab_size=VOCAB_SIZE, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, num_labels=2, pad_token_id=0,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n-train", type=int, default=600)
    ap.add_argument("--n-eval", type=int, default=160)
    ap.add_argument("--epochs", type=float, default=3)
    ap.add_argument("--pos-weight", type=float, default=3.0)
    ap.add_argument("--out", default="out")
    args = ap.parse_args()

    set_seed(17)
    train, evals = make_dataset(args.n_train, 1), make_dataset(args.n_eval, 2)
    print(f"positives: train {sum(train['labels'])}/{len(train)}, eval {sum(evals['labels'])}/{len(evals)}")
    targs = TrainingArguments(
        output_dir=args.out,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        learning_rate=5e-3,
        eval_strategy="epoch",
        save_strategy="no",
        logging_strategy="epoch",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = WeightedTrainer(
        model=tiny_bert(),
        args=targs,
        train_dataset=train,
        eval_dataset=evals,
        compute_metrics=compute_metrics,
        class_weights=[1.0, args.pos_weight],
    )
    trainer.train()
    print("final:", {k: round(v, 3) for k, v in trainer.evaluate().items() if k in ("eval_loss", "eval_f1")})


if __name__ == "__main__":
    main()
