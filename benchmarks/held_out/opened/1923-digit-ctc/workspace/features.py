import numpy as np


def mel_matrix(sr, n_fft, n_mels):
    def to_mel(f):
        return 2595.0 * np.log10(1 + f / 700.0)

    def to_hz(m):
        return 700.0 * (10 ** (m / 2595.0) - 1)

    edges = to_hz(np.linspace(to_mel(60.0), to_mel(sr / 2), n_mels + 2))
    freqs = np.fft.rfftfreq(n_fft, 1 / sr)
    fb = np.zeros((n_mels, len(freqs)), dtype=np.float32)
    for i in range(n_mels):
        left, mid, right = edges[i:i + 3]
        up = (freqs - left) / (mid - left)
        down = (right - freqs) / (right - mid)
        fb[i] = np.maximum(0, np.minimum(up, down))
    return fb


class LogMel:
    def __init__(self, conf):
        sr = conf["sample_rate"]
        self.win = int(sr * conf["win_ms"] / 1000)
        self.hop = int(sr * conf["hop_ms"] / 1000)
        self.n_fft = 512
        self.fb = mel_matrix(sr, self.n_fft, conf["n_mels"])
        self.window = np.hamming(self.win).astype(np.float32)

    def __call__(self, wav):
        n = 1 + (len(wav) - self.win) // self.hop
        idx = np.arange(self.win)[None] + self.hop * np.arange(n)[:, None]
        spec = np.abs(np.fft.rfft(wav[idx] * self.window, self.n_fft)) ** 2
        feats = np.log(spec @ self.fb.T + 1e-6)
        return ((feats - feats.mean(0)) / (feats.std(0) + 1e-5)).astype(np.float32)
