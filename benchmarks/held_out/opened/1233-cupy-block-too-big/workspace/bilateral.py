import cupy as cp

from settings import RADIUS, TILE

SOURCE = r"""
extern "C" __global__
void bilateral(const float* src, float* dst, int h, int w, float inv_s, float inv_r)
{
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    int x0 = blockIdx.x * TILE - RADIUS, y0 = blockIdx.y * TILE - RADIUS;
    for (int j = threadIdx.y; j < TILE + 2 * RADIUS; j += blockDim.y)
        for (int i = threadIdx.x; i < TILE + 2 * RADIUS; i += blockDim.x) {
            int y = min(max(y0 + j, 0), h - 1), x = min(max(x0 + i, 0), w - 1);
            tile[j][i] = src[y * w + x];
        }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = tile[threadIdx.y + RADIUS][threadIdx.x + RADIUS], acc = 0.f, norm = 0.f;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            float v = tile[threadIdx.y + RADIUS + dy][threadIdx.x + RADIUS + dx];
            float d = v - c;
            float wt = expf(-(dx * dx + dy * dy) * inv_s - d * d * inv_r);
            acc += wt * v;
            norm += wt;
        }
    dst[y * w + x] = acc / norm;
}
"""


class BilateralFilter:
    def __init__(self, params):
        self.params = params
        self.kernel = cp.RawKernel(SOURCE, "bilateral", options=(f"-DTILE={TILE}", f"-DRADIUS={RADIUS}"))

    def __call__(self, img):
        h, w = img.shape
        grid = ((w + TILE - 1) // TILE, (h + TILE - 1) // TILE)
        inv_s = cp.float32(1 / (2 * self.params.sigma_space**2))
        inv_r = cp.float32(1 / (2 * self.params.sigma_range**2))
        src = cp.ascontiguousarray(img, dtype=cp.float32)
        for _ in range(self.params.passes):
            dst = cp.empty_like(src)
            self.kernel(grid, (TILE, TILE), (src, dst, cp.int32(h), cp.int32(w), inv_s, inv_r))
            src = dst
        return src
