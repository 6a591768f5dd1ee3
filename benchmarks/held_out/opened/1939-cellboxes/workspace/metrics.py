import torch

from boxes import iou_matrix, nms, xywh_to_xyxy


@torch.no_grad()
def precision_recall(model, loader, score_thresh=0.5, iou_thresh=0.5):
    model.eval()
    tp = n_pred = n_true = 0
    for images, targets, _ in loader:
        scores, boxes = model.decode(model(images))
        for s, b, t in zip(scores, boxes, targets):
            b, s = b[s > score_thresh], s[s > score_thresh]
            b = b[nms(b, s, 0.4)]
            n_pred += len(b)
            n_true += len(t)
            if len(b) and len(t):
                hit = iou_matrix(b, xywh_to_xyxy(t)) > iou_thresh
                tp += hit.any(0).sum().item()
    return tp / max(n_pred, 1), tp / max(n_true, 1)
