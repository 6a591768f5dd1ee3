# a tiny character model that trains on a laptop's CPU in seconds
out_dir = 'out-tiny'
eval_interval = 20
eval_iters = 5
log_interval = 5

dataset = 'shakespeare_char'
gradient_accumulation_steps = 2
batch_size = 8
block_size = 32

n_layer = 2
n_head = 4
n_embd = 32
dropout = 0.1

learning_rate = 3e-3
max_iters = 60
lr_decay_iters = 60
min_lr = 3e-4
beta2 = 0.99
warmup_iters = 5

device = 'cpu'
dtype = 'float32'
compile = False
