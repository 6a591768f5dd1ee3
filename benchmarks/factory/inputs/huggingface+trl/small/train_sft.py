"""python small/train_sft.py --config small/sft.yaml"""
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, TrlParser


@dataclass
class ScriptOptions:
    model_name: str = field(metadata={"help": "folder of the model"})
    data_file: str = field(metadata={"help": "JSON lines with prompt and completion"})
    eval_share: float = field(default=0.25)


def main():
    parser = TrlParser((ScriptOptions, SFTConfig))
    script_args, training_args = parser.parse_args_and_config()
    tokenizer = AutoTokenizer.from_pretrained(script_args.model_name)
    model = AutoModelForCausalLM.from_pretrained(script_args.model_name)
    dataset = load_dataset("json", data_files=script_args.data_file, split="train")
    parts = dataset.train_test_split(test_size=script_args.eval_share, seed=0)
    trainer = SFTTrainer(
        model=model,
        args=training_args,
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        processing_class=tokenizer,
    )
    trainer.train()
    metrics = trainer.evaluate()
    print(f"eval loss {metrics['eval_loss']:.4f}")


if __name__ == "__main__":
    main()
