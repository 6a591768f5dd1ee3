"""Renders the synthetic street scenes that annotations.csv refers to."""
import numpy as np

SIZE = 48
COLORS = {"stop": (0.9, 0.1, 0.1), "yield": (0.9, 0.8, 0.2), "info": (0.1, 0.3, 0.9)}


def render(image_id, boxes):
    """boxes: list of (label, x1, y1, x2, y2)."""
    rng = np.random.default_rng(image_id)
    img = 0.5 + 0.12 * rng.standard_normal((3, SIZE, SIZE))
    for label, x1, y1, x2, y2 in boxes:
        xa, xb = sorted((x1, x2))
        ya, yb = sorted((y1, y2))
        for c in range(3):
            img[c, ya:yb, xa:xb] = COLORS[label][c] + 0.15 * rng.standard_normal((yb - ya, xb - xa))
    return img.clip(0, 1).astype(np.float32)
