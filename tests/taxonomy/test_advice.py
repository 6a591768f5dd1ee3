"""What is said about a failure: common errors by their messages, and nothing of other libraries."""

# ruff: noqa: E501  (one row a message: a table is read across)

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.categories import Category, ConditionalAdvice, categories, common_errors
from dl_bug_lsp.taxonomy.classify import classify, is_doubted
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Frame, Relation

SPAN = Span(1, 1)
PATTERNS = (
    *("text", "but", "inside", "outside", "has", "lacks"),
    *("before", "after", "program", "nowhere", "key", "message"),
)
TORCH = "/opt/lib/python3.11/site-packages/torch/nn/functional.py"
RECURRENT = "/opt/lib/python3.11/site-packages/torch/nn/modules/rnn.py"
TABLES = "/opt/lib/python3.11/site-packages/datasets/table.py"
KERAS = "/opt/lib/python3.11/site-packages/keras/src/losses/losses.py"
LIBRARY = re.compile(
    r"\b(?:torch|pytorch|tensorflow|keras|jax|xla|numpy|hf_|huggingface|nccl|gloo|deepspeed)\w*",
    re.IGNORECASE,
)


def failure(type_: str, message: str, file: str = "train.py", source: str | None = None) -> Failure:
    frames = (Frame("train.py", 3, "<module>"), Frame(file, 9, "call", source))
    cause = Cause(type_, message, frames, Relation.ROOT, SPAN)
    return Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, f"{type_}: {message}")


def said(type_: str, message: str, file: str = "train.py") -> tuple[str, ...]:
    one = failure(type_, message, file)
    return tuple(a.page for a in advice(one, classify(one)))


UNPADDED = (
    "Unable to create tensor, you should probably activate truncation and/or padding with "
    "'padding=True' 'truncation=True' to have batched tensors with the same length. Perhaps your "
    "features (`{}` in this case) have excessive nesting (inputs type `list` where type `int` is "
    "expected)."
)


