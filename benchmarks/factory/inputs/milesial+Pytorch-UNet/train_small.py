"""Segment bright discs; the pictures are made by make_pictures.py."""
import argparse
import logging

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, random_split

from unet import UNet
from utils.data_loading import BasicDataset
from utils.dice_score import dice_coeff, dice_loss, multiclass_dice_coeff


def get_args():
    parser = argparse.ArgumentParser(description='Train the UNet on images and target masks')
    parser.add_argument('--images', default='./data/imgs/')
    parser.add_argument('--masks', default='./data/masks/')
    parser.add_argument('--epochs', '-e', type=int, default=1)
    parser.add_argument('--batch-size', '-b', type=int, default=2)
    parser.add_argument('--learning-rate', '-l', type=float, default=1e-4)
    parser.add_argument('--scale', '-s', type=float, default=0.5)
    parser.add_argument('--validation', '-v', type=float, default=25.0)
    parser.add_argument('--bilinear', action='store_true')
    parser.add_argument('--classes', '-c', type=int, default=1)
    return parser.parse_args()


def evaluate(model, loader):
    model.eval()
    score = 0.0
    with torch.no_grad():
        for batch in loader:
            masks = model(batch['image'])
            if model.n_classes == 1:
                predicted = (torch.sigmoid(masks.squeeze(1)) > 0.5).float()
                score += dice_coeff(predicted, batch['mask'].float())
            else:
                predicted = F.one_hot(masks.argmax(dim=1), model.n_classes).permute(0, 3, 1, 2).float()
                target = F.one_hot(batch['mask'].long(), model.n_classes).permute(0, 3, 1, 2).float()
                score += multiclass_dice_coeff(predicted[:, 1:], target[:, 1:])
    return score / max(len(loader), 1)


def main():
    args = get_args()
    logging.basicConfig(level=logging.INFO, format='%(levelname)s: %(message)s')
    torch.manual_seed(0)
    dataset = BasicDataset(args.images, args.masks, args.scale, mask_suffix='_mask')
    n_val = int(len(dataset) * args.validation / 100)
    train_set, val_set = random_split(dataset, [len(dataset) - n_val, n_val])
    train_loader = DataLoader(train_set, shuffle=True, batch_size=args.batch_size)
    val_loader = DataLoader(val_set, shuffle=False, drop_last=True, batch_size=1)

    model = UNet(n_channels=3, n_classes=args.classes, bilinear=args.bilinear)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.learning_rate, weight_decay=1e-8, momentum=0.9)
    criterion = nn.CrossEntropyLoss() if model.n_classes > 1 else nn.BCEWithLogitsLoss()
    for epoch in range(1, args.epochs + 1):
        model.train()
        for batch in train_loader:
            images, true_masks = batch['image'], batch['mask']
            masks_pred = model(images)
            if model.n_classes == 1:
                loss = criterion(masks_pred.squeeze(1), true_masks.float())
                loss += dice_loss(torch.sigmoid(masks_pred.squeeze(1)), true_masks.float(), multiclass=False)
            else:
                loss = criterion(masks_pred, true_masks)
                one_hot = F.one_hot(true_masks, model.n_classes).permute(0, 3, 1, 2).float()
                loss += dice_loss(F.softmax(masks_pred, dim=1).float(), one_hot, multiclass=True)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        logging.info('epoch %d: loss %.4f, validation Dice %.4f', epoch, loss.item(), evaluate(model, val_loader))


if __name__ == '__main__':
    main()
