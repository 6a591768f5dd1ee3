"""Teach a tiny T5 to write dates as ISO 8601, character by character."""
import datetime
import logging
import random
import sys
from dataclasses import dataclass, field

import numpy as np
from datasets import Dataset, DatasetDict, disable_progress_bars
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    DataCollatorForSeq2Seq,
    HfArgumentParser,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

log = logging.getLogger("dates")

FORMATS = ["{d} {B} {Y}", "{B} {d}, {Y}", "{d}.{m}.{Y}", "{m:02d}/{d:02d}/{Y}", "{b} {d} {Y}", "{d}-{b}-{Y}"]
CHARS = sorted(set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,-/"))


@dataclass
class DateArguments:
    n_train: int = field(default=1500, metadata={"help": "number of generated training pairs"})
    n_test: int = field(default=48)
    d_model: int = field(default=48)
    layers: int = field(default=1)
    show: int = field(default=3, metadata={"help": "how many predictions to print"})


MONTHS = ["{B} {Y}", "{m}/{Y}"]          # no day given -> 2003-07


def write(day: datetime.date, rnd: random.Random) -> tuple[str, str]:
    whole = rnd.random() < 0.8
    text = rnd.choice(FORMATS if whole else MONTHS).format(
        d=day.day, m=day.month, Y=day.year, B=day.strftime("%B"), b=day.strftime("%b")
    )
    return text, f"{day:%Y-%m-%d}" if whole else f"{day:%Y-%m}"


def make_pairs(n, seed):
    rnd = random.Random(seed)
    first = datetime.date(1995, 1, 1)
    days = [first + datetime.timedelta(days=rnd.randrange(11000)) for _ in range(n)]
    written, iso = zip(*(write(d, rnd) for d in days))
    return Dataset.from_dict({"written": written, "iso": iso})


def char_tokenizer():
    vocab = {t: i for i, t in enumerate(["<pad>", "</s>", "<unk>", *CHARS])}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Split(Regex("."), behavior="isolated")
    tok.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tok.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        clean_up_tokenization_spaces=False, model_max_length=24,
    )


def build_model(tokenizer, args: DateArguments):
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=args.d_model,
        d_kv=args.d_model // 4,
        d_ff=2 * args.d_model,
        num_layers=args.layers,
        num_heads=4,
        dropout_rate=0.0,
        feed_forward_proj="gated-gelu",
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    return T5ForConditionalGeneration(config)


class IsoMetrics:
    """Exact matches, and how often year, month and day are right on their own."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, eval_pred):
        preds, labels = eval_pred
        pad = self.tokenizer.pad_token_id
        preds = np.where(preds < 0, pad, preds)
        guesses = self.tokenizer.batch_decode(preds, skip_special_tokens=True)
        golds = self.tokenizer.batch_decode(labels, skip_special_tokens=True)
        out = {"exact": float(np.mean([a == b for a, b in zip(guesses, golds)]))}
        for name, part in (("year", slice(0, 4)), ("month", slice(5, 7)), ("day", slice(8, 10))):
            out[name] = float(np.mean([a[part] == b[part] for a, b in zip(guesses, golds)]))
        return {k: round(v, 3) for k, v in out.items()}


def main(argv=None):
    parser = HfArgumentParser((DateArguments, Seq2SeqTrainingArguments))
    defaults = [
        "--output_dir", "dates-out", "--max_steps", "150", "--per_device_train_batch_size", "32",
        "--learning_rate", "6e-3", "--predict_with_generate", "--generation_max_length", "12",
        "--eval_strategy", "steps", "--eval_steps", "75",
        "--save_strategy", "no", "--logging_steps", "40", "--report_to", "none", "--use_cpu", "--disable_tqdm", "true",
    ]
    args, targs = parser.parse_args_into_dataclasses(defaults + list(argv or []))
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    disable_progress_bars()
    set_seed(targs.seed)

    tokenizer = char_tokenizer()
    pairs = DatasetDict(train=make_pairs(args.n_train, 0), test=make_pairs(args.n_test, 1))
    encoded = pairs.map(
        lambda b: tokenizer(b["written"], text_target=b["iso"], return_token_type_ids=False),
        batched=True,
        remove_columns=["written", "iso"],
    )
    model = build_model(tokenizer, args)
    log.info("%d characters, %d parameters", len(tokenizer), model.num_parameters())

    trainer = Seq2SeqTrainer(
        model=model,
        args=targs,
        train_dataset=encoded["train"],
        eval_dataset=encoded["test"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        compute_metrics=IsoMetrics(tokenizer),
    )
    trainer.train()

    result = trainer.predict(encoded["test"].select(range(args.show)))
    for src, ids in zip(pairs["test"]["written"], result.predictions):
        ids = ids[ids >= 0]
        log.info("%-22s -> %s", src, tokenizer.decode(ids, skip_special_tokens=True))
    log.info("test: %s", {k: v for k, v in result.metrics.items() if k.count("_") == 1})


if __name__ == "__main__":
    main(sys.argv[1:])