@pytest.mark.parametrize(
    ("type_", "message", "file", "page"),
    [
        ("IndexError", "Target 255 is out of bounds.", TORCH, "CrossEntropyLoss"),
        ("tensorrt", "Internal Error (Assertion !mValueMapUndo failed. )", "train.py", "troubleshooting"),
        ("tensorrt", "API Usage Error (The engine plan file is not compatible with this version of TensorRT)", "train.py", "advanced"),
        ("program", "Could not load dynamic library 'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found", "train.py", "install/pip"),
        ("IndexError", "index out of range in self", TORCH, "Embedding"),
        ("ValueError", "Expected more than 1 value per channel when training, got input size torch.Size([1, 64])", TORCH, "data.html"),
        ("RuntimeError", "Trying to backward through the graph a second time (or directly access saved tensors)", TORCH, "detach"),
        ("RuntimeError", "input.size(-1) must be equal to input_size. Expected 8, got 4", TORCH, "LSTM"),
        ("RuntimeError", "expected scalar type Long but found Float", TORCH, "CrossEntropyLoss"),
        ("ValueError", "Classification metrics can't handle a mix of multilabel-indicator and continuous-multioutput targets", "train.py", "model_evaluation"),
        ("ValueError", "Classification metrics can't handle a mix of unknown and binary targets", "train.py", "type_of_target"),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x3 and 4x3)", "train.py", "torch.matmul"),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (6x20 and 120x4)", TORCH, "nn.Flatten"),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (6x20 and 64x4)", TORCH, "nn.Linear"),
        ("RuntimeError", "shape '[2, 8]' is invalid for input of size 48", "train.py", "Tensor.view"),
        ("RuntimeError", "shape '[2, 8]' is invalid for input of size 24", "train.py", "torch.reshape"),
        ("RuntimeError", "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0", TORCH, "register_buffer"),
        ("ValueError", "step must be greater than zero", "train.py", "torch.flip"),
        ("AttributeError", "partially initialized module 'cv2' has no attribute 'gapi_wip' (most likely due to a circular import)", "train.py", "opencv-python"),
        ("AttributeError", "'Dataset' object has no attribute 'items'", "train.py", "datasets/access"),
        ("ValueError", "Invalid pattern: '**' can only be an entire path component", "/opt/lib/python3.11/site-packages/fsspec/utils.py", "issues/6737"),
        ("ValueError", "BuilderConfig ParquetConfig(name='default') doesn't have a 'use_auth_token' key.", TABLES, "loading_methods"),
        ("ValueError", "BuilderConfig CsvConfig(name='default') doesn't have a 'colums' key.", TABLES, "loading_methods"),
        ("ValueError", "Predictions and/or references don't match the expected format.\nExpected format: {'predictions': Value(dtype='string')}", "train.py", "a_quick_tour"),
        ("RepositoryNotFoundError", "401 Client Error. (Request ID: Root=1)\nRepository Not Found for url: https://huggingface.co/api/models/a/b.\nInvalid username or password.", "/opt/lib/python3.11/site-packages/huggingface_hub/utils/_http.py", "quick-start"),
        ("ValueError", "Token runs not found in /home/a/.cache/huggingface/stored_tokens", "train.py", "quick-start"),
        ("HTTPError", "403 Client Error: Forbidden for url: https://www.kaggle.com/api/v1/competitions/data/download/abc", "train.py", "kaggle.com/docs/api"),
        ("Forbidden", "403 POST https://bigquery.googleapis.com/bigquery/v2/projects/open-data/jobs: Access Denied: User does not have bigquery.jobs.create permission in project open-data.", "train.py", "running-queries"),
        ("ModuleNotFoundError", "No module named 'torch._C'", "/opt/lib/python3.11/site-packages/torch/__init__.py", "get-started/locally"),
        ("RuntimeError", "File not found or corrupted.", "/opt/lib/python3.11/site-packages/torchvision/datasets/utils.py", "vision/stable/datasets"),
        ("pygame.error", "ALSA: Couldn't open audio device: No such file or directory", "train.py", "IPython.display"),
        ("WebDriverException", "Message: 'geckodriver' executable needs to be in PATH.", "train.py", "selenium_manager"),
        ("ResourceExhaustedError", "OOM when allocating tensor with shape[8,512,512,900] and type float on /job:localhost/device:GPU:0 by allocator GPU_0_bfc", KERAS, "guide/gpu"),
        ("CancelledError", "[_Derived_]RecvAsync is cancelled. [Op:__inference_train_function_9]", KERAS, "guide/gpu"),
        ("SyntaxError", "'return' outside function", "train.py", "the-return-statement"),
        ("SyntaxError", "'break' outside loop", "train.py", "the-break-statement"),
        ("SyntaxError", "expression cannot contain assignment, perhaps you meant \"==\"?", "train.py", "expressions.html#calls"),
        ("RecursionError", "maximum recursion depth exceeded while calling a Python object", "train.py", "RecursionError"),
        ("TypeError", "unsupported operand type(s) for +: 'method' and 'method'", "train.py", "defining-functions"),
        ("TypeError", "unsupported operand type(s) for *: 'dict' and 'int'", "train.py", "mapping-types-dict"),
        ("AttributeError", "'list' object has no attribute 'strip'", "train.py", "list-comprehensions"),
        ("ValueError", "probabilities do not sum to 1", "train.py", "Generator.choice"),
        ("TypeError", "unsupported operand type(s) for +: 'float' and 'NoneType'", "/opt/lib/python3.11/site-packages/numpy/core/_methods.py", "nansum"),
        ("ValueError", "Must pass 2-d input. shape=(2, 3, 4)", "train.py", "pandas.DataFrame"),
        ("pandas.errors.UndefinedVariableError", "name 'red' is not defined", "train.py", "DataFrame.query"),
        ("ImportError", "Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl.", "train.py", "getting_started/install"),
        ("sqlite3.OperationalError", "table runs already exists", "train.py", "lang_createtable"),
        ("sqlite3.IntegrityError", "CHECK constraint failed: size", "train.py", "check-constraints"),
        ("ValueError", "The number of FixedLocator locations (5), usually from a call to set_ticks, does not match the number of labels (3).", "train.py", "set_xticks"),
        ("TypeError", "Argument 'string' has incorrect type (expected str, got Series)", "/opt/lib/python3.11/site-packages/spacy/language.py", "language#pipe"),
        ("RuntimeError", "mat1 and mat2 must have the same dtype, but got Double and Float", TORCH, "from_numpy"),
        ("ValueError", "Tried to step 102 times. The total number of steps is 100", TORCH, "OneCycleLR"),
        ("ValueError", "Shapes (None, 1) and (None, 10) are incompatible", KERAS, "losses"),
        ("RuntimeError", "stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1", TORCH, "pad_sequence"),
        ("RuntimeError", "stack expects each tensor to be equal size, but got [3, 32, 32] at entry 0 and [1, 32, 32] at entry 8", TORCH, "concepts.html#modes"),
        ("RuntimeError", "stack expects each tensor to be equal size, but got [3, 32, 30] at entry 0 and [1, 32, 32] at entry 8", TORCH, "pad_sequence"),
        ("KeyError", "'Net is not in the models registry'", "builder.py", "registry"),
        ("RuntimeError", "Expected hidden size (2, 16, 128), got [2, 64, 128]", "/opt/lib/python3.11/site-packages/torch/nn/parallel/data_parallel.py", "DataParallel"),
        ("RuntimeError", "Found dtype Long but expected Float", TORCH, "BCEWithLogitsLoss"),
        ("RuntimeError", "Function AddmmBackward0 returned an invalid gradient at index 1 - expected device cpu but got cuda:0", TORCH, "cuda.html"),
        ("RuntimeError", "PytorchStreamReader failed locating file constants.pkl: file not found", TORCH, "torch.jit.load"),
        ("_pickle.UnpicklingError", "invalid load key, 'v'.", TORCH, "large-file-storage"),
        ("TypeError", "`model` must be a `LightningModule` or `torch._dynamo.OptimizedModule`, got `Net`", "train.py", "lightning_module"),
        ("ValueError", "The filepath provided must end in `.keras` (Keras model format). Received: filepath=best.h5", KERAS, "serialization_and_saving"),
        ("ValueError", "Failed to find data adapter that can handle input: <class '__main__.Batches'>, <class 'NoneType'>", KERAS, "python_utils"),
        ("ValueError", "Failed to find data adapter that can handle input: (<class 'list'> containing values of types {'(<class \\'list\\'>'})", KERAS, "model_training_apis"),
        ("ValueError", 'Input 0 of layer "lstm_1" is incompatible with the layer: expected ndim=3, found ndim=2. Full shape received: (None, 64)', KERAS, "layers/lstm"),
        ("ValueError", "Input contains NaN, infinity or a value too large for dtype('float32').", "train.py", "impute"),
        ("ValueError", "Memory growth cannot differ between GPU devices", "train.py", "guide/gpu"),
        ("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", "", TORCH, "elastic/run"),
        ("ValueError", "Input 0 of layer sequential is incompatible with the layer: expected min_ndim=4, found ndim=3. Full shape received: [None, 28, 28]", KERAS, "core_layers/input"),
        ("ValueError", "Unknown metric function: f1. Please ensure this object is passed to the `custom_objects` argument.", KERAS, "serialization"),
        ("RuntimeError", "Expected object of device type cuda but got device type cpu for argument #2 'mat2' in call to _th_mm", TORCH, "notes/cuda"),
        ("AttributeError", "'MSELoss' object has no attribute 'backward'", "train.py", "CrossEntropyLoss"),
        ("KeyError", "'qwen3'", "/opt/lib/python3.11/site-packages/transformers/models/auto/configuration_auto.py", "transformers/installation"),
        ("ValueError", "Must flatten tensors with uniform dtype but got torch.bfloat16 and torch.float32", TORCH, "fsdp"),
        ("ImportError", "/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not found", TORCH, "libstdc"),
        ("ValueError", "Arguments `target` and `output` must have the same rank (ndim). Received: target.shape=(32,), output.shape=(32, 3)", KERAS, "probabilistic_losses"),
        ("ValueError", UNPADDED.format("ner_tags"), "train.py", "main_classes/data_collator"),
        ("ValueError", UNPADDED.format("input_ids"), "train.py", "pad_truncation"),
        ("LookupError", "\n  Resource punkt not found.\n  Please use the NLTK Downloader to obtain the resource:", "train.py", "nltk"),
        ("OSError", "[E050] Can't find model 'en_core_web_sm'. It doesn't seem to be a Python package or a valid path", "train.py", "spacy"),
        ("ValueError", "Wrong number of items passed 3, placement implies 1", "train.py", "indexing"),
        ("ValueError", "I/O operation on closed file.", "train.py", "inputoutput"),
        ("IndexError", "list index out of range", "train.py", "IndexError"),
        ("IndexError", "index 7 is out of bounds for axis 0 with size 7", "train.py", "basics.indexing"),
        ("TypeError", "integer argument expected, got float", "train.py", "array"),
        ("ImportError", "C extension: pandas.compat._constants not built. If you want to import pandas from the source directory", "train.py", "pandas.pydata.org/docs/getting_started"),
        ("ValueError", "invalid literal for int() with base 10: '3.0'", "train.py", "#int"),
        ("cv2.error", "OpenCV(4.8.0) color.cpp:182: error: (-215:Assertion failed) !_src.empty() in function 'cvtColor'", "train.py", "imgcodecs"),
        ("ValueError", "Invalid parameter n_tree for estimator RandomForestClassifier(). Valid parameters are: []", "train.py", "compose"),
        ("FileExistsError", "[Errno 17] File exists: 'runs/1'", "train.py", "makedirs"),
        ("ModuleNotFoundError", "No module named 'sklearn'", "train.py", "scikit-learn.org"),
        ("ModuleNotFoundError", "No module named 'helpers'", "train.py", "module-search-path"),
        ("AttributeError", "module 'utils' has no attribute 'Meter'", "train.py", "module-search-path"),
        ("ImportError", "dlopen(/opt/env/lib/a.dylib, 6): Library not loaded: @rpath/libb.5.dylib Reason: image not found", "train.py", "developer.apple.com"),
        ("NameError", "name 'np' is not defined", "train.py", "modules.html"),
        ("NameError", "name '__file__' is not defined", "train.py", "Path.cwd"),
        ("NameError", "name 'spark' is not defined", "train.py", "spark.apache.org"),
        ("IndentationError", "expected an indented block", "train.py", "syntax-errors"),
        ("IndentationError", "unexpected indent", "train.py", "indentation"),
        ("IndentationError", "unindent does not match any outer indentation level", "train.py", "indentation"),
        ("json.decoder.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)", "train.py", "json"),
        ("httpx.ReadTimeout", "timed out", "train.py", "timeouts"),
        ("OSError", "Not a gzipped file (b'PK')", "train.py", "gzip"),
        ("RuntimeError", "asyncio.run() cannot be called from a running event loop", "train.py", "autoawait"),
        ("sqlite3.OperationalError", "no such table: runs", "train.py", "sqlite3"),
        ("psycopg2.errors.UndefinedTable", 'relation "lab.runs" does not exist', "train.py", "postgresql"),
        ("ValueError", "If using all scalar values, you must pass an index", "train.py", "pandas.DataFrame"),
        ("numpy.linalg.LinAlgError", "Singular matrix", "train.py", "lstsq"),
        ("TypeError", "Can't instantiate abstract class Net with abstract method forward", "train.py", "abc"),
        ("AttributeError", "can't set attribute", "train.py", "namedtuple"),
        ("AttributeError", "The '.style' accessor requires jinja2", "train.py", "style"),
        ("ValueError", "Could not interpret input 'Age '", "train.py", "seaborn"),
        ("TypeError", "Data source must be a DataFrame or Mapping, not <class 'list'>.", "train.py", "data_structure"),
        ("AttributeError", "Can only use .cat accessor with a 'category' dtype", "train.py", "categorical"),
        ("AttributeError", "Can only use .dt accessor with datetimelike values", "train.py", "timeseries"),
        ("TypeError", "bad operand type for unary -: 'list'", "train.py", "absolute_beginners"),
        ("ValueError", "Dimensions must be equal, but are 4 and 9 for '{{node mean_squared_error/SquaredDifference}} = SquaredDifference[T=DT_FLOAT](a, b)' with input shapes: [?,4], [?,9].", KERAS, "losses"),
        ("ValueError", "Shape must be rank 0 but is rank 1 for '{{node ArgMax}} = ArgMax[T=DT_FLOAT](a, b)'", KERAS, "guide/tensor"),
        ("ValueError", "Shape must be rank 1 but is rank 2 for 'strided_slice_1' (op: 'StridedSlice')", KERAS, "tf/gather"),
        ("PerfectSeparationError", "Perfect separation detected, results not available", "train.py", "statsmodels"),
        ("NotImplementedError", "Conversion rules for `rpy2.robjects` appear to be missing.", "train.py", "rpy2"),
        ("DisambiguationError", '"Reed" may refer to: Reed (plant) Reed (town)', "train.py", "wikipedia"),
        ("ExceptionInRunner", "The runner thread which was running the jobs raised an exeception.", "train.py", "ragas"),
        ("Py4JJavaError", "An error occurred while calling o5.count. : java.lang.IllegalArgumentException at org.apache.xbean.asm5.ClassReader.<init>", "train.py", "spark"),
        ("RuntimeError", "Some tensors share memory, this will lead to duplicate memory on disk", "/opt/lib/python3.11/site-packages/transformers/trainer.py", "main_classes/trainer"),
        ("TypeError", "getattr expected at least 2 arguments, got 1", "train.py", "library/functions"),
        ("FileNotFoundError", r"File b'D:\\Data\x0cashion.csv' does not exist", "train.py", "escape-sequences"),
        ("TypeError", "'tuple' object does not support item assignment", "train.py", "tuples"),
        ("TypeError", "'numpy.float64' object cannot be interpreted as an integer", "train.py", "numeric-types"),
        ("TypeError", "unhashable type: 'slice'", "train.py", "indexing"),
        ("KeyError", "\"['atemp'] not found in axis\"", "train.py", "DataFrame.drop"),
        ("RuntimeError", "Input type (unsigned char) and bias type (float) should be the same", TORCH, "transforms"),
        ("TypeError", "list indices must be integers or slices, not tuple", "train.py", "basics.indexing"),
        ("AttributeError", "'dict' object has no attribute 'iteritems'", "train.py", "whatsnew"),
        ("_tkinter.TclError", "no display name and no $DISPLAY environment variable", "train.py", "backends"),
    ],
)  # fmt: skip
def test_common_errors(type_: str, message: str, file: str, page: str) -> None:
    assert any(page in shown for shown in said(type_, message, file)[:2])


