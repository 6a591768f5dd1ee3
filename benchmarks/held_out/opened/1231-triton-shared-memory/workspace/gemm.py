import argparse
import json
import time

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    width = GROUP * num_n
    group = pid // width
    first_m = group * GROUP
    size = min(num_m - first_m, GROUP)
    pid_m = first_m + (pid % width) % size
    pid_n = (pid % width) // size

    rm = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    rn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    rk = tl.arange(0, BLOCK_K)
    a = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        ta = tl.load(a, mask=rk[None, :] < left, other=0.0)
        tb = tl.load(b, mask=rk[:, None] < left, other=0.0)
        acc = tl.dot(ta, tb, acc)
        a += BLOCK_K * stride_ak
        b += BLOCK_K * stride_bk
    cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (cm[:, None] < M) & (cn[None, :] < N)
    tl.store(c_ptr + cm[:, None] * stride_cm + cn[None, :] * stride_cn, acc.to(tl.float16), mask=mask)


def pick(tiles, m, n):
    return tiles["large"] if m * n >= 512 * 512 else tiles["small"]


def matmul(x, y, tiles):
    m, k = x.shape
    n = y.shape[1]
    out = torch.empty(m, n, device=x.device, dtype=torch.float16)
    t = pick(tiles, m, n)
    grid = (triton.cdiv(m, t["BLOCK_M"]) * triton.cdiv(n, t["BLOCK_N"]),)
    matmul_kernel[grid](x, y, out, m, n, k, *x.stride(), *y.stride(), *out.stride(), **t)
    return out


def bench(fn, repeat=20):
    fn()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeat):
        fn()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / repeat


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tiles", default="tiles.json")
    for name in "mnk":
        p.add_argument(f"--{name}", type=int, default=512)
    args = p.parse_args()
    tiles = json.load(open(args.tiles))
    torch.manual_seed(0)
    for m, n, k in [(192, 160, 128), (args.m, args.n, args.k)]:
        a = torch.randn(m, k, device="cuda", dtype=torch.float16)
        b = torch.randn(k, n, device="cuda", dtype=torch.float16)
        torch.testing.assert_close(matmul(a, b, tiles), a @ b, atol=0.2, rtol=0.02)
        sec = bench(lambda: matmul(a, b, tiles))
        print(f"{m}x{n}x{k}: {2 * m * n * k / sec / 1e12:.2f} TFLOP/s")


if __name__ == "__main__":
    main()
