"""Train a very small GPT-2 on recipe lines, with control tokens per section."""
import json

from datasets import Dataset
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    set_seed,
)

CONTROL_TOKENS = ["<title>", "<ingredients>", "<step>"]


def read_recipes(path):
    with open(path, encoding="utf-8") as f:
        blocks = [b.strip() for b in f.read().split("\n\n")]
    return [b for b in blocks if b]


def get_tokenizer(texts, vocab_size):
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(texts, vocab_size=vocab_size, special_tokens=["<eos>", "<pad>"])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer,
        eos_token="<eos>",
        pad_token="<pad>",
    )
    tokenizer.add_tokens(CONTROL_TOKENS)
    return tokenizer


def to_dataset(texts, tokenizer, block_size):
    def encode(batch):
        texts_eos = [t + tokenizer.eos_token for t in batch["text"]]
        return tokenizer(texts_eos, truncation=True, max_length=block_size)

    ds = Dataset.from_dict({"text": texts})
    return ds.map(encode, batched=True, remove_columns=["text"])


def main():
    with open("config.json") as f:
        cfg = json.load(f)
    set_seed(1)

    recipes = read_recipes(cfg["text_file"])
    tokenizer = get_tokenizer(recipes, cfg["bpe_vocab"])
    split = int(len(recipes) * 0.9)
    train_ds = to_dataset(recipes[:split], tokenizer, cfg["block_size"])
    eval_ds = to_dataset(recipes[split:], tokenizer, cfg["block_size"])
    print("recipes:", len(train_ds), "/", len(eval_ds), "tokens in vocabulary:", len(tokenizer))

    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=tokenizer.vocab_size,
            n_positions=cfg["block_size"],
            n_embd=cfg["n_embd"],
            n_layer=cfg["n_layer"],
            n_head=cfg["n_head"],
            bos_token_id=tokenizer.eos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )

    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir="lm_out",
            num_train_epochs=cfg["epochs"],
            per_device_train_batch_size=cfg["batch_size"],
            learning_rate=cfg["lr"],
            logging_steps=5,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=train_ds,
        eval_dataset=eval_ds,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()
    print("eval loss", round(trainer.evaluate()["eval_loss"], 3))

    prompt = tokenizer("<title>", return_tensors="pt")
    out = model.generate(**prompt, max_new_tokens=20, do_sample=True, top_k=20)
    print(tokenizer.decode(out[0]))


if __name__ == "__main__":
    main()
