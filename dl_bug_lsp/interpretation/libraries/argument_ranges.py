"""What functions and classes refuse of plain arguments: numbers out of a range, unknown words.

Each row says which functions, which parameter with its position, what it may be, and how the
library puts it. A range is written as in mathematics, with ``int`` before it where only whole
numbers are taken; words stand as they are. What is no number, or no text, is not asked.
Sources: PyTorch 2.13 (``nn.modules.rnn``, ``nn.modules.conv``, ``optim``, ``optim.lr_scheduler``,
``distributions.constraints``, ``nn.functional``), NumPy 2.4 (``random``, ``histogram``, ``fft``),
Optax 0.2 and Keras 3 (schedules).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.libraries import array_functions as _arrays  # noqa: F401
from dl_bug_lsp.interpretation.libraries.jax import flax as _flax  # noqa: F401
from dl_bug_lsp.interpretation.libraries.numpy import functions as _numpy  # noqa: F401
from dl_bug_lsp.interpretation.libraries.numpy import known_cells as _known_cells  # noqa: F401
from dl_bug_lsp.interpretation.libraries.tensorflow import variables as _containers  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import argument_checks as _checks  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import distributions as _distributions  # noqa: F401
from dl_bug_lsp.interpretation.libraries.torch import probability_losses as _probability_losses  # noqa: F401
from dl_bug_lsp.interpretation.model_helpers import Refusal, in_range, make_object
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import Raised, Value

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

ROWS = """
torch.nn. | LSTM GRU RNN | hidden_size@1 | int (0, inf) | {} must be greater than zero
torch.nn. | LSTM GRU RNN | num_layers@2 | int (0, inf) | {} must be greater than zero
torch.nn. | LSTM GRU RNN | dropout@5 | [0, 1] | {} should be a number in range [0, 1]
torch.nn. | RNN | nonlinearity@9 | tanh relu | Unknown nonlinearity
torch.nn. | Embedding | num_embeddings@0 | [0, inf) | Trying to create tensor with negative dimension
torch.nn. | Embedding | embedding_dim@1 | [0, inf) | Trying to create tensor with negative dimension
torch.nn. | Linear | in_features@0 | [0, inf) | Trying to create tensor with negative dimension
torch.nn. | Linear | out_features@1 | [0, inf) | Trying to create tensor with negative dimension
torch.nn. | Conv1d Conv2d Conv3d | groups@6 | (0, inf) | {} must be a positive integer
torch.nn. | Conv1d Conv2d Conv3d | padding@4 | same valid | Invalid padding string
torch.nn. | Conv1d Conv2d Conv3d | padding_mode@8 | zeros reflect replicate circular | {} must be one of
torch.nn. | Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout | p@0 | [0, 1] | dropout probability has to be between 0 and 1
torch.nn.functional. | dropout dropout1d dropout2d dropout3d alpha_dropout | p@1 | [0, 1] | dropout probability has to be between 0 and 1
torch.nn. | TripletMarginLoss | margin@0 | (0, inf) | expected margin to be greater than 0
torch.nn.functional. | triplet_margin_loss | margin@3 | (0, inf) | margin must be greater than 0
torch.nn.functional. | smooth_l1_loss | beta@5 | [0, inf) | does not support negative values for beta
torch.nn.functional. | huber_loss | delta@3 | (0, inf) | does not support non-positive values for delta
torch.nn.functional. | cross_entropy | reduction@6 | none mean sum | is not a valid value for reduction
torch.nn.functional. | mse_loss l1_loss | reduction@4 | none mean sum | is not a valid value for reduction
torch.nn.functional. | nll_loss | reduction@6 | none mean sum | is not a valid value for reduction
torch.nn.functional. | kl_div | reduction@4 | none mean sum batchmean | is not a valid value for reduction
torch.optim. | RMSprop | alpha@2 | [0, inf) | Invalid alpha value
torch.optim.lr_scheduler. | OneCycleLR | total_steps@2 | int (0, inf) | Expected positive integer {}
torch.optim.lr_scheduler. | OneCycleLR | epochs@3 | int (0, inf) | Expected positive integer {}
torch.optim.lr_scheduler. | OneCycleLR | steps_per_epoch@4 | int (0, inf) | Expected positive integer {}
torch.optim.lr_scheduler. | OneCycleLR | pct_start@5 | [0, 1] | Expected float between 0 and 1 {}
torch.optim.lr_scheduler. | OneCycleLR | anneal_strategy@6 | cos linear | {} must be one of 'cos' or 'linear'
torch.optim.lr_scheduler. | CosineAnnealingWarmRestarts | T_0@1 | int (0, inf) | Expected positive integer {}
torch.optim.lr_scheduler. | CosineAnnealingWarmRestarts | T_mult@2 | int [1, inf) | Expected integer {} >= 1
torch.optim.lr_scheduler. | LinearLR | start_factor@1 | (0, 1] | Starting multiplicative factor
torch.optim.lr_scheduler. | LinearLR | end_factor@2 | [0, 1] | Ending multiplicative factor
torch.optim.lr_scheduler. | ConstantLR | factor@1 | [0, 1] | Constant multiplicative factor
torch.optim.lr_scheduler. | ReduceLROnPlateau | factor@2 | (-inf, 1) | Factor should be < 1.0.
torch.optim.lr_scheduler. | ReduceLROnPlateau | mode@1 | min max | mode is unknown!
torch.optim.lr_scheduler. | ReduceLROnPlateau | threshold_mode@5 | rel abs | threshold mode is unknown!
optax. optax.schedules. | cosine_decay_schedule | decay_steps@1 | (0, inf) | The cosine_decay_schedule requires positive decay_steps
optax. optax.schedules. | linear_onecycle_schedule cosine_onecycle_schedule | transition_steps@0 | (0, inf) | onecycle schedule was set with a non-positive {}
keras.optimizers.schedules. | ExponentialDecay InverseTimeDecay PolynomialDecay CosineDecay | decay_steps@1 | (0, inf) | Argument {} must be > 0
keras.optimizers.schedules. | CosineDecayRestarts | first_decay_steps@1 | (0, inf) | Argument {} must be > 0
torch.distributions. | Normal Laplace LogNormal Cauchy Gumbel | scale@1 | (0, inf) | Expected parameter {}
torch.distributions. | HalfNormal HalfCauchy | scale@0 | (0, inf) | Expected parameter {}
torch.distributions. | StudentT | df@0 | (0, inf) | Expected parameter {}
torch.distributions. | StudentT | scale@2 | (0, inf) | Expected parameter {}
torch.distributions. | Beta | concentration1@0 | (0, inf) | Expected parameter concentration
torch.distributions. | Beta | concentration0@1 | (0, inf) | Expected parameter concentration
torch.distributions. | Gamma | concentration@0 | (0, inf) | Expected parameter {}
torch.distributions. | Gamma | rate@1 | (0, inf) | Expected parameter {}
torch.distributions. | Exponential | rate@0 | (0, inf) | Expected parameter {}
torch.distributions. | Poisson | rate@0 | [0, inf) | Expected parameter {}
torch.distributions. | Bernoulli | probs@0 | [0, 1] | Expected parameter {}
torch.distributions. | Geometric | probs@0 | (0, 1] | Expected parameter {}
torch.distributions. | Binomial | probs@1 | [0, 1] | Expected parameter {}
torch. | randperm | n@0 | [0, inf) | Trying to create tensor with negative dimension
torch. | eye | n@0 | [0, inf) | n must be greater or equal to 0
torch. | linspace logspace | steps@2 | [0, inf) | number of steps must be non-negative
torch. | normal | std@1 | [0, inf) | normal expects std >= 0.0
torch. | multinomial | num_samples@1 | (0, inf) | cannot sample n_sample <= 0 samples
torch. | histc | bins@1 | (0, inf) | bins must be > 0
torch. | chunk | chunks@1 | (0, inf) | chunk expects `chunks` to be greater than 0
numpy.random. Generator. RandomState. | normal lognormal | scale@1 sigma@1 | [0, inf) | {} < 0
numpy.random. Generator. RandomState. | exponential rayleigh | scale@0 | [0, inf) | {} < 0
numpy.random. Generator. RandomState. | poisson | lam@0 | [0, inf) | {} < 0 or {} is NaN
numpy.random. Generator. RandomState. | binomial | p@1 | [0, 1] | p < 0, p > 1 or p is NaN
numpy.random. Generator. RandomState. | binomial | n@0 | [0, inf) | n < 0
numpy.random. Generator. RandomState. | geometric | p@0 | (0, 1] | p <= 0, p > 1 or p contains NaNs
numpy.random. | seed RandomState | seed@0 | [0, 4294967295] | Seed must be between 0 and 2**32 - 1
numpy. | histogram histogram_bin_edges | bins@1 | int (0, inf) | `bins` must be positive, when an integer
numpy. | diff | n@1 | [0, inf) | order must be non-negative
numpy. | repeat | repeats@1 | [0, inf) | negative dimensions are not allowed
numpy. | polyfit | deg@2 | [0, inf) | expected deg >= 0
numpy.fft. | fft ifft rfft irfft hfft | n@1 | (0, inf) | Invalid number of FFT data points
numpy. | searchsorted | side@2 | left right | search side must be 'left' or 'right'
numpy. | meshgrid | indexing@99 | xy ij | Valid values for `indexing` are 'xy' and 'ij'.
torch.fft. | fft ifft rfft irfft hfft ihfft | n@1 | (0, inf) | Invalid number of data points
torch.fft. | fft ifft rfft irfft | norm@3 | forward backward ortho | Invalid normalization mode
"""  # noqa: E501


def _asked(model: Model, asked: Iterable[tuple[str, int]], refuses: Refusal, message: str) -> Model:
    parameters = tuple(asked)

    def run(interpreter: Interpreter, call: Call) -> Value:
        for name, position in parameters:
            value = call.given(position, name)
            if value is not None and refuses(value):
                raise Raised("value", message.replace("{}", name), value)
        return model(interpreter, call)

    return MODELS.numbers(run) if model in MODELS.numeric else run


def _unknown(_: Interpreter, call: Call) -> Value:
    return call.unknown()


def _register(row: str) -> None:
    around, names, parameters, written, message = (part.strip() for part in row.split("|"))
    asked = [
        (name, int(position))
        for name, _, position in (word.partition("@") for word in parameters.split())
    ]
    refuses = in_range(written)
    for prefix in around.split():
        for name in names.split():
            if prefix[:1].isupper():
                method = MODELS.methods.get((prefix[:-1], name), _unknown)
                MODELS.methods[prefix[:-1], name] = _asked(method, asked, refuses, message)
                continue
            default = make_object if name[:1].isupper() else _unknown
            model = MODELS.functions.get(prefix + name, default)
            checked = _asked(model, asked, refuses, message)
            # Layers are found by the last part of their names, too (``torch.nn.modules…``).
            short = "torch." + name
            if prefix == "torch.nn." and MODELS.functions.get(short) is model:
                MODELS.functions[short] = checked
            MODELS.functions[prefix + name] = checked


for _row in ROWS.strip().splitlines():
    _register(_row)
