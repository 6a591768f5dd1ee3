"""Write a tiny word-level tokenizer, a random model and a data set of prompts."""
import json
import random

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

words = "what colour is the sky grass sun snow blue green yellow white it not".split()
vocabulary = {w: i for i, w in enumerate(["<pad>", "<s>", "</s>", "<unk>", *words])}
tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
fast = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
)
fast.save_pretrained("small/model")
config = LlamaConfig(
    vocab_size=len(vocabulary), hidden_size=16, intermediate_size=32, num_hidden_layers=2,
    num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=64,
    pad_token_id=0, bos_token_id=1, eos_token_id=2,
)
set_seed(0)
LlamaForCausalLM(config).save_pretrained("small/model")

random.seed(0)
answers = {"sky": "blue", "grass": "green", "sun": "yellow", "snow": "white"}
with open("small/sft.jsonl", "w") as sft, open("small/dpo.jsonl", "w") as dpo:
    for _ in range(32):
        thing, colour = random.choice(list(answers.items()))
        other = random.choice([c for c in answers.values() if c != colour])
        prompt = f"what colour is the {thing}"
        sft.write(json.dumps({"prompt": prompt, "completion": f" it is {colour}"}) + "\n")
        row = {"prompt": prompt, "chosen": f" it is {colour}", "rejected": f" it is {other}"}
        dpo.write(json.dumps(row) + "\n")
