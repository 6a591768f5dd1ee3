from datasets import load_dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

TAGS = ["O", "B-CHEM", "I-CHEM", "B-QTY", "I-QTY", "B-TEMP", "I-TEMP"]
TAG2ID = {t: i for i, t in enumerate(TAGS)}


def train_tokenizer(sentences, vocab_size=160):
    tok = Tokenizer(models.BPE(unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=["<pad>", "<unk>", "<s>", "</s>"], show_progress=False)
    tok.train_from_iterator((" ".join(s) for s in sentences), trainer)
    tok.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", 3)])
    return PreTrainedTokenizerFast(tokenizer_object=tok, unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>")


def align(batch, tokenizer):
    enc = tokenizer(batch["words"], is_split_into_words=True, truncation=True, max_length=64)
    enc["labels"] = []
    for i, tags in enumerate(batch["tags"]):
        previous, labels = None, []
        for word in enc.word_ids(batch_index=i):
            if word is None or word == previous:
                labels.append(-100)
            else:
                labels.append(TAG2ID[tags[word]])
            previous = word
        enc["labels"].append(labels)
    return enc


def build(path, seed):
    raw = load_dataset("json", data_files=path, split="train")
    tokenizer = train_tokenizer(raw["words"])
    ds = raw.map(align, batched=True, fn_kwargs={"tokenizer": tokenizer}, remove_columns=raw.column_names)
    return tokenizer, ds.train_test_split(test_size=0.2, seed=seed)
