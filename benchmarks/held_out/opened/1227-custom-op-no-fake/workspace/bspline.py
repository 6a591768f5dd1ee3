"""B-spline basis as a custom operator with its own backward."""
import torch


def _basis(x, grid, order):
    x = x.unsqueeze(-1)
    b = ((x >= grid[:-1]) & (x < grid[1:])).to(x.dtype)
    for k in range(1, order + 1):
        left = (x - grid[: -(k + 1)]) / (grid[k:-1] - grid[: -(k + 1)])
        right = (grid[k + 1 :] - x) / (grid[k + 1 :] - grid[1:-k])
        b = left * b[..., :-1] + right * b[..., 1:]
    return b


@torch.library.custom_op("kan::bspline", mutates_args=())
def bspline(x: torch.Tensor, grid: torch.Tensor, order: int) -> torch.Tensor:
    return _basis(x, grid, order).contiguous()


@torch.library.custom_op("kan::bspline_grad", mutates_args=())
def bspline_grad(x: torch.Tensor, grid: torch.Tensor, order: int, grad: torch.Tensor) -> torch.Tensor:
    lower = _basis(x, grid, order - 1)
    h = grid[1] - grid[0]
    d = (lower[..., :-1] - lower[..., 1:]) / h
    return (d * grad).sum(-1)


@bspline_grad.register_fake
def _(x, grid, order, grad):
    return torch.empty_like(x)


def _setup(ctx, inputs, output):
    x, grid, ctx.order = inputs
    ctx.save_for_backward(x, grid)


def _backward(ctx, grad):
    x, grid = ctx.saved_tensors
    return bspline_grad(x, grid, ctx.order, grad.contiguous()), None, None


bspline.register_autograd(_backward, setup_context=_setup)