@pytest.mark.parametrize(
    ("type_", "message", "file", "word"),
    [
        ("PanicException", "AddedVocabulary bad split", "train.py", "load_dataset"),
        ("ValueError", "Only instances of `keras.Layer` can be added to a Sequential model. Received: <tensorflow_hub.keras_layer.KerasLayer object at 0x7f> (of type <class 'x'>)", KERAS, "brackets"),
        ("RuntimeError", "Function AddmmBackward0 returned an invalid gradient at index 1 - expected device cpu but got cuda:0", TORCH, "forward's arguments"),
        ("ValueError", "Memory growth cannot differ between GPU devices", "train.py", "after they were used"),
        ("ValueError", "Input contains NaN, infinity or a value too large for dtype('float32').", "train.py", "A feature is infinite"),
        ("RuntimeError", "The expanded size of the tensor (600) must match the existing size (512) at non-singleton dimension 1.  Target sizes: [8, 600].  Tensor sizes: [1, 512]", "train.py", "predictions"),
        ("ValueError", "indices[0] = 0 is not in [0, 0)", KERAS, "input_dim"),
        ("ValueError", UNPADDED.format("labels"), "train.py", "padding=True"),
        ("flax.errors.InvalidRngError", 'None needs PRNG for "latent"', "train.py", "given none"),
        ("LookupError", "\n  Resource punkt not found.\n  Please use the NLTK Downloader to obtain the resource:", "train.py", "project's root"),
        ("TypeError", "getattr expected at least 2 arguments, got 1", "train.py", "allowed range"),
        ("IndexError", "list assignment index out of range", "train.py", "shorter than the index"),
        ("ValueError", "could not broadcast input array from shape (3) into shape (2)", "train.py", "not below the number"),
        ("RuntimeError", "Expected hidden[0] size (2, 8, 16), got [8, 16]", RECURRENT, "batch_first"),
        ("RuntimeError", "Expected hidden[0] size (2, 8, 16), got [2, 4, 16]", RECURRENT, "pair"),
        ("ValueError", "Classification metrics can't handle a mix of multilabel-indicator and multiclass targets", "train.py", "y_pred.argmax"),
        ("ValueError", "Classification metrics can't handle a mix of multiclass and continuous-multioutput targets", "train.py", "y_true.argmax"),
        ("ValueError", "Classification metrics can't handle a mix of continuous-multioutput and binary targets", "train.py", "argmax"),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x3 and 4x3)", "train.py", "in_features"),
        ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (6x20 and 64x4)", TORCH, "unsqueeze"),
        ("RuntimeError", "shape '[2, 8]' is invalid for input of size 48", "train.py", "reshape(x.size(0), -1)"),
        ("RuntimeError", "shape '[2, 8]' is invalid for input of size 24", "train.py", "come in"),
        ("ValueError", "Unknown initializer: my_init", "train.py", "saved"),
        ("KeyError", "'red'", "train.py", "query"),
        ("AssertionError", "", "train.py", "assert False"),
        ("TypeError", "Argument 'string' has incorrect type (expected str, got list)", "train.py", "spaCy"),
    ],
)  # fmt: skip
def test_common_errors_of_other_causes(type_: str, message: str, file: str, word: str) -> None:
    one = failure(type_, message, file)
    assert word not in " ".join(f"{a.cause} {a.fix}" for a in advice(one, classify(one)))


