import torch

from gan import WaveGAN
from options import get_options
from waves import wave_stream

opt = get_options()
torch.manual_seed(opt.seed)
model = WaveGAN(opt)
stream = wave_stream(opt.batch_size, opt.length, opt.seed)

for it in range(1, opt.iterations + 1):
    model.set_input(next(stream))
    d_loss, g_loss = model.optimize()
    if it % 20 == 0:
        print(f"iter {it:4d}  D {d_loss:.3f}  G {g_loss:+.3f}")
