from recsys.dataset import Catalog, PairwiseInteractions, load_interactions
from recsys.model import TwoTower
