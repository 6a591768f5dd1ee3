"""Train a small classifier with gradient accumulation, checkpoints and a tracker of one's own."""
import argparse
import json

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.tracking import GeneralTracker, on_main_process
from accelerate.utils import ProjectConfiguration
from model import Classifier
from reviews import collate, load_reviews
from torch.optim import AdamW
from torch.utils.data import DataLoader


class JsonTracker(GeneralTracker):
    name = "json"
    requires_logging_directory = False

    @on_main_process
    def __init__(self, path):
        super().__init__()
        self.file = open(path, "w")

    @property
    def tracker(self):
        return self.file

    @on_main_process
    def store_init_configuration(self, values):
        self.file.write(json.dumps(values) + "\n")

    @on_main_process
    def log(self, values, step=None, **kwargs):
        self.file.write(json.dumps({"step": step, **values}) + "\n")


def evaluate(accelerator, model, loader):
    model.eval()
    right = total = 0
    for batch in loader:
        with torch.no_grad():
            logits = model(batch["tokens"], batch["mask"])
        predictions, labels = accelerator.gather_for_metrics((logits.argmax(-1), batch["labels"]))
        right += (predictions == labels).sum().item()
        total += len(labels)
    return right / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="finetune/reviews.jsonl")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    parser.add_argument("--learning_rate", type=float, default=1e-2)
    parser.add_argument("--hidden_size", type=int, default=32)
    parser.add_argument("--mixed_precision", default="no", choices=["no", "bf16"])
    parser.add_argument("--output_dir", default="runs/reviews")
    args = parser.parse_args()

    accelerator = Accelerator(
        cpu=True,
        mixed_precision=args.mixed_precision,
        gradient_accumulation_steps=args.gradient_accumulation_steps,
        log_with=JsonTracker("tracker.jsonl"),
        project_config=ProjectConfiguration(args.output_dir, automatic_checkpoint_naming=True, total_limit=2),
    )
    accelerator.init_trackers("reviews", config=vars(args))
    train_set, test_set, vocabulary = load_reviews(args.data)
    train_loader = DataLoader(train_set, args.batch_size, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(test_set, args.batch_size, collate_fn=collate)
    model = Classifier(len(vocabulary), args.hidden_size, num_labels=2)
    optimizer = AdamW(model.parameters(), lr=args.learning_rate)
    scheduler = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.1, total_iters=args.epochs * len(train_loader)
    )
    model, optimizer, train_loader, test_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, test_loader, scheduler
    )
    step = 0
    for epoch in range(args.epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                logits = model(batch["tokens"], batch["mask"])
                loss = F.cross_entropy(logits, batch["labels"])
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            step += 1
            accelerator.log({"loss": loss.item()}, step=step)
        accuracy = evaluate(accelerator, model, test_loader)
        accelerator.print(f"epoch {epoch}: loss {loss.item():.4f} accuracy {accuracy:.3f}")
        accelerator.save_state()
    accelerator.unwrap_model(model)
    accelerator.end_training()


if __name__ == "__main__":
    main()