def test_what_the_message_says_is_known_of_an_unsure_kind() -> None:
    one = failure("RuntimeError", "Distributed package doesn't have NCCL built in")
    unsure = CategoryVerdict("not_implemented", "", 0.3, "", "text")
    assert [("gloo" in a.fix) for a in advice(one, unsure)] == [True]
    assert advice(failure("RuntimeError", "it does not work"), unsure) == ()


EMPTY = "stack expects each tensor to be equal size, but got [0] at entry 0 and [400] at entry 1"
UNEVEN = (
    "stack expects each tensor to be equal size, but got [48, 5] at entry 0 and [29, 5] at entry 12"
)


def test_an_item_without_elements_is_not_to_be_padded() -> None:
    one = failure("RuntimeError", EMPTY, TORCH)
    fixes = " ".join(a.fix for a in advice(one, classify(one)))
    assert "pad_sequence" not in fixes
    assert "empty" in fixes


@pytest.mark.parametrize(
    ("reasons", "pads"),
    [
        ("", True),
        ("the last items that ` ` counts are shorter: ` ` ends behind ` `", False),
        ("column ` `: 59930 is far from all others, which lie between 5391 and 7095", False),
    ],
)
def test_what_the_first_reason_rules_out_is_no_advice(reasons: str, pads: bool) -> None:
    one = failure("RuntimeError", UNEVEN, TORCH)
    fixes = " ".join(a.fix for a in advice(one, classify(one), reasons=reasons))
    assert ("pad" in fixes.lower()) == pads


def test_a_learning_rate_does_not_make_the_first_loss_nan() -> None:
    late = failure("RuntimeError", "loss is nan in epoch 3, stopping")
    first = failure("RuntimeError", "loss is nan in batch 0, stopping")
    causes = [" ".join(a.cause for a in advice(one, classify(one))) for one in (late, first)]
    assert "learning rate" in causes[0]
    assert "learning rate" not in causes[1]


def test_a_name_that_the_program_defines_is_not_missing_from_a_version() -> None:
    one = failure("AttributeError", "'DataFrame' object has no attribute 'get_parameters'")
    verdict = classify(one)
    causes = " ".join(a.cause for a in advice(one, verdict, is_defined=True))
    assert "another class" in causes
    assert "version" not in causes
    assert "version" in " ".join(a.cause for a in advice(one, verdict))


def test_another_library_is_not_spoken_of() -> None:
    oom = failure(
        "jaxlib.xla_extension.XlaRuntimeError",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 3743729664 bytes.",
        "/opt/lib/python3.11/site-packages/jax/_src/api.py",
    )
    words = " ".join(f"{a.cause} {a.fix}" for a in advice(oom, classify(oom)))
    assert "torch" not in words.lower()
    assert "tensorflow" not in words.lower()
    assert "XLA_PYTHON_CLIENT" in words


@pytest.mark.parametrize("row", categories(), ids=lambda row: str(row.id))
def test_general_advice_names_no_library(row: Category) -> None:
    """What is said of every failure of a kind can not be about one framework."""
    said_always = [a for a in row.advice if not a.when and not a.only]
    assert said_always
    found = [
        m[0] for a in said_always for m in LIBRARY.finditer(f"{a.advice.cause} {a.advice.fix}")
    ]
    assert found == []


@pytest.mark.parametrize("row", categories(), ids=lambda row: str(row.id))
def test_what_no_message_states_is_worded_as_possible(row: Category) -> None:
    general = [a.advice.cause for a in row.advice if not a.when and row.id != "unclassified"]
    assert [cause for cause in general if not re.search(r"\b(?:may|If)\b", cause)] == []


def test_guesses_need_evidence() -> None:
    """What neither the message nor the category shows is said where the first place speaks of it."""
    verdict = CategoryVerdict("null_reference", "", 0.9, "", "x")
    one = failure("AttributeError", "'NoneType' object has no attribute 'shape'")
    guess = "A function may have a path that returns nothing."
    assert guess not in [a.cause for a in advice(one, verdict)]
    backed = advice(one, verdict, reasons="`load` ends without a return, so that None is returned")
    assert backed[0].cause == guess


def test_words_alone_must_be_sure() -> None:
    one = failure("CustomError", "the name of the file was not found there")
    by_words = CategoryVerdict("path_not_found", "", 0.6, "", "text")
    assert advice(one, by_words) == ()
    assert advice(one, CategoryVerdict("path_not_found", "", 0.6, "", "environment.path"))


@pytest.mark.parametrize("row", categories(), ids=lambda row: str(row.id))
def test_few_things_are_said_of_every_failure_of_a_kind(row: Category) -> None:
    """Advice without a condition is a check; a list of guesses is not."""
    always = [a for a in row.advice if not a.when and not a.only and not a.backed]
    most = 3 if row.dimension == "silent" or row.id == "loss_nan" else 2
    assert len(always) <= most or row.id == "loss_stagnation"


