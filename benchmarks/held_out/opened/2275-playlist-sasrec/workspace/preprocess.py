"""plays.tsv -> build/sequences.json and build/meta.json"""
import json
from pathlib import Path

import pandas as pd

MIN_PLAYS = 5

plays = pd.read_csv("data/plays.tsv", sep="\t").sort_values(["session", "second"])
counts = plays["song"].value_counts()
plays = plays[plays["song"].map(counts) >= MIN_PLAYS]

songs = sorted(int(s) for s in plays["song"].unique())
song2idx = {song: i + 1 for i, song in enumerate(songs)}  # 0 is the padding
sequences = {s: [int(x) for x in g["song"]] for s, g in plays.groupby("session") if len(g) >= 3}

out = Path("build")
out.mkdir(exist_ok=True)
(out / "sequences.json").write_text(json.dumps(sequences))
(out / "meta.json").write_text(json.dumps({"n_items": len(songs) + 1, "song2idx": song2idx}))
print(f"{len(sequences)} sessions, {len(songs)} songs")
