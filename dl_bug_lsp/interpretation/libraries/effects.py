"""Functions of libraries that are called for their effect alone, and plots.

Sources: the references of Lightning, transformers, datasets, accelerate, Keras, TensorFlow, JAX,
absl, loguru, wandb and matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.python.files import note_written
from dl_bug_lsp.interpretation.model_helpers import nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, LibraryObject, Value, merged

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def some_number(call: Call, dtype: str = "float64", library: str = "numpy") -> Value:
    """Return one number of which no more than its dtype is known."""
    return Value(Array((), dtype, library), merged(*call.args) | {call.place})


def words(text: str) -> tuple[str, ...]:
    """Return names that are written with spaces between."""
    return tuple(text.split())


def below(package: str, names: str) -> list[str]:
    """Return dotted names below a package, written with spaces between."""
    return [f"{package}.{name}" for name in names.split()]


MODELS.function(
    *below("transformers", "set_seed enable_full_determinism trainer_utils.set_seed"),
    *below("transformers.logging", "set_verbosity set_verbosity_error set_verbosity_warning"),
    *below("transformers.logging", "set_verbosity_info disable_progress_bar enable_progress_bar"),
    *below("transformers.utils.logging", "set_verbosity set_verbosity_error set_verbosity_warning"),
    *below("transformers.utils.logging", "disable_progress_bar set_verbosity_info"),
    *below("datasets", "disable_progress_bar disable_progress_bars enable_progress_bars"),
    *below("datasets", "disable_caching enable_caching logging.set_verbosity_error"),
    *below("datasets.utils", "disable_progress_bar disable_progress_bars"),
    *below("datasets.utils.logging", "disable_progress_bar set_verbosity_error set_verbosity"),
    *below("accelerate.utils", "set_seed"),
    *below("keras", "backend.clear_session config.set_floatx utils.clear_session"),
    *below("keras", "config.disable_interactive_logging utils.disable_interactive_logging"),
    *below("keras", "utils.set_random_seed config.enable_unsafe_deserialization"),
    *below("keras", "mixed_precision.set_global_policy mixed_precision.set_dtype_policy"),
    *below("tensorflow.keras", "backend.clear_session utils.set_random_seed"),
    *below("tensorflow.random", "set_seed"),
    *below("tensorflow", "get_logger().setLevel config.run_functions_eagerly"),
    *below("tensorflow.config", "set_visible_devices threading.set_intra_op_parallelism_threads"),
    *below("tensorflow.config", "threading.set_inter_op_parallelism_threads"),
    *below("tensorflow.config", "experimental.enable_op_determinism"),
    *below("tensorflow.config", "experimental.set_memory_growth"),
    *below("jax", "config.update debug.print config.config.update"),
    *below("absl.logging", "info warning error debug set_verbosity log fatal vlog"),
    *below("loguru.logger", "debug info success warning error critical exception trace remove"),
    *below("loguru.logger", "log"),
    *below("wandb", "log finish save watch define_metric"),
    *below("mlflow", "log_param log_params log_metric log_metrics log_artifact set_tag set_tags"),
    *below("mlflow", "set_tracking_uri end_run autolog"),
    *below("rich", "print print_json"),
    *below("warnings", "resetwarnings"),
    *below("matplotlib", "use pyplot.show pyplot.close pyplot.savefig pyplot.tight_layout"),
    *below("matplotlib.pyplot", "pause draw clf cla ion ioff grid style.use rcParams.update"),
    *below("matplotlib.pyplot", "subplots_adjust axis margins set_cmap"),
    *below("seaborn", "set set_theme set_style set_palette set_context despine"),
    *below("IPython.display", "display clear_output"),
    *below("ray", "init shutdown"),
    *below("torch_geometric", "seed_everything"),
    *below("torch_geometric.seed", "seed_everything"),
    *below("monai.utils", "set_determinism"),
    *below("pandas", "set_option reset_option"),
)(nothing)


@MODELS.function(
    *below("lightning", "seed_everything fabric.seed_everything pytorch.seed_everything"),
    *below("pytorch_lightning", "seed_everything utilities.seed.seed_everything"),
)
def _seeded(_: Interpreter, call: Call) -> Value:
    seed = call.given(0, "seed")
    return seed if seed is not None and size(seed) is not None else some_number(call, "int64")


@MODELS.function("warnings.catch_warnings")
def _catching(_: Interpreter, call: Call) -> Value:
    return thing("warnings.Warnings", call)


@MODELS.function("loguru.logger.add")
def _sink(_: Interpreter, call: Call) -> Value:
    return some_number(call, "int64")


@MODELS.function("loguru.logger.bind", "loguru.logger.opt", "loguru.logger.patch")
def _loguru(_: Interpreter, call: Call) -> Value:
    return thing("logging.Logger", call)


@MODELS.method("Console", "print", "log", "rule", "print_json")
@MODELS.method("SummaryWriter", "add_scalar", "add_scalars", "add_histogram", "add_graph", "flush")
@MODELS.method("SummaryWriter", "add_image", "add_images", "add_text", "add_figure", "close")
@MODELS.method("SummaryWriter", "add_hparams", "add_embedding", "add_pr_curve")
def _shown(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


# Plots: figures, axes and what is drawn are objects without a value.


@MODELS.function("matplotlib.pyplot.subplots")
def _subplots(_: Interpreter, call: Call) -> Value:
    figure = Value(LibraryObject("matplotlib.Figure", (), {}, call.place))
    axes = Value(LibraryObject("matplotlib.Axes", (), {}, call.place))
    counts = [call.given(0, "nrows"), call.given(1, "ncols")]
    numbers = [1 if count is None else size(count) for count in counts]
    squeezed = call.keywords.get("squeeze")
    if squeezed is not None or None in numbers:
        axes = axes if squeezed is None else Value(UNKNOWN)
        known = None not in numbers and squeezed is not None and squeezed.data is False
        if known or None in numbers:
            shape = tuple(Value(UNKNOWN if n is None else n) for n in numbers)
            axes = Value(Array(shape, "object"))
    elif numbers != [1, 1]:
        shape = tuple(Value(n) for n in numbers if n != 1)
        axes = Value(Array(shape, "object"))
    return Value((figure, axes))


@MODELS.function("matplotlib.pyplot.figure", "matplotlib.pyplot.gcf")
def _figure(_: Interpreter, call: Call) -> Value:
    return Value(LibraryObject("matplotlib.Figure", (), {}, call.place))


@MODELS.function("matplotlib.pyplot.gca", "matplotlib.pyplot.subplot", "matplotlib.pyplot.axes")
@MODELS.method("Figure", "add_subplot", "gca", "add_axes")
def _axes(_: Interpreter, call: Call) -> Value:
    return Value(LibraryObject("matplotlib.Axes", (), {}, call.place))


_DRAWING = (
    "scatter bar barh hist imshow fill_between title xlabel ylabel legend text axhline axvline "
    "colorbar errorbar boxplot contour contourf pcolormesh annotate suptitle violinplot pie stem"
)
_DRAWING_OF_AXES = (
    "set_title set_xlabel set_ylabel axis set_axis_off set_xlim set_ylim twinx twiny matshow"
)


@MODELS.function(*below("matplotlib.pyplot", _DRAWING))
@MODELS.method("Axes", *_DRAWING.split(), *_DRAWING_OF_AXES.split())
@MODELS.method("Figure", "suptitle", "colorbar", "legend", "supxlabel", "supylabel")
def _drawn(_: Interpreter, call: Call) -> Value:
    return Value(LibraryObject("matplotlib.Artist", (), {}, call.place))


@MODELS.function("matplotlib.pyplot.plot")
@MODELS.method("Axes", "plot")
def _lines(_: Interpreter, call: Call) -> Value:
    line = Value(LibraryObject("matplotlib.Artist", (), {}, call.place))
    return Value([line]) if len(call.args) < 3 else call.unknown()


@MODELS.method("Axes", "grid", "set_aspect", "tick_params", "invert_yaxis", "set_xscale")
@MODELS.method("Axes", "set_yscale", "cla", "clear", "remove", "set_visible", "margins")
@MODELS.method(
    "Figure", "tight_layout", "show", "clear", "clf", "subplots_adjust", "set_size_inches"
)
def _styled(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


@MODELS.method("Figure", "savefig")
def _saved(interpreter: Interpreter, call: Call) -> Value:
    note_written(interpreter, call.given(0, "fname"))
    return Value(None)