@pytest.mark.parametrize(
    ("category", "type_", "message", "unsaid"),
    [
        ("gpu_out_of_memory", "OutOfMemoryError", "CUDA out of memory. Of the allocated memory 9.1 GiB. Including non-PyTorch memory, this process has 23.6 GiB memory in use.", "process"),
        ("gpu_out_of_memory", "XlaRuntimeError", "jax: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 21.9G of 7.4G", "preallocate"),
        ("attribute_not_found", "AttributeError", "module 'tensorflow' has no attribute 'ConfigProto'", "another type"),
        ("tensor_mismatch", "ValueError", "Expected more than 1 value per channel when training, got input size [1, 64]", "axes"),
        ("communication_failure", "SSLError", "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired", "answered"),
        ("path_not_found", "git", "Smudge error: Object does not exist on the server: [404]", "folder"),
        ("framework_api_misuse", "XlaRuntimeError", "Watchdog monitoring enqueued collectives", "metric"),
        ("type_mismatch", "TypeError", "'int' object is not callable", "column"),
        ("type_mismatch", "TypeError", "tensorflow: dtype float64 of the array is not float32", ".long()"),
        ("illegal_index", "InvalidArgumentError", "indices[0] = 0 is not in [0, 0)", "vocabulary"),
        ("library_not_found", "pip", "Failed building wheel for pkg", "not installed"),
        ("version_conflict", "ImportError", "numpy: this release needs a newer one", "numpy 2"),
        ("framework_api_misuse", "TypeError", "load() got an unexpected keyword argument 'weights_only'", "reads tensors only"),
        ("framework_api_misuse", "RuntimeError", "torch: FlashAttention only supports Ampere GPUs or newer.", "half precision"),
        ("tensor_mismatch", "InvalidArgumentError", "tensorflow: Graph execution error: Detected at node", "broadcast"),
        ("attribute_not_found", "AttributeError", "'tuple' object has no attribute 'shape' of the state_dict", "reset"),
        ("process_killed", "WorkerCrashedError", "A worker died. There are some potential root causes. (1) SIGKILL by OOM killer. (3) The worker is crashed due to SIGSEGV.", "crashed, or ended"),
        ("path_not_found", "AssertionError", "No labels in data/train.cache. See https://docs.site/train", "registry"),
        ("key_not_found", "KeyError", "Key 'period' not in 'ModelCheckpointConf'", "saved file"),
        ("tensor_mismatch", "ValueError", "Shape must be rank 0 but is rank 1 for '{{node Jpeg}} = DecodeJpeg[channels=3](Reader)'", "channels"),
        ("permission_denied", "HTTPError", "HTTP Error 403: The specified account is disabled.", "token"),
    ],
)  # fmt: skip
def test_situations_that_the_message_does_not_have_are_not_spoken_of(
    category: str, type_: str, message: str, unsaid: str
) -> None:
    verdict = CategoryVerdict(category, "", 0.9, "", "x")
    given = advice(failure(type_, message), verdict)
    assert given or category == "framework_api_misuse"
    assert unsaid not in " ".join(f"{a.cause} {a.fix}" for a in given).lower()


def test_numbers_are_spoken_of_where_there_are_some() -> None:
    verdict = CategoryVerdict("tensor_mismatch", "deep_learning_specific", 0.9, "", "x")
    assert "numbers of the message" not in str(advice(failure("E", "shapes differ"), verdict))
    layer = "in_features: got 3, expected 4"
    assert "numbers of the message" in str(advice(failure("E", layer), verdict))
    assert "layer" not in str(advice(failure("E", "tables of 3 and 4 rows"), verdict)).lower()


def test_short_words_are_not_looked_for_within_others() -> None:
    verdict = CategoryVerdict("loss_nan", "deep_learning_specific", 0.9, "", "x")
    assert "Half precision" not in str(advice(failure("E", "nan in a sample"), verdict))
    assert "Half precision" in str(advice(failure("E", "nan under amp"), verdict))


def test_phrases_begin_where_a_word_does() -> None:
    verdict = CategoryVerdict("loss_stagnation", "silent", 0.9, "", "x")
    assert "discriminator" not in str(advice(failure("E", "valid_loss: 3.1"), verdict)).lower()
    assert "discriminator" in str(advice(failure("E", "d_loss: 0.0"), verdict)).lower()
    assert "discriminator" in str(advice(failure("E", "said\\nd_loss: 0.0"), verdict)).lower()


def test_a_file_that_hides_a_library() -> None:
    frames = (Frame("/home/a/plotlib.py", 2, "<module>", source="import plotlib.axes as axes"),)
    cause = Cause("ImportError", "No module named axes", frames, Relation.ROOT, SPAN)
    hidden = Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, "")
    shown = [a.cause for a in advice(hidden, classify(hidden))]
    assert "imported in its place" in shown[0]
    assert not any("not be installed" in cause for cause in shown)


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("Expected hidden[0] size (2, 8, 16), got [8, 16]", "(h0, c0)"),
        ("Expected hidden[0] size (2, 8, 16), got [2, 4, 16]", "batch_first"),
        (
            "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors",
            "(h0, c0)",
        ),
    ],
)
def test_the_state_of_a_recurrent_layer(message: str, word: str) -> None:
    one = failure("RuntimeError", message, RECURRENT)
    assert word in advice(one, classify(one))[0].fix


@pytest.mark.parametrize(
    ("source", "is_known"),
    [
        ("assert False", True),
        ("    assert(False), 'stop'", True),
        ("assert 0", True),
        ("assert false_rate == 0", False),
        ("assert 0 < x", False),
    ],
)
def test_an_assertion_that_always_fails(source: str, is_known: bool) -> None:
    one = failure("AssertionError", "", source=source)
    assert ("assert False" in str(advice(one, classify(one)))) is is_known


@pytest.mark.parametrize(
    ("source", "file", "is_known"),
    [
        ("raise NoRoot()", "train.py", True),
        ("    raise errors.NoRoot", "train.py", True),
        ("raise error", "train.py", True),
        ("raise NoRoot()", TORCH, False),
        ("root(a)", "train.py", False),
    ],
)
def test_a_check_of_the_program_itself(source: str, file: str, is_known: bool) -> None:
    one = failure("NoRoot", "", file, source)
    given = advice(one, CategoryVerdict("unclassified", "unclassified", 0.0, "", "none"))
    assert ["raises this error itself" in row.cause for row in given] == [True] * is_known


@pytest.mark.parametrize(
    ("source", "is_known"),
    [
        ("df.total price", True),
        ("plot(df.year, df.price per unit)", True),
        ("x = a.b if c else d e", False),
        ("print('see df.total price' x)", False),
        ("python train.py fast", False),
    ],
)
def test_a_blank_in_the_name_of_a_column(source: str, is_known: bool) -> None:
    one = failure("SyntaxError", "invalid syntax", source=source)
    assert ("name of the column" in str(advice(one, classify(one)))) is is_known


def test_a_loaded_model_that_another_keras_saved() -> None:
    one = failure("ValueError", "Unknown initializer: HeNormal", KERAS, "m = load_model(path)")
    assert "tensorflow.keras" in advice(one, classify(one))[0].fix


