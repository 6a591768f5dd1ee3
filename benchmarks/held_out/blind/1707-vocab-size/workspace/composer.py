import lightning as L
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Composer(L.LightningModule):
    def __init__(self, vocab_size, pad_id, emb=24, hidden=64, lr=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.embed = nn.Embedding(vocab_size, emb, padding_idx=pad_id)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab_size)
        self.loss_fn = nn.CrossEntropyLoss(ignore_index=pad_id)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths.cpu(), batch_first=True)
        out, _ = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=tokens.size(1))
        return self.head(out)

    def _loss(self, batch):
        tokens, target, lengths = batch
        logits = self(tokens, lengths)
        return self.loss_fn(logits.transpose(1, 2), target)

    def training_step(self, batch, batch_idx):
        loss = self._loss(batch)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self._loss(batch))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: train {m['train_loss']:.3f} val {m['val_loss']:.3f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)

    @torch.no_grad()
    def compose(self, bos, eos, max_notes=32):
        token, state, tune = torch.tensor([[bos]]), None, []
        while len(tune) < max_notes:
            out, state = self.rnn(self.embed(token), state)
            token = torch.distributions.Categorical(logits=self.head(out[:, -1])).sample().view(1, 1)
            if token.item() == eos:
                break
            tune.append(token.item())
        return tune
