import torch


@torch.no_grad()
def embed_all(model, loader):
    model.eval()
    images, texts = [], []
    for batch in loader:
        out = model(**batch)
        images.append(out["image_emb"])
        texts.append(out["text_emb"])
    return torch.cat(images), torch.cat(texts)


def recall_at_k(images, texts, k):
    ranks = (texts @ images.T).argsort(dim=1, descending=True)
    wanted = torch.arange(len(texts)).unsqueeze(1)
    return (ranks[:, :k] == wanted).any(1).float().mean().item()
