import torch
from torch.utils.data import DataLoader

from towers.model import DualEncoder, clip_style_loss
from towers.options import Options
from towers.pairs import CaptionPairs, holdout_split, stack_pairs
from towers.retrieval import embed_all, recall_at_k
from towers.text import WordTokenizer


def main(opt=Options()):
    torch.manual_seed(opt.seed)
    pairs = CaptionPairs(opt.images, opt.captions, WordTokenizer, opt.max_words)
    train_set, test_set = holdout_split(pairs, opt.holdout, opt.seed)
    train = DataLoader(train_set, opt.batch_size, shuffle=True, drop_last=True, collate_fn=stack_pairs)
    test = DataLoader(test_set, opt.batch_size)

    model = DualEncoder(len(pairs.tokenizer), opt)
    adam = torch.optim.Adam(model.parameters(), lr=opt.lr)
    for epoch in range(opt.epochs):
        model.train()
        losses = []
        for batch in train:
            loss = clip_style_loss(model(**batch)["logits"])
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()
            losses.append(loss.item())
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:2d}  contrastive loss {sum(losses) / len(losses):.3f}")

    images, texts = embed_all(model, test)
    for k in (1, 5):
        print(f"text->image R@{k}: {recall_at_k(images, texts, k):.3f}")


if __name__ == "__main__":
    main()
