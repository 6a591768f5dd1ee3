"""Binary line glyphs on a small canvas."""
import torch


def draw_line(canvas, y0, x0, y1, x1):
    steps = max(abs(y1 - y0), abs(x1 - x0), 1)
    for k in range(steps + 1):
        y = round(y0 + (y1 - y0) * k / steps)
        x = round(x0 + (x1 - x0) * k / steps)
        canvas[y, x] = 1.0
        if x + 1 < canvas.size(1):
            canvas[y, x + 1] = 1.0


def make_glyphs(count, size, seed):
    g = torch.Generator().manual_seed(seed)
    out = torch.zeros(count, 1, size, size)
    lo, hi = 2, size - 3
    for i in range(count):
        off = torch.randint(-1, 2, (2,), generator=g).tolist()
        a, b = lo + 1 + off[0], hi - 1 + off[1]
        kind = int(torch.randint(0, 4, (1,), generator=g))
        c = out[i, 0]
        if kind == 0:      # L
            draw_line(c, a, a, b, a)
            draw_line(c, b, a, b, b)
        elif kind == 1:    # T
            draw_line(c, a, a, a, b)
            draw_line(c, a, (a + b) // 2, b, (a + b) // 2)
        elif kind == 2:    # X
            draw_line(c, a, a, b, b)
            draw_line(c, b, a, a, b)
        else:              # box
            draw_line(c, a, a, a, b)
            draw_line(c, b, a, b, b)
            draw_line(c, a, a, b, a)
            draw_line(c, a, b, b, b)
    return out
