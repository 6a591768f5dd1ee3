from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast


def build_tokenizer(sentences, vocab_size=220):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=False)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tok.train_from_iterator(
        (" ".join(s) for s in sentences),
        trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=special, show_progress=False),
    )
    tok.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


def tokenize_and_align(batch, tokenizer):
    enc = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True, max_length=64)
    labels = []
    for i, tags in enumerate(batch["tag_ids"]):
        previous, row = None, []
        for word in enc.word_ids(i):
            if word is None or word == previous:
                row.append(-100)
            else:
                row.append(tags[word])
            previous = word
        labels.append(row)
    enc["labels"] = labels
    return enc
