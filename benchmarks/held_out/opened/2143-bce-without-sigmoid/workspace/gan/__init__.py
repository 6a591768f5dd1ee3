from .networks import Discriminator, Generator
from .steps import discriminator_step, generator_step
