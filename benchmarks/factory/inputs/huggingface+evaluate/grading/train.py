"""Grade short answers with a small BERT and the Trainer, judged by metrics of files."""
import sys
from dataclasses import dataclass, field

import evaluate
import numpy as np
import torch
from essays import make_essays
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    set_seed,
)


@dataclass
class ModelArguments:
    hidden_size: int = field(default=32, metadata={"help": "width of the encoder"})
    num_attention_heads: int = field(default=4)
    num_hidden_layers: int = field(default=1)


@dataclass
class DataArguments:
    vocab_size: int = field(default=60)
    length: int = field(default=12)
    train_size: int = field(default=96)
    eval_size: int = field(default=32)
    tolerance: float = field(default=0.5)


class Essays(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        tokens, grade = self.rows[index]
        return {"input_ids": tokens, "labels": grade}


def main():
    parser = HfArgumentParser((ModelArguments, DataArguments, TrainingArguments))
    if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
        model_args, data_args, training_args = parser.parse_json_file(sys.argv[1])
    else:
        model_args, data_args, training_args = parser.parse_args_into_dataclasses()
    set_seed(training_args.seed)

    rows = make_essays(data_args.train_size + data_args.eval_size, data_args.vocab_size, data_args.length)
    train_set = Essays(rows[: data_args.train_size])
    eval_set = Essays(rows[data_args.train_size :])
    config = BertConfig(
        vocab_size=data_args.vocab_size, hidden_size=model_args.hidden_size,
        num_attention_heads=model_args.num_attention_heads,
        num_hidden_layers=model_args.num_hidden_layers, intermediate_size=2 * model_args.hidden_size,
        max_position_embeddings=data_args.length, num_labels=1, problem_type="regression",
    )
    model = BertForSequenceClassification(config)
    within = evaluate.load("grading/metrics/within")
    mse = evaluate.load("metrics/mse")

    def compute_metrics(prediction):
        scores = np.squeeze(prediction.predictions, axis=1)
        result = within.compute(
            predictions=scores, references=prediction.label_ids, tolerance=data_args.tolerance
        )
        result.update(mse.compute(predictions=scores, references=prediction.label_ids))
        return result

    trainer = Trainer(
        model=model, args=training_args, train_dataset=train_set, eval_dataset=eval_set,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print(f"within tolerance {metrics['eval_within']:.3f}, mse {metrics['eval_mse']:.4f}")


if __name__ == "__main__":
    main()
