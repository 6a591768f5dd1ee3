"""Advice that asks for what message and stack show beside words."""

# ruff: noqa: E501  (one row a message: a table is read across)

from __future__ import annotations

import pytest

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Frame, Relation

SPAN = Span(1, 1)
CELL = "/tmp/ipykernel_7/12.py"
SITE = "/opt/lib/python3.11/site-packages/"
MODULE = "/home/a/job/load.py"
PANDAS = f"{SITE}pandas/io/common.py"
METRIC = f"{SITE}sklearn/metrics/_classification.py"
UTILS = f"{SITE}sklearn/utils/validation.py"
PIPELINE = f"{SITE}sklearn/pipeline.py"


def failure(type_: str, message: str, *frames: Frame) -> Failure:
    cause = Cause(type_, message, frames, Relation.ROOT, SPAN)
    return Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, f"{type_}: {message}")


def said(one: Failure) -> str:
    return " ".join(f"{a.cause} {a.fix} {a.page}" for a in advice(one, classify(one)))


NO_FILE = "[Errno 2] No such file or directory: "
UNEQUAL = "Found input variables with inconsistent numbers of samples: [60, 40]"
PRODUCT = "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x8)"


def line(source: str, file: str = "train.py", function: str = "<module>") -> Frame:
    return Frame(file, 3, function, source)


@pytest.mark.parametrize(
    ("type_", "message", "frame", "word", "unsaid"),
    [
        ("FileNotFoundError", f"{NO_FILE}'data/a.csv'", line("open(p)"), "os.getcwd()", "Kaggle"),
        ("FileNotFoundError", f"{NO_FILE}'/srv/a.csv'", line("open(p)"), "", "os.getcwd()"),
        ("FileNotFoundError", f"{NO_FILE}'C:\\\\a.csv'", line("open(p)"), "", "os.getcwd()"),
        ("FileNotFoundError", f"{NO_FILE}'tool'", line("raise x", "/usr/lib/python3.11/subprocess.py"), "", "os.getcwd"),
        ("FileNotFoundError", f"{NO_FILE}'rows'", line("pd.read_csv('rows')"), "without quotes", "the folder of its kernel"),
        ("FileNotFoundError", f"{NO_FILE}'../input/a.csv'", line("open(p)"), "Kaggle", "kernel"),
        ("FileNotFoundError", f"{NO_FILE}'/content/a.csv'", line("open(p)"), "Colab", "kernel"),
        ("FileNotFoundError", "File b'a.csv' does not exist", line("read(p)", PANDAS), "os.listdir()", "quotes"),
        ("TypeError", "scale() takes 0 positional arguments but 1 was given", line("scale(3)"), "without a parameter", "self"),
        ("TypeError", "scale() takes 0 positional arguments but 1 was given", line("net.scale()"), "self", "without a parameter"),
        ("ValueError", "invalid literal for int() with base 10: 'x'", line("n = int(input('n'))"), "what was typed", "header"),
        ("ValueError", "invalid literal for int() with base 10: 'x'", line("n = int(x)"), "header", "what was typed"),
        ("ValueError", "could not convert string to float: '2020-01-31'", line("m.fit(x, y)"), "to_datetime", "OneHotEncoder"),
        ("ValueError", "could not convert string to float: '14:05:09'", line("m.fit(x, y)"), "to_datetime", "OneHotEncoder"),
        ("ValueError", "could not convert string to float: 'red'", line("m.fit(x, y)"), "OneHotEncoder", "to_datetime"),
        ("RuntimeError", PRODUCT.format(12, 5, 10), line("F.linear(x)", f"{SITE}torch/nn/modules/linear.py"), "unsqueeze(0)", "in_features"),
        ("RuntimeError", PRODUCT.format(13, 5, 10), line("F.linear(x)", f"{SITE}torch/nn/modules/linear.py"), "in_features", "unsqueeze(0)"),
        ("RuntimeError", PRODUCT.format(3, 2, 3), line("a @ b"), "a @ b.T", "in_features"),
        ("RuntimeError", "size mismatch, m1: [40 x 4], m2: [16 x 2] at /pytorch/aten/src/TH.cpp:41", line("F.linear(x)", f"{SITE}torch/nn/functional.py"), "nn.Flatten", "in_features"),
        ("ValueError", "could not broadcast input array from shape (30,) into shape (10,)", line("out[:] = y"), "y[:, 0]", "pictures"),
        ("ValueError", "could not broadcast input array from shape (31,) into shape (10,)", line("out[:] = y"), "pictures", "y[:, 0]"),
        ("ValueError", "operands could not be broadcast together with shapes (6,) (5,)", line("a - b"), "different lengths", "keepdims"),
        ("ValueError", "operands could not be broadcast together with shapes (6,3) (5,)", line("a - b"), "keepdims", "different lengths"),
        ("AttributeError", "module 'plotlib._core' has no attribute 'new'", line("new = _core.new", f"{SITE}plotlib/core.py"), "two versions", "__version__"),
        ("AttributeError", "module 'plotlib' has no attribute 'new'", line("raise AttributeError(x)", f"{SITE}plotlib/__init__.py", "__getattr__"), "__version__", "two versions"),
        ("AttributeError", "module 'torch' has no attribute 'new'", line("torch.new", f"{SITE}plotlib/torch/core.py"), "__version__", "two versions"),
        ("ValueError", "operands could not be broadcast together with shapes (6,3) (5,) (6,3)", line("a += b"), "keepdims", "different lengths"),
        ("SyntaxError", "invalid syntax", line("kill 20852"), "command of the shell", "stands just before"),
        ("SyntaxError", "invalid syntax", line("cd = 4 5"), "stands just before", "command of the shell"),
        ("AssertionError", "", line("assert 0 < n"), "asks for", "fails always"),
        ("AssertionError", "no such kind", line("assert False, kind"), "fails always", "asks for"),
        ("AttributeError", "module 'torch._C' has no attribute '_cuda_setDevice'", line("torch._C._cuda_setDevice(i)", f"{SITE}torch/cuda/__init__.py"), "without CUDA", "two versions"),
        ("AttributeError", "'Ridge' object has no attribute 'coef_'", line("m.coef_"), "only after `fit`", "misspelt"),
        ("AttributeError", "'Ridge' object has no attribute 'coef'", line("m.coef"), "", "only after `fit`"),
        ("AttributeError", "'MLPRegressor' object has no attribute 'validation_scores_'", line("m.validation_scores_"), "early_stopping", "anew"),
        ("SyntaxError", "invalid syntax", line("a = [1, 2; 3, 4]"), "MATLAB", "the one before it"),
        ("SyntaxError", "invalid syntax", line("d.['a']"), "has to follow the dot", "MATLAB"),
        ("KeyError", "'c'", line("tags.remove('c')"), "discard", "spelling"),
        ("KeyError", "'c'", line("tags['c']"), "spelling", "discard"),
        ("StopIteration", "", line("x = next(rows)"), "no further item", ""),
        ("AssertionError", "", line("assert False"), "fails always", "asks for"),
        ("AssertionError", "size: 1", line("assert n > 2, n", MODULE), "asks for", "always"),
        ("AttributeError", "shape", line("raise AttributeError(name)", f"{SITE}PIL/Image.py"), "ToTensor", "misspelt"),
        ("ValueError", UNEQUAL, line("check(x)", UTILS), "train_test_split", "predict(X_test)"),
        ("_tkinter.TclError", "no display name and no $DISPLAY environment variable", line("self.tk = create()", "/usr/lib/python3.11/tkinter/__init__.py"), "xvfb-run", "Agg"),
        ("TypeError", "'numpy.int64' object is not iterable", line("df.applymap(min)"), "df.apply(min)", ""),
        ("OutOfMemoryError", "CUDA out of memory. Tried to allocate 9.00 GiB.", line("nested(x)", f"{SITE}transformers/trainer_pt_utils.py", "nested_concat"), "eval_accumulation_steps", "Lower the batch size"),
        ("OutOfMemoryError", "CUDA out of memory. Tried to allocate 9.00 GiB.", line("model(x)"), "Lower the batch size", "eval_accumulation_steps"),
        ("AttributeError", "'Adam' object has no attribute 'minimize'", line("opt.minimize(loss, weights)"), "apply_gradients", ""),
    ],
)  # fmt: skip
def test_what_the_stack_shows(
    type_: str, message: str, frame: Frame, word: str, unsaid: str
) -> None:
    text = said(failure(type_, message, frame))
    assert word in text
    assert not unsaid or unsaid not in text


