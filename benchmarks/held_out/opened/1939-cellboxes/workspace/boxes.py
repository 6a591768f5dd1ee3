import torch


def xywh_to_xyxy(b):
    return torch.cat([b[..., :2], b[..., :2] + b[..., 2:]], dim=-1)


def iou_matrix(a, b):
    """a (N, 4), b (M, 4), both xyxy -> (N, M)"""
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area_a = (a[:, 2:] - a[:, :2]).prod(-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(-1)
    return inter / (area_a[:, None] + area_b[None] - inter)


def nms(boxes, scores, thresh):
    keep = []
    order = scores.argsort(descending=True)
    while len(order):
        best = order[0]
        keep.append(best.item())
        overlap = iou_matrix(boxes[best][None], boxes[order])[0]
        order = order[overlap < thresh]
    return keep
