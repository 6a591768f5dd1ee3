set -e
python train_teacher.py --epochs 2 --out teacher.pt
python distill.py --teacher teacher.pt --config kd.json
