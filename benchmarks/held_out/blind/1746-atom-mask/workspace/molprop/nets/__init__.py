from molprop.nets.mpnn import DenseMPNN
from molprop.nets.readout import READOUTS