def test_a_module_is_installed_for_the_kernel_of_a_notebook() -> None:
    cell = failure("ModuleNotFoundError", "No module named 'plotlib'", "/tmp/ipykernel_31/224.py")
    script = failure("ModuleNotFoundError", "No module named 'plotlib'")
    assert "%pip install" in advice(cell, classify(cell))[0].fix
    assert "%pip install" in advice(cell, classify(cell), is_of_order=False)[0].fix
    assert "which python" in advice(script, classify(script))[0].fix


@pytest.mark.parametrize(
    ("file", "module", "is_known"),
    [
        ("/home/a/Plots/lines.py", "Plots", True),
        ("/home/a/Plots/lines.py", "Plots.axes", False),
        ("/home/a/plots/lines.py", "lines", False),
        ("/opt/lib/python3.11/site-packages/plots/lines.py", "plots", False),
    ],
)
def test_a_module_that_is_the_folder_of_the_importing_file(
    file: str, module: str, is_known: bool
) -> None:
    one = failure("ModuleNotFoundError", f"No module named '{module}'", file)
    assert ("folder above that one" in str(advice(one, classify(one)))) is is_known


def test_a_name_that_the_file_sets_elsewhere() -> None:
    one = failure("NameError", "name 'rates' is not defined")
    given = advice(one, classify(one), is_defined=True)
    assert ["further down" in row.cause for row in given] == [True]
    cell = failure("NameError", "name 'rates' is not defined", "/tmp/ipykernel_31/224.py")
    assert "further down" not in str(advice(cell, classify(cell), is_defined=True))
    assert "further down" in str(advice(cell, classify(cell), is_defined=True, is_of_order=False))
    local = failure("UnboundLocalError", "local variable 'rates' referenced before assignment")
    assert "further down" not in str(advice(local, classify(local), is_defined=True))


def test_a_module_without_its_main_name_may_be_another_file() -> None:
    one = failure("AttributeError", "module 'plotlib' has no attribute 'Axes'")
    assert "hidden" in advice(one, classify(one))[0].fix


def test_a_missing_part_of_a_package_is_no_missing_package() -> None:
    whole = failure("ModuleNotFoundError", "No module named 'plotlib'")
    part = failure("ModuleNotFoundError", "No module named 'plotlib.axes'")
    assert "not be installed" in str(advice(whole, classify(whole)))
    assert "not be installed" not in str(advice(part, classify(part)))


def test_a_name_that_a_library_misses_is_not_misspelt() -> None:
    own = failure("NameError", "name 'step8' is not defined")
    library = failure("NameError", "name 'step8' is not defined", TORCH)
    assert "misspelt" in str(advice(own, classify(own)))
    assert "misspelt" not in str(advice(library, classify(library)))


@pytest.mark.parametrize(
    ("line", "word", "ruled_out"),
    [
        (
            "{'loss': 0.0, 'grad_norm': 0.0, 'reward_std': 0.0, 'kl': 0.0}",
            "completions",
            "saturated",
        ),
        (
            "{'loss': 0.69, 'grad_norm': 0.0, 'rewards/margins': 0.0, 'lr': 1e-5}",
            "policy",
            "detach",
        ),
        ("trainable params: 0 || all params: 37", "frozen", "saturated"),
        ("epoch 3 grad_norm 0.0", "saturated", "frozen"),
    ],
)
def test_a_gradient_of_zero(line: str, word: str, ruled_out: str) -> None:
    one = Failure(FailureKind.SILENT, (), 0, "metrics", SPAN, line)
    verdict = CategoryVerdict("dead_gradients", "silent", 0.9, line, "metrics.dead_gradients")
    causes = " ".join(a.cause for a in advice(one, verdict))
    assert word in causes
    assert ruled_out not in causes


def causes_of(type_: str, message: str, file: str) -> str:
    one = failure(type_, message, file)
    return " ".join(a.cause for a in advice(one, classify(one)))


def test_a_library_that_lacks_a_name_of_another_one() -> None:
    assert "versions" in causes_of("AttributeError", "Qwen2Tokenizer has no attribute x", TABLES)
    assert "misspelt" in causes_of("AttributeError", "Settings has no attribute x", "train.py")


@pytest.mark.parametrize(("number", "device"), [(31, False), (79, True)])
def test_entries_of_the_driver_that_programs_cause(number: int, device: bool) -> None:
    line = f"NVRM: Xid (PCI:0000:3b:00): {number}, pid=8, name=python3, Ch 00000008"
    one = Cause("kernel", line, (), Relation.ROOT, SPAN)
    spoken = Failure(FailureKind.MESSAGE, (one,), 0, "message", SPAN, line)
    causes = " ".join(a.cause for a in advice(spoken, classify(spoken)))
    assert ("defective" in causes, "fault of the program" in causes) == (device, not device)


def test_a_notebook_s_order_is_said_beside_what_is_said_always() -> None:
    one = failure("KeyError", "'label'", "/tmp/ipykernel_31/224.py")
    shown = [a.cause for a in advice(one, classify(one))]
    assert ["cells" in cause for cause in shown] == [True, False]


def test_an_assertion_that_demands_none_is_no_null_reference() -> None:
    for source, null in (("assert x is None", False), ("assert x is not None", True)):
        frame = Frame("train.py", 3, "<module>", source=source)
        cause = Cause("AssertionError", "", (frame,), Relation.ROOT, SPAN)
        one = Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, "AssertionError")
        assert (classify(one).id == "null_reference") is null


def test_keys_of_a_printed_dictionary_are_no_words() -> None:
    one = failure("AssertionError", "{'id': 7, 'status': 'OPEN', 'shape': (2, 3)}")
    assert classify(one).id != "tensor_mismatch"


@pytest.mark.parametrize("row", common_errors(), ids=lambda row: str(row.when[0]))
def test_rows_of_common_errors(row: ConditionalAdvice) -> None:
    phrases = (*row.when, *row.only)
    assert row.when
    assert [p for p in phrases if p != p.lower()] == []
    assert row.advice.page.startswith("https://")
    assert row.advice.cause.endswith(".")


@pytest.mark.parametrize(
    "row", [row for row in common_errors() if row.places], ids=lambda row: str(row.when[0])
)
def test_places_of_common_errors(row: ConditionalAdvice) -> None:
    for place in row.places:
        assert place.call or place.text or place.key
        assert 0 < place.share <= 1
        for name in PATTERNS:
            re.compile(getattr(place, name))
        if "<1>" in place.text:
            assert re.compile(place.message).groups == 1


@pytest.mark.parametrize(
    ("file", "table"),
    [
        ("categories", "category"),
        ("kinds", "kind"),
        ("common_errors", "error"),
        ("removed_names", "removed"),
    ],
)
def test_all_rows_stand_in_the_table_that_is_read(file: str, table: str) -> None:
    text = (files("dl_bug_lsp.taxonomy") / f"{file}.toml").read_text(encoding="utf-8")
    assert {name.partition(".")[0] for name in re.findall(r"^\[+([\w.]+)", text, re.M)} == {table}


