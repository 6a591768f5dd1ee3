"""A traceback reads the same whatever reports, chats and terminals put around its lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Failure, read_failures

TRACEBACK = """\
Traceback (most recent call last):
  File "train.py", line 31, in <module>
    main(cfg)
  File "/srv/net/model.py", line 12, in main
    return head(x, dim=-1)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x3 and 4x5)
"""
LINES = TRACEBACK.splitlines()


def primary(text: str) -> Failure:
    found = [f for f in read_failures(read_log(text)).failures if f.primary]
    assert len(found) == 1
    return found[0]


def told(text: str) -> tuple[object, ...]:
    """Return what must not depend on the form: exception, frames and their sources."""
    cause = primary(text).cause
    assert cause is not None
    places = [(f.file, f.line, f.function, f.source) for f in cause.frames]
    return cause.type, cause.message, places


EXPECTED = told(TRACEBACK)


def below(first: str, rest: str, end: str = "") -> str:
    return first + LINES[0] + "\n" + "".join(f"{rest}{line}\n" for line in LINES[1:]) + end


FORMS = {
    "list": below("4. see\n   - ", "     "),
    "list flush": below("- ", ""),
    "tag": below("<log>", " ", " </log>"),
    "tag closed on the line": below("<log>", "").rstrip() + "</log>\n",
    "quote": "".join(f"> {line}\n" for line in LINES),
    "quoted tag": below("> <pre>", "> "),
    "deeper than the header": below("", "    "),
    "frames deeper than header and exception": "\n".join(
        [LINES[0], *(f"    {line}" for line in LINES[1:-1]), LINES[-1]]
    ),
    "exception less deep than frames": "\n".join(
        [LINES[0], *(f"      {line}" for line in LINES[1:-1]), f"    {LINES[-1]}"]
    ),
    "bold exception": "\n".join([*LINES[:-1], f"**{LINES[-1]}**"]),
    "part of the exception in bold": "\n".join(
        [
            *LINES[:-1],
            LINES[-1].replace("RuntimeError: mat1 and mat2", "**RuntimeError: mat1 and mat2**"),
        ]
    ),
    "class in bold": "\n".join(
        [*LINES[:-1], LINES[-1].replace("RuntimeError", "**RuntimeError**")]
    ),
    "class as code with its colon": "\n".join(
        [*LINES[:-1], LINES[-1].replace("RuntimeError:", "`RuntimeError:`")]
    ),
    "class in a tag": "\n".join(
        [*LINES[:-1], LINES[-1].replace("RuntimeError:", "<b>RuntimeError:</b>")]
    ),
    "exception as code": "\n".join([*LINES[:-1], f"`{LINES[-1]}`"]),
    "quoted exception": "\n".join([*LINES[:-1], f"> {LINES[-1]}"]),
    "backtick around all": "it says `" + TRACEBACK.rstrip() + "`",
    "indentation lost": "\n".join(line.strip() for line in LINES),
    "times keep two spaces": "\n".join(f"18:46:44  {line.strip()}" for line in LINES),
    "wide colons": TRACEBACK.replace("last):", "last)：").replace("Error: ", "Error："),
    "curly quotes": TRACEBACK.replace('File "', "File “").replace('", line', "”, line"),
    "entities": TRACEBACK.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;"),
    "one line": TRACEBACK.replace("\n", " "),
    "behind a bar": "\n".join(
        [*LINES[:-1], "  3%|▎         | 3/100 [00:01<00:31,  3.1it/s]" + LINES[-1]]
    ),
    "double spaced": "\n\n".join(LINES),
    "double spaced, prose around": "It ends so:\n\n" + "\n\n".join(LINES) + "\n\nAny idea?\n",
    "double spaced quote": "\n>\n".join(f"> {line}" for line in LINES),
    "image build": "".join(f"3.18{n} {line}\n" for n, line in enumerate(LINES))
    + "------\nDockerfile:12\n",
    "image build with steps": "".join(f"#9 12.3{n} {line}\n" for n, line in enumerate(LINES))
    + '#9 ERROR: process "/bin/sh -c python train.py" did not complete successfully\n'
    + 'ERROR: failed to solve: process "/bin/sh -c python train.py"\n',
    "no blank before the module": TRACEBACK.replace("in <module>", "in<module>"),
    "notebook's JSON": '{"name": "RuntimeError",\n\t"message": "mat1",\n\t"stack": "'
    + TRACEBACK.rstrip().replace("\\", "\\\\").replace('"', '\\"')
    + '"\n}\n',
    "logfmt": 'time=10:00 level=error msg="step failed" exc="'
    + TRACEBACK.rstrip().replace('"', '\\"').replace("\n", "\\n")
    + '" step=812\n',
    "sacred": TRACEBACK.replace("call last", "calls WITHOUT Sacred internals"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    assert told(FORMS[form]) == EXPECTED


def test_a_cut_stack_gives_way_to_the_error_named_beside_it() -> None:
    cut = "\n".join(LINES[:-1])
    for before in (
        "# pkg.errors.SetupError: no loader\n\n",
        "RuntimeError: no loader\n",
        "Could not load native library: /a/libx.so: cannot open shared object file: no loader\n",
    ):
        cause = primary(before + cut).cause
        assert cause is not None
        assert "no loader" in cause.message
    alone = primary(cut).cause
    assert alone is not None
    assert (alone.type, len(alone.frames)) == ("", 2)


def test_a_chain_that_is_indented_throughout() -> None:
    text = (
        TRACEBACK
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + TRACEBACK.replace("RuntimeError: mat1", "pkg.LoadError: could not load: mat1")
    )
    for margin in ("", "    ", " " * 16):
        found = primary("".join(f"{margin}{line}\n" for line in text.splitlines()))
        assert [cause.class_name for cause in found.causes] == ["RuntimeError", "LoadError"]


RECORDS = (
    "W0000 00:00:1717171717.123456   71003 gpu_device.cc:2344] Cannot dlopen some libraries.",
    "E0325 11:01:08.120000 2606 torch/_inductor/utils.py:12] falling back",
    "2024-03-04 11:20:41,932 - loader - INFO - epoch 2 queued",
    "[0125 01:47:00 @input_data.py:114] Enqueue thread exited.",
)


@given(st.integers(1, 5), st.lists(st.sampled_from(RECORDS), min_size=1, max_size=3))
def test_records_inside(at: int, records: list[str]) -> None:
    """Other threads print into a stack."""
    text = "\n".join([*LINES[:at], *records, *LINES[at:]])
    cause = primary(text).cause
    assert cause is not None
    assert (cause.type, cause.message) == EXPECTED[:2]
    assert [f.file for f in cause.frames] == ["train.py", "/srv/net/model.py"]


@given(
    st.text("> \t", max_size=6), st.sampled_from(("", "- ", "<pre>", "it says: ")), st.booleans()
)
def test_margins(margin: str, before: str, close: bool) -> None:
    text = below(margin + before, margin, "</pre>" if close else "")
    cause = primary(text).cause
    assert cause is not None
    assert cause.type == EXPECTED[0]


LONG = TRACEBACK.replace("/srv/net", "/srv/projects/segmentation/net")


@given(st.integers(36, 62))
def test_cut_at_a_width(width: int) -> None:
    """A terminal cuts lines at its width, also in the second frame's."""
    rows = [
        line[at : at + width]
        for line in LONG.splitlines()
        for at in range(0, max(len(line), 1), width)
    ]
    cause = primary("\n".join(rows)).cause
    assert cause is not None
    assert (cause.type, cause.message) == EXPECTED[:2]


