import argparse
import json
from pathlib import Path

import numpy as np

SR = 4000


def render(rng, seconds=2.0):
    n = int(SR * seconds)
    audio = 0.005 * rng.standard_normal(n)
    bpm = rng.uniform(80, 150)
    beat = 60 / bpm / 2
    onsets = [t for t in np.arange(0.1, seconds - 0.1, beat) if rng.random() < 0.8]
    for t in onsets:
        i = int(t * SR)
        length = min(n - i, 600)
        env = np.exp(-np.arange(length) / 90)
        tone = np.sin(2 * np.pi * rng.choice([70, 180, 900]) * np.arange(length) / SR)
        audio[i:i + length] += env * (0.6 * tone + 0.4 * rng.standard_normal(length))
    return audio.astype("float32"), [round(float(t), 4) for t in onsets]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--root", type=Path, default=Path("corpus"))
    ap.add_argument("--count", type=int, default=40)
    args = ap.parse_args()

    rng = np.random.default_rng(8)
    rows = []
    for k in range(args.count):
        kit = ["rock", "jazz"][k % 2]
        wav = args.root / "loops" / kit / f"{k:03d}.npy"
        wav.parent.mkdir(parents=True, exist_ok=True)
        audio, onsets = render(rng)
        np.save(wav, audio)
        rows.append({
            "audio": str(wav),
            "kit": kit,
            "onsets": onsets,
            "split": "test" if k % 5 == 4 else "train",
        })
    manifest = args.root / "manifest.jsonl"
    with manifest.open("w") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")
    print(f"{manifest}: {len(rows)} loops")


if __name__ == "__main__":
    main()