def test_phrases_of_common_errors_stand_once() -> None:
    phrases = [phrase for row in common_errors() for phrase in row.when]
    assert [phrase for phrase in set(phrases) if phrases.count(phrase) > 1] == []


@pytest.mark.parametrize(
    ("type_", "message", "code", "written"),
    [
        ("AttributeError", "'DataFrame' object has no attribute 'append'", "df = df.append(row)", "pd.concat"),
        ("AttributeError", "'Series' object has no attribute 'iteritems'", "for k, v in s.iteritems():", ".items()"),
        ("AttributeError", "'DataFrame' object has no attribute 'applymap'", "df.applymap(str)", "df.map("),
        ("AttributeError", "module 'PIL.Image' has no attribute 'ANTIALIAS'", "im.resize(size, Image.ANTIALIAS)", "LANCZOS"),
        ("AttributeError", "'ImageDraw' object has no attribute 'textsize'", "draw.textsize(text)", "textbbox"),
        ("AttributeError", "'FreeTypeFont' object has no attribute 'getsize'", "font.getsize(text)", "getbbox"),
        ("AttributeError", "'_SingleProcessDataLoaderIter' object has no attribute 'next'", "batch = it.next()", "next(iterator)"),
        ("RuntimeError", "This function was deprecated since version 1.9 and is now removed. `torch.solve` is deprecated in favor of `torch.linalg.solve`.", "torch.solve(b, a)", "torch.linalg"),
        ("ModuleNotFoundError", "No module named 'torch._six'", "from torch._six import inf", "math.inf"),
        ("TypeError", "OneHotEncoder.__init__() got an unexpected keyword argument 'sparse'", "OneHotEncoder(sparse=False)", "sparse_output"),
        ("TypeError", "got an unexpected keyword argument 'squared'", "mean_squared_error(y, p, squared=False)", "root_mean_squared_error"),
        ("AttributeError", "'OneHotEncoder' object has no attribute 'get_feature_names'", "enc.get_feature_names()", "get_feature_names_out"),
        ("ImportError", "cannot import name 'plot_confusion_matrix' from 'sklearn.metrics' (/venv/sklearn/metrics/__init__.py)", "from sklearn.metrics import plot_confusion_matrix", "from_estimator"),
        ("ImportError", "cannot import name 'AdamW' from 'transformers' (/venv/transformers/__init__.py)", "from transformers import AdamW", "torch.optim"),
        ("ImportError", "cannot import name 'cached_download' from 'huggingface_hub' (/venv/huggingface_hub/__init__.py)", "from huggingface_hub import cached_download", "hf_hub_download"),
        ("AttributeError", "module 'jax' has no attribute 'tree_map'", "jax.tree_map(f, g)", "jax.tree.map"),
        ("ModuleNotFoundError", "No module named 'jax.config'", "from jax.config import config", "jax.config.update"),
        ("ImportError", "cannot import name 'optimizers' from 'jax.experimental' (/venv/jax/experimental/__init__.py)", "from jax.experimental import optimizers", "example_libraries"),
        ("AttributeError", "module 'scipy.misc' has no attribute 'imread'", "scipy.misc.imread(p)", "imageio"),
        ("AttributeError", "type object 'Trainer' has no attribute 'add_argparse_args'", "Trainer.add_argparse_args(parser)", "LightningCLI"),
        ("AttributeError", "'Trainer' object has no attribute 'training_type_plugin'", "trainer.training_type_plugin", "trainer.strategy"),
        ("AttributeError", "'Sequential' object has no attribute 'predict_classes'", "model.predict_classes(x)", "argmax"),
        ("AttributeError", "'Sequential' object has no attribute 'fit_generator'", "model.fit_generator(gen)", "`fit`"),
        ("AttributeError", "module 'tensorflow' has no attribute 'placeholder'", "tf.placeholder(tf.float32)", "tf.compat.v1"),
        ("AttributeError", "module 'tensorflow' has no attribute 'contrib'", "tf.contrib.slim", "tf_slim"),
        ("AttributeError", "'_RangeDataset' object has no attribute 'make_one_shot_iterator'", "it = ds.make_one_shot_iterator()", "iter(dataset)"),
        ("AttributeError", "'History' object has no attribute 'predict'", "history.predict(x)", "on the model"),
        ("AttributeError", "module 'time' has no attribute 'clock'", "t = time.clock()", "perf_counter"),
        ("ImportError", "cannot import name 'np_utils' from 'keras.utils' (/venv/keras/utils/__init__.py)", "from keras.utils import np_utils", "to_categorical"),
        ("ModuleNotFoundError", "No module named 'keras.preprocessing.text'", "from keras.preprocessing.text import Tokenizer", "TextVectorization"),
        ("ModuleNotFoundError", "No module named 'tensorflow.keras.utils.vis_utils'", "from tensorflow.keras.utils.vis_utils import plot_model", "plot_model"),
        ("AttributeError", "module 'tensorflow.keras.backend' has no attribute 'get_session'", "tf.keras.backend.get_session()", "tf.compat.v1"),
        ("TypeError", "field_validator() got an unexpected keyword argument 'pre'", "@field_validator('a', pre=True)", "mode="),
        ("ModuleNotFoundError", "No module named 'keras.layers.recurrent'", "from keras.layers.recurrent import LSTM", "from `keras.layers`"),
        ("ModuleNotFoundError", "No module named 'keras.wrappers.scikit_learn'", "from keras.wrappers.scikit_learn import KerasClassifier", "scikeras"),
        ("TypeError", "TensorFlowTrainer.fit() got an unexpected keyword argument 'workers'", "model.fit(x, y, workers=2)", "PyDataset"),
        ("TypeError", "TensorFlowTrainer.fit() got an unexpected keyword argument 'nb_epoch'", "model.fit(x, y, nb_epoch=2)", "epochs="),
        ("ModuleNotFoundError", "No module named 'tensorflow.examples'", "from tensorflow.examples.tutorials.mnist import input_data", "load_data"),
        ("TypeError", "Got an unexpected keyword argument 'keep_dims'", "tf.reduce_sum(x, keep_dims=True)", "keepdims="),
        ("AttributeError", "module 'tensorflow._api.v2.train' has no attribute 'AdamOptimizer'", "tf.train.AdamOptimizer()", "optimizers"),
        ("TypeError", "Accuracy.__new__() missing 1 required positional argument: 'task'", "torchmetrics.Accuracy()", "multiclass"),
        ("ImportError", "cannot import name 'load_metric' from 'datasets' (/venv/datasets/__init__.py)", "from datasets import load_metric", "evaluate.load"),
        ("ModuleNotFoundError", "No module named 'sklearn.ensemble.forest'", "from sklearn.ensemble.forest import RandomForestClassifier", "from sklearn.ensemble"),
        ("ImportError", "cannot import name 'Imputer' from 'sklearn.preprocessing' (/venv/sklearn/preprocessing/__init__.py)", "from sklearn.preprocessing import Imputer", "SimpleImputer"),
        ("TypeError", "read_csv() got an unexpected keyword argument 'error_bad_lines'", "pd.read_csv(p, error_bad_lines=False)", "on_bad_lines"),
        ("TypeError", "read_csv() got an unexpected keyword argument 'squeeze'", "pd.read_csv(p, squeeze=True)", "squeeze("),
        ("TypeError", "NDFrame.fillna() got an unexpected keyword argument 'method'", "df.fillna(method='ffill')", "ffill()"),
        ("TypeError", "DataFrame.drop() takes from 1 to 2 positional arguments but 3 were given", "df.drop('a', 1)", "columns="),
        ("TypeError", "load() missing 1 required positional argument: 'Loader'", "yaml.load(f)", "safe_load"),
        ("ImportError", "cannot import name 'simps' from 'scipy.integrate' (/venv/scipy/integrate/__init__.py)", "from scipy.integrate import simps", "simpson"),
        ("ImportError", "cannot import name 'triu' from 'scipy.linalg' (/venv/scipy/linalg/__init__.py)", "from scipy.linalg import triu", "np.triu"),
        ("ImportError", "cannot import name 'gaussian' from 'scipy.signal' (/venv/scipy/signal/__init__.py)", "from scipy.signal import gaussian", "signal.windows"),
        ("TypeError", "ReduceLROnPlateau.__init__() got an unexpected keyword argument 'verbose'", "ReduceLROnPlateau(opt, verbose=True)", "get_last_lr"),
        ("TypeError", "TrainingArguments.__init__() got an unexpected keyword argument 'no_cuda'", "TrainingArguments('out', no_cuda=True)", "use_cpu"),
        ("TypeError", "Trainer.__init__() got an unexpected keyword argument 'gpus'", "pl.Trainer(gpus=1)", "devices=n"),
        ("TypeError", "Trainer.__init__() got an unexpected keyword argument 'tpu_cores'", "pl.Trainer(tpu_cores=8)", "devices="),
        ("TypeError", "__init__() got an unexpected keyword argument 'progress_bar_refresh_rate'", "pl.Trainer(progress_bar_refresh_rate=20)", "TQDMProgressBar"),
        ("TypeError", "TrainingArguments.__init__() got an unexpected keyword argument 'evaluation_strategy'", "TrainingArguments('out', evaluation_strategy='epoch')", "eval_strategy"),
        ("TypeError", "AdaBoostClassifier.__init__() got an unexpected keyword argument 'base_estimator'", "AdaBoostClassifier(base_estimator=tree)", "estimator="),
        ("TypeError", "Client.__init__() got an unexpected keyword argument 'proxies'", "openai.OpenAI()", "httpx<0.28"),
        ("ImportError", "cannot import name 'AutoModelWithLMHead' from 'transformers' (/venv/transformers/__init__.py)", "from transformers import AutoModelWithLMHead", "AutoModelForCausalLM"),
        ("ImportError", "cannot import name 'TFAutoModel' from 'transformers' (/venv/transformers/__init__.py)", "from transformers import TFAutoModel", "without TF"),
        ("ModuleNotFoundError", "No module named 'transformers.modeling_bert'", "from transformers.modeling_bert import BertModel", "transformers.models.bert"),
        ("ModuleNotFoundError", "No module named 'jax.experimental.maps'", "from jax.experimental.maps import Mesh", "jax.sharding"),
        ("AttributeError", "module 'jax.random' has no attribute 'KeyArray'", "key: jax.random.KeyArray", "jax.Array"),
        ("ImportError", "cannot import name 'linear_util' from 'jax' (/venv/jax/__init__.py)", "from jax import linear_util", "jax.extend"),
    ],
)  # fmt: skip
def test_removed_names(type_: str, message: str, code: str, written: str) -> None:
    # Nearly all messages were printed by the libraries of fixtures/requirements.txt; paths and
    # long ends are shortened.
    one = failure(type_, message, source=code)
    given = advice(one, classify(one))
    assert written in given[0].fix
    assert len(given) == 1 or "misspelt" not in given[1].cause


