import torch
import triton
import triton.language as tl


@triton.jit
def _log_softmax_kernel(
    out_ptr,
    x_ptr,
    stride_out,
    stride_x,
    n_cols,
    inv_temperature,
    BLOCK,
):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    mask = offs < n_cols
    x = tl.load(x_ptr + row * stride_x + offs, mask=mask, other=-float("inf"))
    x = x * inv_temperature
    x = x - tl.max(x, axis=0)
    denom = tl.sum(tl.exp(x), axis=0)
    tl.store(out_ptr + row * stride_out + offs, x - tl.log(denom), mask=mask)


def log_softmax(x, temperature=1.0):
    assert x.ndim == 2 and x.stride(1) == 1
    rows, cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(cols)
    warps = 4 if block < 2048 else 8
    _log_softmax_kernel[(rows,)](out, x, out.stride(0), x.stride(0), cols, 1.0 / temperature, BLOCK=block, num_warps=warps)
    return out
