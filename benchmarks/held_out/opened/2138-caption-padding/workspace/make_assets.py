import json

import numpy as np

rng = np.random.default_rng(2)
COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "white": (1, 1, 1)}
SHAPES = ["square", "bar", "cross", "frame"]
FORMS = ["a {c} {s}", "{s} in {c}", "picture of one {c} {s}", "{c} {s}"]
images, captions = [], []
for i in range(96):
    c = list(COLOURS)[i % 4]
    s = SHAPES[(i // 4) % 4]
    img = rng.random((3, 12, 12)) * 0.1
    m = np.zeros((12, 12))
    if s == "square":
        m[3:9, 3:9] = 1
    elif s == "bar":
        m[5:7] = 1
    elif s == "cross":
        m[5:7] = 1
        m[:, 5:7] = 1
    else:
        m[2:10, 2:10] = 1
        m[4:8, 4:8] = 0
    img += m * np.array(COLOURS[c])[:, None, None]
    images.append((img * 230).clip(0, 255).astype(np.uint8))
    captions.append({"image": i, "caption": FORMS[rng.integers(4)].format(c=c, s=s)})
np.savez_compressed("assets/images.npz", pixels=np.stack(images))
json.dump(captions, open("assets/captions.json", "w"), indent=0)
