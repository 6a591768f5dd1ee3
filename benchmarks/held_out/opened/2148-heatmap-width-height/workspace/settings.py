IMAGE_DIR = "frames"
TRAIN_JSON = "annotations/train.json"
VAL_JSON = "annotations/val.json"

INPUT_W, INPUT_H = 64, 48
STRIDE = 4
SIGMA = 1.5
JOINTS = ["thumb", "index", "ring"]

EPOCHS = 10
BATCH = 12
LR = 1e-2
