import torch


class LogSpectrogram:
    def __init__(self, cfg):
        self.cfg = cfg
        self.window = torch.hann_window(cfg.n_fft)
        self.mean = 0.0
        self.std = 1.0

    def spectrum(self, wave):
        spec = torch.stft(
            wave,
            n_fft=self.cfg.n_fft,
            hop_length=self.cfg.hop_length,
            window=self.window,
            return_complex=True,
        )
        return torch.log1p(spec.abs())

    def fit(self, clips):
        """Global mean and deviation over the training clips."""
        total, squares, count = 0.0, 0.0, 0
        for wave, _ in clips:
            s = self.spectrum(wave)
            total += s.sum().item()
            squares += s.pow(2).sum().item()
            count += s.numel()
        self.mean = total / count
        self.std = max(squares / count - self.mean**2, 1e-8) ** 0.5
        return self

    def __call__(self, wave):
        return (self.spectrum(wave) - self.mean) / self.std
