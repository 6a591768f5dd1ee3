import torch


def collate_reviews(batch):
    sequences, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in sequences])
    tokens = torch.stack(sequences)
    return tokens, lengths, torch.stack(labels)