def test_a_name_of_the_program_is_not_said_to_be_removed() -> None:
    one = failure("AttributeError", "'Batch' object has no attribute 'next'")
    assert [row for row in advice(one, classify(one)) if "removed or renamed" in row.cause] == []


def test_a_state_dict_that_lies_one_level_deeper_is_not_loaded_in_part() -> None:
    message = (
        "torch: Error(s) in loading state_dict for Net:\n"
        '\tMissing key(s) in state_dict: "stem.weight".\n'
        '\tUnexpected key(s) in state_dict: "model".'
    )
    one = failure("RuntimeError", message)
    given = " ".join(f"{a.cause} {a.fix}" for a in advice(one, classify(one)))
    assert "one level deeper" in given
    assert "strict=False" not in given


def test_what_the_evidence_rules_out_is_no_advice() -> None:
    one = failure("ValueError", "torch: optimizer got an empty parameter list")
    verdict = classify(one)
    assert "ModuleList" in str(advice(one, verdict))
    reasons = "`weights` can be iterated over once: line 44 uses it up"
    assert "ModuleList" not in str(advice(one, verdict, reasons=reasons))


def test_doubted_categories_get_what_the_message_itself_says_only() -> None:
    known = failure("IndexError", "Target 255 is out of bounds.", TORCH)
    vague = failure("RuntimeError", "the process was killed")
    verdict = CategoryVerdict("process_killed", "platform", 0.6, "killed", "platform.killed_word")
    assert advice(vague, verdict)
    assert advice(vague, verdict, is_doubted=True) == ()
    assert [a.page for a in advice(known, classify(known), is_doubted=True)] == list(
        said("IndexError", "Target 255 is out of bounds.", TORCH)
    )


FLAT = "The loss is flat at 2.3 in every epoch and does not go down at all."


@pytest.mark.parametrize(
    ("category", "confidence", "rule", "wanted"),
    [
        ("storage_exhausted", 0.6, "report.words", True),
        ("storage_exhausted", 0.9, "text", True),
        ("storage_exhausted", 0.95, "platform.disk", False),
        ("loss_stagnation", 0.6, "report.words", False),
        ("unclassified", 0.0, "none", False),
    ],
)
def test_words_of_a_whole_report_doubt_weak_categories(
    category: str, confidence: float, rule: str, wanted: bool
) -> None:
    assert is_doubted(CategoryVerdict(category, "platform", confidence, "", rule), FLAT) is wanted
    assert not is_doubted(CategoryVerdict(category, "platform", confidence, "", rule), FLAT * 200)