@given(
    st.text(
        st.sampled_from('File "a", line 3 in\n&lt;：%|it/s]Traceback(most)Error: '), max_size=400
    )
)
def test_mending_keeps_numbers(text: str) -> None:
    numbers = [line.number for line in read_log(text).lines]
    assert numbers == sorted(numbers)
    assert all(1 <= number <= text.count("\n") + 1 for number in numbers)


@pytest.mark.parametrize(
    ("text", "type_", "message"),
    [
        ("It stops at the end: `pkg.errors.SetupError: no loader`.\n", "pkg.errors.SetupError",
         "no loader"),
        ("On two cards it says **RuntimeError: no `grad` here.** With one all is well.\n",
         "RuntimeError", "no `grad` here."),
        ("# ValueError: too many values to unpack (expected 2)\n\nIn my loop.\n", "ValueError",
         "too many values to unpack (expected 2)"),
    ],
)  # fmt: skip
def test_quoted_in_prose(text: str, type_: str, message: str) -> None:
    cause = primary(text).cause
    assert cause is not None
    assert (cause.type, cause.message) == (type_, message)


def test_handled_in_a_run() -> None:
    text = "epoch 1 loss 0.9\ngot ValueError: bad row\nepoch 2 loss 0.5\nepoch 3 loss 0.4\n"
    assert not any(f.primary for f in read_failures(read_log(text)).failures)


