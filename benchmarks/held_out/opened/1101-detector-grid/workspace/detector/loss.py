import torch
import torch.nn.functional as F


class GridLoss:
    def __init__(self, grid, anchors, image_size, num_classes, lambda_noobj, lambda_box):
        self.grid = grid
        self.cell = image_size / grid
        self.anchors = torch.tensor(anchors, dtype=torch.float32)
        self.num_classes = num_classes
        self.lambda_noobj = lambda_noobj
        self.lambda_box = lambda_box

    def build_targets(self, targets):
        B, A, G = len(targets), len(self.anchors), self.grid
        box = torch.zeros(B, A, G, G, 4)
        obj = torch.zeros(B, A, G, G, dtype=torch.bool)
        cls = torch.zeros(B, A, G, G, dtype=torch.long)
        for b, t in enumerate(targets):
            for (cx, cy, w, h), label in zip(t["boxes"], t["labels"]):
                col, row = int(cx / self.cell), int(cy / self.cell)
                wh = torch.stack([w, h])
                inter = torch.minimum(wh, self.anchors).prod(1)
                iou = inter / (wh.prod() + self.anchors.prod(1) - inter)
                a = int(iou.argmax())
                obj[b, a, row, col] = True
                cls[b, a, row, col] = label
                box[b, a, row, col, 0] = cx / self.cell - col
                box[b, a, row, col, 1] = cy / self.cell - row
                box[b, a, row, col, 2:] = torch.log(wh / self.anchors[a])
        return box, obj, cls

    def __call__(self, pred, targets):
        box_t, obj_t, cls_t = self.build_targets(targets)
        xy, wh = pred[..., :2].sigmoid(), pred[..., 2:4]
        objectness = F.binary_cross_entropy_with_logits(pred[..., 4], obj_t.float(), reduction="none")
        weight = torch.where(obj_t, 1.0, self.lambda_noobj)
        loss_obj = (objectness * weight).mean()
        loss_box = F.mse_loss(torch.cat([xy, wh], -1)[obj_t], box_t[obj_t])
        loss_cls = F.cross_entropy(pred[..., 5:][obj_t], cls_t[obj_t])
        total = loss_obj + self.lambda_box * loss_box + loss_cls
        return total, {"obj": loss_obj.item(), "box": loss_box.item(), "cls": loss_cls.item()}
