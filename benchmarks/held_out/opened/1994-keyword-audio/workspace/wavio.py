import wave

import numpy as np
import torch


def load_wav(path, expected_rate):
    with wave.open(str(path), "rb") as f:
        rate = f.getframerate()
        if rate != expected_rate:
            raise ValueError(f"{path}: sample rate {rate}, wanted {expected_rate}")
        raw = np.frombuffer(f.readframes(f.getnframes()), dtype="<i2")
    return torch.from_numpy(raw.astype(np.float32) / 32768.0)


def fix_length(signal, length):
    if signal.numel() >= length:
        return signal[:length]
    return torch.nn.functional.pad(signal, (0, length - signal.numel()))
