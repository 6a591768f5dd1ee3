"""Split by policy id hash, so that re-exports keep policies in the same part."""
import sys
import zlib
from pathlib import Path

import pandas as pd
from columns import ID, TARGET

src, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir(exist_ok=True)
df = pd.read_csv(src)
bucket = df[ID].map(lambda s: zlib.crc32(s.encode()) % 10)
train, test = df[bucket < 8], df[bucket >= 8]
train.to_csv(out / "train.csv", index=False)
test.to_csv(out / "test.csv", index=False)
print(f"split: {len(train)} train ({train[TARGET].mean():.1%} lapsed), {len(test)} test ({test[TARGET].mean():.1%} lapsed)")
