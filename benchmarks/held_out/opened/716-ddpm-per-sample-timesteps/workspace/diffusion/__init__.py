from .schedule import NoiseSchedule
from .unet1d import Denoiser
