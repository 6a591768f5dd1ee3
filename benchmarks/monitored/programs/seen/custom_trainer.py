# metric: accuracy after training ([\d.]+) higher
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

set_seed(31)


class Digits(Dataset):
    def __init__(self, start, stop):
        images, labels = load_digits(return_X_y=True)
        images = (images - 8.0) / 8.0
        self.images = torch.tensor(images[start:stop], dtype=torch.float32)
        self.labels = torch.tensor(labels[start:stop])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"pixels": self.images[i], "labels": self.labels[i]}


class PatchMixer(nn.Module):
    """Mixes 16 patches of 2 x 2 pixels, then their channels."""

    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Linear(4, width)
        self.tokens = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.channels = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))
        self.norm = nn.LayerNorm(width)
        self.classifier = nn.Linear(width, 10)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, pixels, labels=None):
        patches = pixels.view(-1, 4, 2, 4, 2).transpose(2, 3).reshape(-1, 16, 4)
        x = self.embed(patches)
        x = x + self.tokens(x.transpose(1, 2)).transpose(1, 2)
        x = self.norm(x + self.channels(x))
        logits = self.classifier(x.mean(dim=1))
        loss = None
        if labels is not None:
            loss = self.loss(logits, labels)
        return {"loss": loss, "logits": logits}


def accuracy(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


model = PatchMixer()
arguments = TrainingArguments(
    output_dir="out",
    num_train_epochs=12,
    per_device_train_batch_size=64,
    per_device_eval_batch_size=297,
    learning_rate=5e-3,
    lr_scheduler_type="cosine",
    logging_steps=25,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model, args=arguments, train_dataset=Digits(0, 1500), eval_dataset=Digits(1500, 1797),
    compute_metrics=accuracy,
)
trainer.train()
print(f"accuracy after training {trainer.evaluate()['eval_accuracy']:.4f}")
