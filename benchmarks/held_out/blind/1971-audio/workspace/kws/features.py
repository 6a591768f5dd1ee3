import numpy as np
import torch


def mel_matrix(n_mels, n_fft, sr):
    def to_mel(f):
        return 2595 * np.log10(1 + f / 700)

    def to_hz(m):
        return 700 * (10 ** (m / 2595) - 1)

    edges = to_hz(np.linspace(to_mel(50), to_mel(sr / 2), n_mels + 2))
    freqs = np.linspace(0, sr / 2, n_fft // 2 + 1)
    up = (freqs[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - freqs[None]) / (edges[2:] - edges[1:-1])[:, None]
    return torch.tensor(np.clip(np.minimum(up, down), 0, None), dtype=torch.float32)


class LogMel:
    def __init__(self, cfg):
        self.win, self.hop = cfg["win"], cfg["hop"]
        self.window = torch.hann_window(self.win)
        self.fb = mel_matrix(cfg["n_mels"], self.win, cfg["sample_rate"])

    def __call__(self, wav):
        """(samples,) -> (frames, n_mels)"""
        spec = torch.stft(wav, self.win, self.hop, window=self.window, center=False, return_complex=True)
        mel = self.fb @ spec.abs().pow(2)
        x = torch.log(mel + 1e-4).T
        return (x - x.mean()) / (x.std() + 1e-5)
