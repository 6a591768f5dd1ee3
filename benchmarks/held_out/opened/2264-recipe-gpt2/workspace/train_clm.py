from dataclasses import dataclass

from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

from recipes.blocks import load_lines, make_blocks, split_lines
from recipes.vocab import train_tokenizer


@dataclass
class ScriptArgs:
    train_file: str = "data/recipes.txt"
    block_size: int = 32
    n_embd: int = 64
    n_layer: int = 2
    n_head: int = 4
    holdout: int = 20


def main():
    args, train_args = HfArgumentParser((ScriptArgs, TrainingArguments)).parse_args_into_dataclasses()
    set_seed(train_args.seed)

    lines = load_lines(args.train_file)
    train_lines, eval_lines = split_lines(lines, args.holdout)
    tokenizer = train_tokenizer(train_lines)
    train_set = make_blocks(train_lines, tokenizer, args.block_size)
    eval_set = make_blocks(eval_lines, tokenizer, args.block_size)
    print(f"{len(tokenizer)} words, {len(train_set)} training blocks")

    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=args.block_size,
        n_embd=args.n_embd,
        n_layer=args.n_layer,
        n_head=args.n_head,
        bos_token_id=tokenizer.eos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    trainer = Trainer(
        model=GPT2LMHeadModel(config),
        args=train_args,
        train_dataset=train_set,
        eval_dataset=eval_set,
        data_collator=default_data_collator,
    )
    trainer.train()
    print("eval loss", trainer.evaluate()["eval_loss"])


if __name__ == "__main__":
    main()
