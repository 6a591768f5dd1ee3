"""Preference training of the tiny model with DPO."""
import argparse

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--beta", type=float, default=0.2)
    parser.add_argument("--max_steps", type=int, default=8)
    parser.add_argument("--loss_type", default="sigmoid")
    args = parser.parse_args()

    tokenizer = AutoTokenizer.from_pretrained("small/model")
    model = AutoModelForCausalLM.from_pretrained("small/model")
    reference = AutoModelForCausalLM.from_pretrained("small/model")
    dataset = load_dataset("json", data_files="small/dpo.jsonl", split="train")
    config = DPOConfig(
        output_dir="runs/dpo", beta=args.beta, loss_type=args.loss_type, max_steps=args.max_steps,
        per_device_train_batch_size=4, learning_rate=5e-3, max_length=24, logging_steps=2,
        save_strategy="no", report_to="none", use_cpu=True, bf16=False,
        gradient_checkpointing=False, disable_tqdm=True,
    )
    trainer = DPOTrainer(
        model=model, ref_model=reference, args=config, train_dataset=dataset, processing_class=tokenizer
    )
    result = trainer.train()
    print(f"train loss {result.training_loss:.4f}")


if __name__ == "__main__":
    main()
