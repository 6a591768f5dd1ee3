"""LoRA on a tiny causal language model: python adapters/lora_lm.py --config adapters/config.json"""
import argparse
import json

import torch
from data import sequences
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, get_linear_schedule_with_warmup


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="adapters/config.json")
    parser.add_argument("--output_dir", default="runs/lora")
    args = parser.parse_args()
    with open(args.config) as file:
        config = json.load(file)
    options = config["training"]

    base = LlamaForCausalLM(LlamaConfig(**config["base"]))
    base.save_pretrained("runs/base")
    model = get_peft_model(base, LoraConfig(**config["lora"]))
    model.print_trainable_parameters()

    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=options["lr"])
    scheduler = get_linear_schedule_with_warmup(optimizer, options["warmup"], options["steps"])
    model.train()
    batches = sequences(config["base"]["vocab_size"], options["length"], options["batch_size"])
    for step, batch in zip(range(options["steps"]), batches):
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        if step % 10 == 9:
            print(f"step {step + 1} loss {loss.item():.4f}")
    model.save_pretrained(args.output_dir)

    loaded = PeftModel.from_pretrained(LlamaForCausalLM.from_pretrained("runs/base"), args.output_dir)
    merged = loaded.merge_and_unload().eval()
    prompt = next(batches)["input_ids"][:2, :4]
    generated = merged.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=4, do_sample=False)
    print("continued", generated.tolist())


if __name__ == "__main__":
    main()
