import json
import math
import sys

import numpy as np
from datasets import load_dataset
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

from gtok import train_tokenizer


class Perplexity(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        if metrics:
            print(f"[epoch {state.epoch:.0f}] perplexity {math.exp(metrics['eval_loss']):.2f}", flush=True)


def build_tokenizer(corpus, spec):
    tok = train_tokenizer(corpus["text"], spec["vocab_size"], spec["specials"])
    tok.add_special_tokens({"additional_special_tokens": spec["roles"]})
    return tok


def build_model(tok, spec):
    config = GPT2Config(
        vocab_size=tok.vocab_size,
        bos_token_id=tok.bos_token_id,
        eos_token_id=tok.eos_token_id,
        pad_token_id=tok.pad_token_id,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        **spec,
    )
    return GPT2LMHeadModel(config)


def encode(batch, tok, max_length):
    joined = [f"<op>{o}\n{t}" for o, t in zip(batch["operation"], batch["text"])]
    return tok(joined, truncation=True, max_length=max_length, return_token_type_ids=False)


def main(path):
    recipe = json.load(open(path))
    args = TrainingArguments(**recipe["training"])
    set_seed(args.seed)
    raw = load_dataset("json", data_files="corpus/programs.jsonl", split="train", cache_dir="out/cache")
    tok = build_tokenizer(raw, recipe["tokenizer"])
    parts = raw.train_test_split(test_size=0.15, seed=args.seed)
    parts = parts.map(
        encode,
        batched=True,
        remove_columns=raw.column_names,
        fn_kwargs={"tok": tok, "max_length": recipe["max_length"]},
    )
    lengths = np.array([len(r) for r in parts["train"]["input_ids"]])
    print(f"vocabulary {len(tok)}, {len(lengths)} programs, median length {np.median(lengths):.0f}")
    model = build_model(tok, recipe["model"])
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        data_collator=DataCollatorForLanguageModeling(tok, mlm=False),
        callbacks=[Perplexity()],
    )
    trainer.train()
    prompt = tok("<op>drill\n", add_special_tokens=False, return_tensors="pt", return_token_type_ids=False)
    out = model.generate(**prompt, max_new_tokens=40, do_sample=False, pad_token_id=tok.pad_token_id)
    print("sample:", tok.decode(out[0], skip_special_tokens=False).replace("\n", " | "))


if __name__ == "__main__":
    main(sys.argv[1])
