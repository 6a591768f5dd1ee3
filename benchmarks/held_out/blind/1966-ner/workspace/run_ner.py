import json
import sys

import numpy as np
from datasets.utils.logging import disable_progress_bar
from transformers import (
    BertConfig,
    BertForTokenClassification,
    BertTokenizerFast,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

from encode import IGNORE, build_dataset
from labels import LabelMap, spans

disable_progress_bar()


def load_json(path):
    with open(path) as f:
        return json.load(f)


def metrics_fn(label_map):
    def compute(eval_pred):
        logits, gold = eval_pred
        pred = np.argmax(logits, axis=-1)
        tp = fp = fn = 0
        for p_row, g_row in zip(pred, gold):
            keep = g_row != IGNORE
            p_tags = label_map.decode(p_row[keep])
            g_tags = label_map.decode(g_row[keep])
            p, g = spans(p_tags), spans(g_tags)
            tp += len(p & g)
            fp += len(p - g)
            fn += len(g - p)
        prec = tp / max(tp + fp, 1)
        rec = tp / max(tp + fn, 1)
        return {"precision": prec, "recall": rec, "f1": 2 * prec * rec / max(prec + rec, 1e-9)}

    return compute


def main(run_cfg="configs/run.json", model_cfg="configs/model.json"):
    run = load_json(run_cfg)
    set_seed(run["seed"])
    label_map = LabelMap(run["label_file"])
    tokenizer = BertTokenizerFast(vocab=run["vocab_file"], do_lower_case=True)
    config = BertConfig(
        **load_json(model_cfg),
        vocab_size=len(tokenizer),
        num_labels=len(label_map),
        id2label=label_map.id2label,
        label2id=label_map.label2id,
    )
    model = BertForTokenClassification(config)
    train = build_dataset(run["train_file"], tokenizer, label_map, run["max_length"])
    dev = build_dataset(run["dev_file"], tokenizer, label_map, run["max_length"])
    print(f"{len(train)} train, {len(dev)} dev, {model.num_parameters()} parameters, labels {list(label_map.label2id)}")

    args = TrainingArguments(
        output_dir="out",
        num_train_epochs=run["epochs"],
        per_device_train_batch_size=run["batch_size"],
        per_device_eval_batch_size=run["batch_size"],
        learning_rate=run["learning_rate"],
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=17,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=run["seed"],
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train,
        eval_dataset=dev,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=metrics_fn(label_map),
    )
    trainer.train()
    final = trainer.evaluate()
    print("dev f1 %.3f" % final["eval_f1"])


if __name__ == "__main__":
    main(*sys.argv[1:])
