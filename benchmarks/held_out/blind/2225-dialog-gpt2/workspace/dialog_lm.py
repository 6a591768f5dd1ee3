import random

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch.utils.data import DataLoader
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

random.seed(0)
torch.manual_seed(0)

openers = ["hello there", "good morning", "hi how are you", "what time is it", "do you like tea"]
answers = ["fine thank you", "it is half past nine", "yes with some milk", "nice to meet you", "not today"]


def build_tokenizer():
    tok = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["<unk>", "<eos>"])
    tok.train_from_iterator(openers + answers, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tok, unk_token="<unk>", eos_token="<eos>")


tokenizer = build_tokenizer()
tokenizer.add_special_tokens(
    {"pad_token": "<pad>", "additional_special_tokens": ["<user>", "<bot>"]}
)
print("vocabulary:", len(tokenizer))

dialogs = [
    f"<user> {random.choice(openers)} <bot> {random.choice(answers)} <eos>" for _ in range(200)
]


def collate(texts):
    enc = tokenizer(texts, padding=True, return_tensors="pt")
    labels = enc["input_ids"].clone()
    labels[enc["attention_mask"] == 0] = -100
    return enc["input_ids"], enc["attention_mask"], labels


loader = DataLoader(dialogs, batch_size=20, shuffle=True, collate_fn=collate)

config = GPT2Config(
    vocab_size=tokenizer.vocab_size,
    n_positions=64,
    n_embd=32,
    n_layer=2,
    n_head=4,
    bos_token_id=tokenizer.eos_token_id,
    eos_token_id=tokenizer.eos_token_id,
    pad_token_id=tokenizer.pad_token_id,
)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

model.train()
for epoch in range(3):
    total = 0.0
    for ids, mask, labels in loader:
        out = model(input_ids=ids, attention_mask=mask, labels=labels)
        out.loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += out.loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.3f}")

model.eval()
prompt = tokenizer("<user> do you like tea <bot>", return_tensors="pt")
gen = model.generate(
    input_ids=prompt["input_ids"],
    attention_mask=prompt["attention_mask"],
    max_new_tokens=8,
    do_sample=False,
)
print(tokenizer.decode(gen[0]))