CLEANUP = """\
Traceback (most recent call last):
  File "/usr/lib/python3.10/multiprocessing/util.py", line 300, in _run_finalizers
    finalizer()
  File "/usr/lib/python3.10/shutil.py", line 729, in rmtree
    os.rmdir(path)
OSError: [Errno 39] Directory not empty: '/tmp/pymp-7a7ja_j_'
"""
CUT_LAUNCHER = """\
W/api.py:826] failed (exitcode: -9) local_rank: 0 (pid: 1322) of binary: /opt/bin/python
Traceback (most recent call last):
  File "/opt/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "/opt/lib/python3.10/site-packages/torch/distributed/run.py", line 870, in run
    elastic_launch(
torch.distr
"""
NO_CUDNN = """\
Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file
Aborted (core dumped)
"""


@pytest.mark.parametrize(
    ("text", "told_by"),
    [
        (TRACEBACK + CLEANUP, "mat1 and mat2"),
        (CUT_LAUNCHER, "exitcode: -9"),
        (NO_CUDNN, "libcudnn_cnn_infer"),
    ],
)
def test_what_ended_the_job(text: str, told_by: str) -> None:
    cause = primary(text).cause
    assert cause is not None
    assert told_by in cause.message


STOPPED = """\
Exception has occurred: RuntimeError       (note: full exception trace is shown but execution is paused at: main)
mat1 and mat2 shapes cannot be multiplied (8x3 and 4x5)
  File "/srv/net/model.py", line 12, in main
    return head(x, dim=-1)
  File "train.py", line 31, in <module>
    main(cfg)
"""  # noqa: E501


@pytest.mark.parametrize("end", ["", LINES[-1] + "\n"])
def test_debugger(end: str) -> None:
    assert told(STOPPED + end) == EXPECTED


NATIVE = """\
[rank0]: step 40 loss 0.31
terminate called after throwing an instance of 'c10::DistBackendError'
  what():  [Rank 0] Process group watchdog thread terminated: NCCL error
Exception raised from checkForNCCLErrorsInternal at ProcessGroupNCCL.cpp:1000 (most recent)
frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f0 in libc10.so)
Aborted (core dumped)
"""
MAC = """\
libc++abi: terminating due to uncaught exception of type c10::TypeError: no ComplexFloat on MPS
zsh: abort      python sample.py
"""


