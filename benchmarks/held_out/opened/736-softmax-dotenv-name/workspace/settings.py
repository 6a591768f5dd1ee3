import os

from dotenv import load_dotenv

load_dotenv(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".env"))

DATA_DIR = os.environ.get("DATA_DIR")
EPOCHS = int(os.environ.get("EPOCHS", 50))
LR = float(os.environ.get("LR", 0.1))
N_CLASSES = int(os.environ.get("N_CLASSES", 3))
