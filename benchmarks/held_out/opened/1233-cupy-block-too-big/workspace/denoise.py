import cupy as cp

from bilateral import BilateralFilter
from settings import FilterParams


def phantom(size):
    y, x = cp.mgrid[0:size, 0:size].astype(cp.float32) / size
    img = cp.zeros((size, size), dtype=cp.float32)
    for cx, cy, r, v in [(0.5, 0.5, 0.4, 0.6), (0.4, 0.45, 0.12, 0.9), (0.65, 0.6, 0.15, 0.2)]:
        img[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = v
    return img


def psnr(a, b):
    return float(-10 * cp.log10(cp.mean((a - b) ** 2)))


def main():
    cp.random.seed(0)
    clean = phantom(500)
    noisy = clean + 0.1 * cp.random.standard_normal(clean.shape, dtype=cp.float32)
    out = BilateralFilter(FilterParams())(noisy)
    print(f"noisy {psnr(noisy, clean):.2f} dB -> filtered {psnr(out, clean):.2f} dB")


if __name__ == "__main__":
    main()
