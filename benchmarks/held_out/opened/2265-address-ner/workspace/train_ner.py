import argparse
import logging

from transformers import Trainer, TrainingArguments, set_seed

from ner.build import build_data, build_model
from ner.scoring import TagScorer

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
log = logging.getLogger("train_ner")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data-dir", default="data")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=3e-3)
    a = p.parse_args()
    set_seed(0)

    labels, tokenizer, train, dev, collator = build_data(a.data_dir)
    log.info("%d train, %d dev sentences, %d labels", len(train), len(dev), len(labels))
    trainer = Trainer(
        model=build_model(labels, tokenizer),
        args=TrainingArguments(
            output_dir="runs/ner",
            num_train_epochs=a.epochs,
            learning_rate=a.lr,
            per_device_train_batch_size=16,
            eval_strategy="epoch",
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=train,
        eval_dataset=dev,
        data_collator=collator,
        compute_metrics=TagScorer(labels),
    )
    trainer.train()
    log.info("dev %s", trainer.evaluate())


if __name__ == "__main__":
    main()
