import os
import sys

import torch

from shoprec.data.batches import NegativeSampler, TrainBatches
from shoprec.data.events import ItemIndex, leave_one_out, load_sessions, popularity
from shoprec.engine.learn import fit
from shoprec.engine.ranking import hit_and_ndcg, ranks
from shoprec.models import MODEL_ZOO
from shoprec.utils.env import Env

name = sys.argv[1]
env = Env(name)
torch.manual_seed(1)

sessions = load_sessions(env.events)
index = ItemIndex(sessions)
train, test = leave_one_out([index.encode(s) for s in sessions])
print(f"{len(sessions)} sessions, {len(index) - 1} items")

sampler = NegativeSampler(popularity(train, len(index)))
batches = TrainBatches(train, env.max_len, env.batch_size, sampler)
model = MODEL_ZOO[env.model](len(index), env.max_len, **env.model_args)


def report(epoch, loss):
    hr, ndcg = hit_and_ndcg(ranks(model, test, env.max_len), 10)
    print(f"epoch {epoch}  loss {loss:.4f}  HR@10 {hr:.3f}  NDCG@10 {ndcg:.3f}", flush=True)


fit(model, batches, env.loss, env.lr, env.epochs, after_epoch=report)

os.makedirs("models_out", exist_ok=True)
torch.save({"state": model.state_dict(), "items": index.names, "settings": env.values}, f"models_out/{name}.pt")
