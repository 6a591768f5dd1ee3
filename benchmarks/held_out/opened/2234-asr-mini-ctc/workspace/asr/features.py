import torch

N_FFT = 256
HOP = 80
N_BANDS = 40


def log_bands(wav):
    """waveform (samples,) -> log band energies (frames, N_BANDS)"""
    spec = torch.stft(
        wav, N_FFT, hop_length=HOP, window=torch.hann_window(N_FFT), return_complex=True
    ).abs().pow(2)
    bands = spec[1:121].reshape(N_BANDS, 3, -1).sum(1)
    feats = torch.log(bands + 1e-5)
    return ((feats - feats.mean()) / feats.std()).T