@pytest.mark.parametrize(
    ("text", "type_", "message"),
    [
        (
            NATIVE,
            "c10::DistBackendError",
            "[Rank 0] Process group watchdog thread terminated: NCCL error",
        ),
        (
            "".join(f"> {line}\n" for line in NATIVE.splitlines()[1:]),
            "c10::DistBackendError",
            "[Rank 0] Process group watchdog thread terminated: NCCL error",
        ),
        (MAC, "c10::TypeError", "no ComplexFloat on MPS"),
        (
            MAC.replace("abi:", "abi.dylib:").replace("due to", "with"),
            "c10::TypeError",
            "no ComplexFloat on MPS",
        ),
        (
            "terminate called after throwing an instance of 'std::bad_alloc'\n",
            "std::bad_alloc",
            "terminate called after throwing an instance of 'std::bad_alloc'",
        ),
        (
            "terminate called after throwing an instance of 'char const*'\nAborted\n",
            "c++",
            "terminate called after throwing an instance of 'char const*'",
        ),
        (
            "libc++abi: terminating with uncaught exception of type NSException\n",
            "c++",
            "libc++abi: terminating with uncaught exception of type NSException",
        ),
    ],
)
def test_thrown_by_cxx(text: str, type_: str, message: str) -> None:
    cause = primary(text).cause
    assert cause is not None
    assert (cause.type, cause.message) == (type_, message)
    assert cause.is_native


def chain(first: str, second: str) -> str:
    """Return two tracebacks, the second raised while the first was handled."""
    heads = [f"Traceback (most recent call last):\n{one}\n\n" for one in (first, second)]
    return "During handling of the above exception, another exception occurred:\n\n".join(heads)


LIBRARY = "/opt/env/lib/python3.9/site-packages/torch/serialization.py"
WRITE = f"""\
  File "{LIBRARY}", line 650, in _save
    zip_file.write_record(name, storage.data_ptr(), num_bytes)
RuntimeError: file write failed"""
LOOKUP = f"""\
  File "{LIBRARY}", line 650, in _cached
    return table[name]
KeyError: 'name'"""
OWN = """\
  File "train.py", line 7, in main
    rows = table["rows"]
KeyError: 'rows'"""


def ended_in(*frames: tuple[str, str, str], last: str) -> str:
    """Return the second traceback of a chain, which begins in the program."""
    all_frames = (("train.py", "<module>", "main()"), *frames)
    shown = "".join(
        f'  File "{file}", line 9, in {name}\n    {code}\n' for file, name, code in all_frames
    )
    return shown + last


@pytest.mark.parametrize(
    ("first", "second", "type_"),
    [
        (
            WRITE,
            ended_in(
                (LIBRARY, "__exit__", "self.file.write_end_of_file()"),
                last="ValueError: unexpected pos",
            ),
            "RuntimeError",
        ),
        (
            WRITE,
            ended_in(
                (LIBRARY, "save", "os.rmdir(folder)"),
                last="OSError: [Errno 39] Directory not empty",
            ),
            "RuntimeError",
        ),
        (
            OWN,
            ended_in(
                ("train.py", "main", "writer.close()"),
                last="NameError: name 'writer' is not defined",
            ),
            "KeyError",
        ),
        (
            WRITE,
            ended_in(
                ("train.py", "close", 'raise ValueError("not saved")'), last="ValueError: not saved"
            ),
            "ValueError",
        ),
        (
            WRITE,
            ended_in(
                (
                    "/usr/lib/python3.9/contextlib.py",
                    "__exit__",
                    "self.gen.throw(typ, value, traceback)",
                ),
                (LIBRARY, "mapped", "raise to_error(error)"),
                last="ValueError: not saved",
            ),
            "ValueError",
        ),
        (
            LOOKUP,
            ended_in(
                (LIBRARY, "close", "self.flush()"), last="OSError: [Errno 5] Input/output error"
            ),
            "OSError",
        ),
    ],
)
def test_clean_up_that_fails(first: str, second: str, type_: str) -> None:
    cause = primary(chain(first, second)).cause
    assert cause is not None
    assert cause.type == type_


STACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    step()\n'


