import numpy as np


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def filterbank(sample_rate, n_fft, n_mels, fmin=60.0):
    edges = mel_to_hz(np.linspace(hz_to_mel(fmin), hz_to_mel(sample_rate / 2), n_mels + 2))
    freqs = np.linspace(0, sample_rate / 2, n_fft // 2 + 1)
    rise = (freqs[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - freqs[None]) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(rise, fall)).astype(np.float32)


def log_mel(wave, audio):
    n_fft, hop = audio["n_fft"], audio["hop"]
    n_frames = frame_count(audio)
    window = np.hanning(n_fft).astype(np.float32)
    frames = np.stack([wave[i * hop:i * hop + n_fft] * window for i in range(n_frames)])
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    mel = power.astype(np.float32) @ filterbank(audio["sample_rate"], n_fft, audio["n_mels"]).T
    return np.log(mel + 1e-6)


def frame_count(audio):
    n = int(audio["sample_rate"] * audio["seconds"])
    return 1 + (n - audio["n_fft"]) // audio["hop"]
