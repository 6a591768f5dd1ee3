"""Look up the vector of each name: python train.py"""
import numpy as np


def load(path):
    numbers = []
    with open(path) as file:
        for line in file:
            number, name = line.rstrip("\n").split("\t")
            numbers.append(int(number))
    return numbers


numbers = load("names.txt")
vectors = np.zeros((len(numbers), 8))
for number in numbers:
    print(number, vectors[number].sum())
