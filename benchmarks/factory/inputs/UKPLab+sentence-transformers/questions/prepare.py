"""Write a tiny BERT with a word-level tokenizer, and pairs of questions."""
import json
import random
from pathlib import Path

from transformers import BertConfig, BertModel, BertTokenizerFast, set_seed

set_seed(0)
folder = Path("questions")
topics = {
    "battery": ["how long does the battery last", "when must i charge the phone", "is the battery big"],
    "price": ["what does the phone cost", "is the phone cheap", "how much is it"],
    "colour": ["which colours are there", "does it come in red", "is there a blue phone"],
    "camera": ["how sharp is the camera", "can the camera zoom", "does it take good pictures"],
}
words = sorted({w for rows in topics.values() for row in rows for w in row.split()})
model = folder / "bert"
model.mkdir()
(model / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
tokenizer = BertTokenizerFast(str(model / "vocab.txt"))
tokenizer.save_pretrained(model)
config = BertConfig(
    vocab_size=len(words) + 5, hidden_size=24, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=48, max_position_embeddings=32,
)
BertModel(config).save_pretrained(model)
random.seed(0)
with open(folder / "pairs.jsonl", "w") as file:
    for _ in range(48):
        one, other = random.sample(list(topics), 2)
        anchor, positive = random.sample(topics[one], 2)
        row = {"anchor": anchor, "positive": positive, "negative": random.choice(topics[other])}
        file.write(json.dumps(row) + "\n")
