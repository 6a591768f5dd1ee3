import argparse
import json
import math

import datasets
import torch
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    GenerationConfig,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)

from lm.blocks import packed, read_lines
from lm.tokenization import train_tokenizer


class SampleCallback(TrainerCallback):
    """Prints a continuation whenever the model is evaluated."""

    def __init__(self, tokenizer, prompt):
        self.tokenizer, self.prompt = tokenizer, prompt

    @torch.no_grad()
    def on_evaluate(self, args, state, control, model=None, **kwargs):
        ids = self.tokenizer(self.prompt, return_tensors="pt").input_ids
        gen = GenerationConfig(max_new_tokens=12, do_sample=True, top_k=20, pad_token_id=1, eos_token_id=0)
        out = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=gen)
        print(f"step {state.global_step}: {self.tokenizer.decode(out[0], skip_special_tokens=True)}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config-dir", default="config")
    ap.add_argument("--block-size", type=int, default=32)
    ap.add_argument("--prompt", default="core: fix")
    args = ap.parse_args()
    datasets.disable_progress_bars()

    targs = TrainingArguments(**json.load(open(f"{args.config_dir}/training.json")))
    set_seed(targs.seed)
    tokenizer = train_tokenizer(f"{args.config_dir}/tokenizer.json")
    corpus = json.load(open(f"{args.config_dir}/tokenizer.json"))["corpus"]
    split = read_lines(corpus).train_test_split(test_size=0.1, seed=targs.seed)
    blocks = datasets.DatasetDict({k: packed(v, tokenizer, args.block_size) for k, v in split.items()})
    print({k: len(v) for k, v in blocks.items()}, "blocks of", args.block_size)

    config = GPT2Config.from_json_file(f"{args.config_dir}/model.json")
    model = GPT2LMHeadModel(config)
    print(f"{model.num_parameters():,} parameters")

    trainer = Trainer(
        model=model,
        args=targs,
        train_dataset=blocks["train"],
        eval_dataset=blocks["test"],
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        callbacks=[SampleCallback(tokenizer, args.prompt)],
    )
    trainer.train()
    print(f"perplexity {math.exp(trainer.evaluate()['eval_loss']):.2f}")


if __name__ == "__main__":
    main()
