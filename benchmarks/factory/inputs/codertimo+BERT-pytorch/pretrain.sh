#!/bin/bash
set -e
python build_vocab.py -c data/corpus.txt -o data/vocab.small -m 1
python pretrain.py -c data/corpus.txt -t data/corpus.test.txt -v data/vocab.small -o bert.model \
    --hidden 32 --layers 1 --attn_heads 4 --seq_len 20 --batch_size 24 --epochs 1 \
    --num_workers 0 --with_cuda ""
