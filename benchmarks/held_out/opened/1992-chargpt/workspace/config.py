# training configuration, plain python so that it can be edited in place
data_path = "data/tales.txt"
val_fraction = 0.1

block_size = 48
n_layer = 2
n_head = 4
n_embd = 48
dropout = 0.0

batch_size = 16
max_iters = 240
eval_interval = 60
eval_batches = 4
learning_rate = 3e-3
grad_clip = 1.0
seed = 1337

# sampling after training
prompt = "the old ferryman"
sample_tokens = 120
temperature = 0.8
top_k = 10
