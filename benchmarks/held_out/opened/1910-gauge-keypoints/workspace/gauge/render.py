"""The pictures themselves are rendered from the annotated points (the originals stay with the customer)."""
import numpy as np


def _line(img, a, b, value):
    for s in np.linspace(0, 1, 40):
        x, y = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])
        img[int(y), int(x)] = value


def render(points, height, width, rng):
    img = rng.normal(0.2, 0.05, (height, width)).astype(np.float32)
    px = [(x * (width - 1), y * (height - 1)) for x, y, _ in points]
    centre, tip, zero, full = px
    yy, xx = np.mgrid[:height, :width]
    dial = np.hypot(xx - centre[0], yy - centre[1]) < 17
    img[dial] += 0.4
    _line(img, centre, tip, 1.2)
    for (x, y), v in ((zero, -0.3), (full, 1.6)):
        img[int(y) - 1:int(y) + 2, int(x) - 1:int(x) + 2] = v
    return img