def test_what_a_metric_compares() -> None:
    one = failure(
        "ValueError", UNEQUAL, line("m(y, p)"), line("check(y)", METRIC), line("c", UTILS)
    )
    assert "model.predict(X_test)" in said(one)
    assert "train_test_split" not in said(one)


def test_a_step_of_a_pipeline() -> None:
    message = "Input contains NaN, infinity or a value too large for dtype('float64')."
    fit, check = line("pipe.fit(x, y)"), line("check(x)", UTILS)
    assert "pipe[:-1]" in said(failure("ValueError", message, fit, line("fit()", PIPELINE), check))
    assert "pipe[:-1]" not in said(failure("ValueError", message, fit, check))


def test_names_of_a_file_that_a_notebook_calls() -> None:
    message = "name 'rows' is not defined"
    call, own = line("load()", CELL), line("rows.head()", MODULE)
    assert "importlib.reload" in said(failure("NameError", message, call, own))
    for alone in ((call,), (own,), (call, line("rows", f"{SITE}plotlib/a.py"))):
        assert "importlib.reload" not in said(failure("NameError", message, *alone))


def test_packages_are_installed_for_the_kernel() -> None:
    message = "No module named 'plotlib'"
    assert "%pip" in said(failure("ModuleNotFoundError", message, line("import plotlib", CELL)))
    assert "%pip" not in said(failure("ModuleNotFoundError", message, line("import plotlib")))


def test_matplotlib_opens_no_window_of_the_program() -> None:
    message = "no display name and no $DISPLAY environment variable"
    plot = line("manager()", f"{SITE}matplotlib/backends/_backend_tk.py")
    window = line("self.tk = create()", "/usr/lib/python3.11/tkinter/__init__.py")
    assert "Agg" in said(failure("_tkinter.TclError", message, plot, window))


@pytest.mark.parametrize(
    ("type_", "message", "source", "word"),
    [
        ("ZeroDivisionError", "division by zero", "mean = total / n", "if n:"),
        ("ValueError", "too few rows", "raise ValueError('too few rows')", "raises this error itself"),
    ],
)  # fmt: skip
def test_the_last_resort(type_: str, message: str, source: str, word: str) -> None:
    """Where the cause is known, nothing general is said; a kind of message may have a word of its own."""
    one = failure(type_, message, line(source))
    unsure = CategoryVerdict("unclassified", "", 0.3, "", "none")
    assert [word in f"{a.cause} {a.fix}" for a in advice(one, unsure)] == [True]
    assert advice(failure(type_, "it failed", line("run()")), unsure) == ()
