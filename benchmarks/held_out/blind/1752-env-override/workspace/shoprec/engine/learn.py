import torch
import torch.nn.functional as F


def bpr_loss(pos_logits, neg_logits, valid):
    return -F.logsigmoid(pos_logits - neg_logits)[valid].mean()


def bce_loss(pos_logits, neg_logits, valid):
    p = F.binary_cross_entropy_with_logits(pos_logits[valid], torch.ones_like(pos_logits[valid]))
    n = F.binary_cross_entropy_with_logits(neg_logits[valid], torch.zeros_like(neg_logits[valid]))
    return p + n


LOSSES = {"bpr": bpr_loss, "bce": bce_loss}


def fit(model, batches, loss_name, lr, epochs, after_epoch=None):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.98))
    loss_fn = LOSSES[loss_name]
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for seq, pos, neg in batches:
            pos_logits, neg_logits = model(seq, pos, neg)
            loss = loss_fn(pos_logits, neg_logits, pos != 0)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if after_epoch is not None:
            after_epoch(epoch, total / len(batches))
    return model
