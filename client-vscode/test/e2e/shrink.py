"""Rewrites a screenshot in 256 colours, a third of its size: shrink.py PICTURE."""

import sys

from PIL import Image

with Image.open(sys.argv[1]) as picture:
    few = picture.convert("RGB").quantize(
        256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
    )
few.save(sys.argv[1], optimize=True)
