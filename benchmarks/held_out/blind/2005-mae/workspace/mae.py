import torch
import torch.nn as nn

from patches import LearnedPositions, patchify, random_masking


def transformer(dim, depth, heads):
    layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, dropout=0.0, activation="gelu",
                                       batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, depth, norm=nn.LayerNorm(dim), enable_nested_tensor=False)


class MaskedAutoencoder(nn.Module):
    def __init__(self, image, dim, depth, heads, decoder_depth):
        super().__init__()
        self.patch = image.patch
        n = (image.size // image.patch) ** 2
        patch_dim = image.patch ** 2 * image.channels
        self.embed = nn.Linear(patch_dim, dim)
        self.enc_pos = LearnedPositions(n, dim)
        self.encoder = transformer(dim, depth, heads)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.dec_pos = LearnedPositions(n, dim)
        self.decoder = transformer(dim, decoder_depth, heads)
        self.to_pixels = nn.Linear(dim, patch_dim)

    def forward(self, images, mask_ratio):
        target = patchify(images, self.patch)
        tokens = self.enc_pos(self.embed(target))
        kept, mask, restore = random_masking(tokens, mask_ratio)
        latent = self.encoder(kept)

        b, n, d = tokens.shape
        fill = self.mask_token.expand(b, n - latent.size(1), d)
        full = torch.cat([latent, fill], dim=1)
        full = torch.gather(full, 1, restore[:, :, None].expand(-1, -1, d))
        pred = self.to_pixels(self.decoder(self.dec_pos(full)))

        per_patch = (pred - target).pow(2).mean(dim=-1)
        loss = (per_patch * mask).sum() / mask.sum()
        return loss, pred, mask
