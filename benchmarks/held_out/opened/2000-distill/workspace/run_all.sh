set -e
python train_teacher.py --width 16 --epochs 4
python distill.py --hidden 16 --epochs 8