@pytest.mark.parametrize(
    ("below", "message"),
    [
        ("ValueError\n\nparser 3.0.5\n", ""),
        ("ValueError:\n\nexpected 3 rows\n", "expected 3 rows"),
        ("pkg.SettingError:\n    - a is missing\n", "- a is missing"),
    ],
)
def test_a_class_without_a_colon_has_no_message(below: str, message: str) -> None:
    found = read_failures(read_log(STACK + below)).failures
    assert [f.cause.message for f in found if f.cause is not None] == [message]


def test_what_points_at_a_print_above_is_no_root() -> None:
    worker = f"Exception in background worker 2:\n{STACK}NameError: name 'rows' is not defined\n"
    pointing = STACK + "RuntimeError: Workers died. Please check the print statements above.\n"
    found = read_failures(read_log(worker + pointing)).failures
    assert [f.cause.type for f in found if f.primary and f.cause] == ["NameError"]


@pytest.mark.parametrize(
    ("head", "further"),
    [
        (
            "DatasetGenerationCastError: An error occurred while generating the dataset",
            "All the data files must have the same columns\n\nThis happened while\n\n/a/b.json",
        ),
        (
            "OSError: You are trying to access a gated repo.\n401 Client Error. (Request ID: R)",
            "Cannot access gated repo for url https://huggingface.co/a/b.",
        ),
        (
            "TypingError: Failed in nopython mode pipeline (step: nopython frontend)",
            " >>> getitem(array(float64, 1d, C))\n\nThere are 22 candidate implementations:",
        ),
        (
            "UnpicklingError: Weights only load failed. This file can still be loaded",
            "Check the documentation of torch.load to learn more",
        ),
    ],
)
def test_messages_of_several_paragraphs(head: str, further: str) -> None:
    for prose in ("", "\n\nThe files are the same as last week.\n"):
        cause = primary(f"{STACK}{head}\n\n{further}{prose}").cause
        assert cause is not None
        assert f"{cause.type}: {cause.message}" == f"{head}\n\n{further}"


INNER = f"""\
  File "{LIBRARY}", line 650, in _read
    return parse(text)
{{}}"""


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (
            "ArrowInvalid: JSON parse error",
            "DatasetGenerationError: An error occurred while generating the dataset",
        ),
        (
            "TypeError: Net() takes no arguments",
            "hydra.errors.InstantiationException: Error in call to target 'net.Net':",
        ),
        ("OSError: [Errno 28] No space left", "DatasetError: Failed while saving data to data set"),
    ],
)
def test_a_wrapper_that_says_only_where_is_no_root(inner: str, outer: str) -> None:
    failing = ended_in((LIBRARY, "load", "raise Wrapped() from e"), last=outer)
    for link, wraps in (
        ("The above exception was the direct cause of the following exception:", True),
        ("During handling of the above exception, another exception occurred:", False),
    ):
        heads = [f"Traceback (most recent call last):\n{one}" for one in (INNER, failing)]
        cause = primary(f"\n\n{link}\n\n".join(heads).format(inner)).cause
        assert cause is not None
        assert f"{cause.type}: {cause.message}" == (inner if wraps else outer)


DIED = "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace"
ENGINE = f"""\
ERROR 07-11 02:38:55 [executor.py:511] RuntimeError: CUDA error: uncorrectable ECC error encountered
ERROR 07-11 02:38:56 [async_llm.py:416] {DIED} (above) for the root cause.
[1893021.551203] NVRM: Xid (PCI:0000:9b:00): 94, pid=2204, name=python3, Contained: SM (0x1)
"""
NODE = "In node 12 with name: /NonZero and operator: NonZero (check): UNSUPPORTED_NODE: Assertion"
BUILT = f"[TRT] [E] {NODE} failed\nERROR: Failed to parse the ONNX file.\n"


@pytest.mark.parametrize(("text", "told_by"), [(ENGINE, "uncorrectable ECC"), (BUILT, NODE)])
def test_who_says_most_of_one_failure(text: str, told_by: str) -> None:
    cause = primary(text).cause
    assert cause is not None
    assert cause.message.startswith(told_by) or told_by in cause.message.split("\n")[0]
