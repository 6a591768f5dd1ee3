"""`localize` on texts and workspaces of every bad kind: documented behaviour, no exception."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from endings import ends
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_checks import check_report

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.workspace import Workspace

FILES = {
    "train.py": (
        "import yaml\nfrom models.net import Net\n\n"
        "cfg = yaml.safe_load(open('conf/base.yaml'))\n\n"
        "def main():\n    net = Net(cfg['hidden'])\n    print(net(cfg['batch']))\n\nmain()\n"
    ),
    "models/__init__.py": "",
    "models/net.py": (
        "from torch import nn\n\nclass Net(nn.Module):\n    def __init__(self, hidden):\n"
        "        super().__init__()\n        self.fc = nn.Linear(864, hidden)\n\n"
        "    def forward(self, x):\n        return self.fc(x)\n"
    ),
    "conf/base.yaml": "hidden: 3\nbatch: 8\n",
    "rows.csv": "a,b\n1,2\n3,x\n",
}
TRACEBACK = """\
Traceback (most recent call last):
  File "/job/train.py", line 10, in <module>
    main()
  File "/job/train.py", line 8, in main
    print(net(cfg['batch']))
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1553, in _call_impl
    return forward_call(*args, **kwargs)
  File "/job/models/net.py", line 9, in forward
    return self.fc(x)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x216 and 864x3)
"""


def write(root: Path, files: dict[str, str | bytes]) -> Workspace:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Workspace(root, cache=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return write(tmp_path, dict(FILES))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return write(tmp_path_factory.mktemp("shared"), dict(FILES))


def places(report: Report) -> list[tuple[str, int]]:
    assert report.primary is not None
    return [(s.file, s.line) for s in report.primary.suspects]


# ------------------------------------------------------------------ the plain case and its options
def test_a_plain_failure(workspace: Workspace) -> None:
    report = localize(TRACEBACK, workspace)
    check_report(report, workspace, TRACEBACK)
    primary = report.primary
    assert primary is not None and primary.category.id == "tensor_mismatch"
    assert (primary.span.first_line, primary.span.last_line) == (1, 10)
    assert [(f.workspace_file, f.workspace_line) for f in primary.frames] == [
        ("train.py", 10),
        ("train.py", 8),
        (None, None),
        ("models/net.py", 9),
    ]
    assert ("models/net.py", 6) in places(report)[:3]
    assert report.workspace == str(workspace.root)


@pytest.mark.parametrize("top", [0, 1, 2, 5, 1000])
@pytest.mark.parametrize("top_files", [0, 1, 2, 1000])
def test_top_bounds_and_zero_means_all(top: int, top_files: int, workspace: Workspace) -> None:
    options, everything = Options(top, top_files), localize(TRACEBACK, workspace, Options(0, 0))
    report = localize(TRACEBACK, workspace, options)
    check_report(report, workspace, TRACEBACK, options)
    whole, part = everything.primary, report.primary
    assert whole is not None and part is not None
    assert len(whole.suspects) > 5 and len(whole.files) > 1
    assert part.suspects == whole.suspects[: top or None]
    assert part.files == whole.files[: top_files or None]


def test_text_and_its_bytes_say_the_same(workspace: Workspace) -> None:
    assert localize(TRACEBACK, workspace) == localize(TRACEBACK.encode(), workspace)


def test_spans_count_from_the_whole_text(workspace: Workspace) -> None:
    report = localize("epoch 1\n" * 7 + TRACEBACK + "done\n", workspace)
    assert report.primary is not None
    assert (report.primary.span.first_line, report.primary.span.last_line) == (8, 17)
    assert report.after(100).primary is not None
    assert report.after(100).failures[0].span.first_line == 108
    assert report.after(0) is report


def test_the_id_is_the_failure_s_own(workspace: Workspace) -> None:
    first = localize(TRACEBACK, workspace).failures[0].id
    assert localize("noise\n" + TRACEBACK, workspace).failures[0].id == first
    elsewhere = TRACEBACK.replace("/job/", "/home/other/run-17/")
    assert localize(elsewhere, workspace).failures[0].id == first
    other = TRACEBACK.replace("RuntimeError: mat1", "ValueError: mat1")
    assert localize(other, workspace).failures[0].id != first


# ------------------------------------------------------------------ texts that are no tracebacks
NOTHING = {
    "empty": "",
    "blank": "\n\n  \n",
    "NULs": "\x00" * 5000,
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\x00\x01\x02\xff" * 500,
    "a wordless log": "epoch 1 loss 0.3\nepoch 2 loss 0.2\n",
}
FAILURES: dict[str, str | bytes] = {
    "as printed": TRACEBACK,
    "Windows line ends": TRACEBACK.replace("\n", "\r\n"),
    "no last line end": TRACEBACK.rstrip("\n"),
    "UTF-16": TRACEBACK.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + TRACEBACK.encode(),
    "NULs where a disk was full": TRACEBACK.encode() + b"\x00" * 8192,
    "NULs before": b"\x00" * 8192 + b"\n" + TRACEBACK.encode(),
    "invalid UTF-8 before": b"\xfa broken \xc3\x28\n" + TRACEBACK.encode(),
    "invalid UTF-8 inside": TRACEBACK.encode().replace(
        b"RuntimeError: mat1", b"RuntimeError: mat1 \xc3("
    ),
    "colours": TRACEBACK.replace("RuntimeError", "\x1b[31mRuntimeError\x1b[0m"),
    "a lone surrogate": TRACEBACK.replace("8x216", "\udcff8x216"),
    "a very long line before": "x" * 10_000_000 + "\n" + TRACEBACK,
    "a very long message": TRACEBACK.rstrip("\n") + "9" * 10_000_000,
    "a very long source line": TRACEBACK.replace("main()\n", "main(" + "1," * 500_000 + ")\n", 1),
    "many lines before": "step 1 loss 0.1\n" * 100_000 + TRACEBACK,
    "many failures": TRACEBACK * 200,
    "thousands of frames": TRACEBACK.replace(
        "    main()\n",
        "    main()\n" + '  File "/job/train.py", line 8, in main\n    main()\n' * 5000,
        1,
    ),
    "a frame behind the end of its file": TRACEBACK.replace("line 9,", "line 99999,"),
    "frames at line zero": TRACEBACK.replace("line 9,", "line 0,"),
    "a chain of causes": (
        TRACEBACK + "\nDuring handling of the above exception, another exception occurred:\n\n"
    )
    * 60
    + TRACEBACK,
    "a frame in a folder": TRACEBACK.replace("/job/models/net.py", "/job/models"),
    "a frame with an odd name": TRACEBACK.replace(
        "/job/models/net.py", "/job/\x07\u202e../..//net.py"
    ),
    "a message of many sizes": TRACEBACK.replace(
        "(8x216 and 864x3)", "(" + " and ".join(f"{n}x{n}" for n in range(1, 3000)) + ")"
    ),
    "deep brackets in the message": TRACEBACK.rstrip("\n") + "(" * 20_000 + "[" * 20_000,
}


@pytest.mark.parametrize("name", NOTHING)
def test_texts_without_a_failure_give_an_empty_report(name: str, workspace: Workspace) -> None:
    report = localize(NOTHING[name], workspace)
    check_report(report, workspace, NOTHING[name])
    assert report.failures == () and report.primary is None


@pytest.mark.parametrize("name", FAILURES)
def test_disturbed_texts_still_tell_of_the_failure(name: str, workspace: Workspace) -> None:
    with ends():
        report = localize(FAILURES[name], workspace)
    check_report(report, workspace, FAILURES[name])
    primary = report.primary
    assert primary is not None and primary.exception is not None
    assert primary.exception.type == "RuntimeError"
    assert any(frame.workspace_file == "train.py" for frame in primary.frames)
    assert primary.suspects


@pytest.mark.parametrize("end", range(0, len(TRACEBACK), 23))
def test_a_traceback_cut_anywhere(end: int, shared: Workspace) -> None:
    for text in (TRACEBACK[:end], TRACEBACK[end:], TRACEBACK.encode()[:end]):
        check_report(localize(text, shared), shared, text)


PIECES = [
    *TRACEBACK.splitlines(),
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
    "  [Previous line repeated 995 more times]",
    "  + Exception Group Traceback (most recent call last):",
    "  | ExceptionGroup: several (2 sub-exceptions)",
    "[rank1]: Traceback (most recent call last):",
    '[rank1]:   File "/job/models/net.py", line 9, in forward',
    "[rank1]: KeyError: 'hidden'",
    "E       KeyError: 'batch'",
    "models/net.py:9: KeyError",
    "Segmentation fault (core dumped)",
    "SyntaxError: invalid syntax",
    "    return self.fc(x)",
    "           ~~~~~~~^^^",
    "epoch 3: loss=nan",
    "CUDA out of memory. Tried to allocate 2.00 GiB",
    "╭───── Traceback (most recent call last) ─────╮",
    "│ /job/train.py:8 in main                      │",
    "╰──────────────────────────────────────────────╯",
    "---------------------------------------------------------------------------",
    "Cell In[3], line 2",
    "----> 2 net(x)",
    "ModuleNotFoundError: No module named 'yaml'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'conf/bse.yaml'",
    "ValueError: could not convert string to float: 'x'",
    "",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=40), max_size=30), st.integers(0, 3))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_mixture_of_lines_keeps_the_contract(
    shared: Workspace, lines: list[str], top: int
) -> None:
    text, options = "\n".join(lines), Options(top, top)
    check_report(localize(text, shared, options), shared, text, options)


@given(st.binary(max_size=300), st.integers(0, 10))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_keep_the_contract(shared: Workspace, noise: bytes, at: int) -> None:
    rows = TRACEBACK.encode().splitlines(keepends=True)
    text = b"".join([*rows[:at], noise, *rows[at:]])
    check_report(localize(text, shared), shared, text)


def test_text_without_a_failure_is_taken_as_a_report_of_one(workspace: Workspace) -> None:
    text = "The network's forward gives the wrong number of hidden features when I train it.\n"
    report = localize(text, workspace)
    check_report(report, workspace, text)
    assert [failure.exception for failure in report.failures] == [None]
    assert {"models/net.py", "train.py"} <= {file for file, _ in places(report)}


def test_random_bytes_hold_no_exception(workspace: Workspace) -> None:
    text = bytes(range(256)) * 200
    report = localize(text, workspace)
    check_report(report, workspace, text)
    assert all(failure.exception is None for failure in report.failures)


# ------------------------------------------------------------------ workspaces of every kind
BROKEN: dict[str, str | bytes] = {
    "a syntax error": "def f(:\n    return (\n",
    "a null byte": b"x = 1\x00\n",
    "binary": bytes(range(256)) * 50,
    "Latin-1 that claims nothing": "n = 'é'\n".encode("latin-1"),
    "an unknown encoding": b"# -*- coding: no-such-codec -*-\nx = 1\n",
    "tabs and spaces": b"if 1:\n\tx = 1\n        y = 2\n",
    "empty": b"",
    "only a comment": b"# nothing",
    "carriage returns": b"x = 1\rdef forward(x):\r    return x\r",
    "an absurd nesting": "x = " + "[" * 5000 + "]" * 5000 + "\n",
    "an absurd sum": "x = " + "+".join("1" * 30_000) + "\n",
    "an absurd line": "x = '" + "a" * 3_000_000 + "'\n",
    "warnings in the source": 'x = "\\d"\ny = x is 3\nassert (x, "y")\n',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_frame_in_broken_python(name: str, tmp_path: Path) -> None:
    workspace = write(tmp_path, {**FILES, "models/net.py": BROKEN[name]})
    report = localize(TRACEBACK, workspace)
    check_report(report, workspace, TRACEBACK)
    assert ("train.py", 8) in places(report)


CONFIGS: dict[str, str | bytes] = {
    "conf/base.yaml": b"a: [1, 2\nb: {c\n\t- d\n",
    "conf/aliases.yaml": "a: &a [x, x]\n"
    + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    ),
    "conf/tags.yaml": "!!python/object/apply:os.system ['touch owned']\n",
    "conf/deep.json": "[" * 50_000,
    "conf/deep.yaml": "[" * 3000,
    "conf/big.json": "{" + ",".join(f'"k{n}": {n}' for n in range(4000)) + "}",
    "conf/a.toml": "a = [\nb = ",
    "conf/b.ini": "[x\ny",
    "run.sh": "python train.py --hidden $(rm -rf x) \\\n",
    "rows.csv": b"a,b\n1,\x00\n\xff\xfe\n" + b"," * 5000,
    "rows.jsonl": b'{"a": 1}\n{"a":\n' + b"{" * 2000,
    "note.ipynb": b'{"cells": [{"cell_type": "code", "source": 3}, 4, null]}',
    "other.ipynb": b"{",
    "requirements.txt": "===\n-e git+https://x\ntorch>=\n",
}


def test_broken_configs_and_data_are_no_obstacle(tmp_path: Path) -> None:
    workspace = write(tmp_path, {**FILES, **CONFIGS})
    for message in (
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x216 and 864x3)",
        "KeyError: 'hidden'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'conf/bse.yaml'",
        "ModuleNotFoundError: No module named 'yaml'",
        "json.decoder.JSONDecodeError: Expecting value: line 9999 column 1 (char 0)",
        "ValueError: could not convert string to float: 'x'",
    ):
        text = TRACEBACK[: TRACEBACK.index("RuntimeError")] + message + "\n"
        check_report(localize(text, workspace), workspace, text)
    assert not (tmp_path / "owned").exists()


def test_a_workspace_without_files(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "absent", tmp_path / "file"):
        (tmp_path / "file").write_text("x")
        workspace = Workspace(root, cache=False)
        report = localize(TRACEBACK, workspace)
        assert report.primary is not None and report.primary.category.id == "tensor_mismatch"
        assert report.primary.suspects == () and report.primary.files == ()


def test_links_in_circles_and_things_that_are_no_files(tmp_path: Path) -> None:
    workspace = write(tmp_path, dict(FILES))
    (tmp_path / "models/again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a.py").symlink_to("b.py")
    (tmp_path / "b.py").symlink_to("a.py")
    (tmp_path / "gone.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / "pipe.yaml")
    text = TRACEBACK
    for name in ("a.py", "folder.py", "pipe.py", "models/again/models/net.py"):
        text += TRACEBACK.replace("models/net.py", name)
    check_report(localize(text, workspace), workspace, text)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_that_may_not_be_read(tmp_path: Path) -> None:
    workspace = write(tmp_path, dict(FILES))
    (tmp_path / "models/net.py").chmod(0)
    (tmp_path / "conf").chmod(0)
    try:
        report = localize(TRACEBACK, workspace)
    finally:
        (tmp_path / "conf").chmod(0o755)
    assert ("train.py", 8) in places(report)


# ------------------------------------------------------------------ what is never touched
WATCH = """\
import json, sys
from pathlib import Path
from dl_bug_lsp.localize import localize
from dl_bug_lsp.workspace import Workspace
seen = {"open": [], "run": []}
RUNS = {"exec", "os.system", "subprocess.Popen", "os.exec", "socket.connect", "pickle.find_class"}
def watch(event, arguments):
    if event in {"open", "os.listdir", "os.scandir"} and isinstance(arguments[0], (str, bytes)):
        seen["open"].append(str(arguments[0]))
    elif event in RUNS:
        seen["run"].append((event, str(arguments[0])[:200]))
text = sys.stdin.read()
workspace = Workspace(Path(sys.argv[1]), cache=False)
sys.addaudithook(watch)
report = localize(text, workspace)
assert report.primary is not None
print(json.dumps(seen))
"""


def test_nothing_outside_the_workspace_is_opened_and_nothing_of_it_runs(tmp_path: Path) -> None:
    root, outside = tmp_path / "job", tmp_path / "private"
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    files = {name: text for name, text in FILES.items() if not name.endswith(".py")}
    code = {name: trap + text for name, text in FILES.items() if name.endswith(".py")}
    write(root, {**files, **code, "sitecustomize.py": trap, "yaml.py": trap, "conftest.py": trap})
    write(outside, {"secret.py": "KEY = 1\n", "secret.yaml": "key: 1\n"})
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "linked").symlink_to(outside, target_is_directory=True)
    named = [
        f"{outside}/secret.py",
        f"{outside}/secret.yaml",
        "../private/secret.py",
        "../../private/secret.yaml",
        f"{root}/../private/secret.py",
        "link.py",
        "linked/secret.py",
        "/etc/passwd",
        "/dev/stdin",
        "/proc/self/environ",
    ]
    text = ""
    for name in named:
        text += TRACEBACK.replace("/job/models/net.py", name).replace("line 9,", "line 1,")
        text += TRACEBACK[: TRACEBACK.index("RuntimeError")]
        text += f"FileNotFoundError: [Errno 2] No such file or directory: '{name}'\n"
    done = subprocess.run(
        [sys.executable, "-I", "-c", WATCH, str(root)],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        timeout=120,
    )
    seen = json.loads(done.stdout)
    inside = [name for name in seen["open"] if name.startswith(str(root))]
    assert inside
    forbidden = ("private", "/etc/passwd", "/dev/stdin", "/self/environ", "link")
    assert [n for n in seen["open"] if any(word in n for word in forbidden)] == []
    # Code objects of lazily imported modules run; those of the workspace do not.
    assert [run for run in seen["run"] if run[0] != "exec" or str(root) in run[1]] == []
    assert not (tmp_path / "ran").exists()


def test_the_workspace_is_left_as_it_was(workspace: Workspace) -> None:
    before = sorted((p, p.stat().st_mtime_ns) for p in workspace.root.rglob("*"))
    localize(TRACEBACK, workspace)
    assert sorted((p, p.stat().st_mtime_ns) for p in workspace.root.rglob("*")) == before


# ------------------------------------------------------------------ path maps
@pytest.mark.parametrize(
    ("printed", "path_map", "found"),
    [
        ("/mnt/x/weird.py", (("/mnt/x/weird.py", "models/net.py"),), "models/net.py"),
        ("/mnt/x/net.py", (("/mnt/x", "models"),), "models/net.py"),
        ("C:\\run\\net.py", (("C:\\run", "models"),), "models/net.py"),
        ("/mnt/x/net.py", (("/mnt/x", "/etc"),), "models/net.py"),
        ("/mnt/x/passwd", (("/mnt/x", "/etc"),), None),
        ("/mnt/x/passwd", (("/mnt/x", "../../../../etc"),), None),
        ("/mnt/x/other.py", (("", ""), ("/", "/")), None),
    ],
)
def test_path_maps_lead_into_the_workspace_only(
    printed: str, path_map: tuple[tuple[str, str], ...], found: str | None, workspace: Workspace
) -> None:
    text = TRACEBACK.replace("/job/models/net.py", printed)
    report = localize(text, workspace, Options(path_map=path_map))
    check_report(report, workspace, text)
    assert report.primary is not None
    assert report.primary.frames[-1].workspace_file == found


@pytest.mark.parametrize("shape", ["torch.Size([])", "()", "[]"])
def test_a_message_with_an_empty_shape_is_ranked(tmp_path: Path, shape: str) -> None:
    (tmp_path / "main.py").write_text("from PIL import Image\n\nx = f()\n", encoding="utf-8")
    text = (
        "Traceback (most recent call last):\n"
        '  File "main.py", line 3, in <module>\n    x = f()\n'
        "ValueError: Using a target size (torch.Size([4])) that is different to the input size "
        f"({shape}) is deprecated\n"
    )
    primary = localize(text, Workspace(tmp_path, cache=False)).primary
    assert primary is not None
    assert primary.suspects


def test_a_statement_of_several_lines_is_one_place(tmp_path: Path) -> None:
    program = (
        "from engine import Trainer, collator, options\n\n"
        "trainer = Trainer(\n    args=options(path),\n    collator=collator(tokenizer),\n)\n"
        "trainer.train()\n"
    )
    (tmp_path / "train.py").write_text(program)
    text = (
        "Traceback (most recent call last):\n"
        f'  File "{tmp_path / "train.py"}", line 7, in <module>\n    trainer.train()\n'
        "ValueError: The model did not return a loss from the inputs\n"
    )
    failure = localize(text, Workspace(tmp_path)).primary
    assert failure is not None
    assert len([s for s in failure.suspects if 3 <= s.line <= 6]) == 1
    assert [s.rank for s in failure.suspects] == [*range(1, len(failure.suspects) + 1)]


def test_statements_of_a_text_that_is_executed_are_not_edited(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import numpy as np\n\nexec('x = np.zeros(3)\\ny = np.ones(14)')\nz = x[7]\n"
    )
    log = (
        'Traceback (most recent call last):\n  File "main.py", line 4, in <module>\n    z = x[7]\n'
        "IndexError: index 7 is out of bounds for axis 0 with size 3\n"
    )
    report = localize(log, Workspace(tmp_path, cache=False)).primary
    assert report is not None
    assert {suspect.line for suspect in report.suspects} == {3, 4}


def test_the_last_line_of_a_call_means_the_call_that_led_on(tmp_path: Path) -> None:
    # Python 3.7 and older print the line of a call's last argument.
    (tmp_path / "main.py").write_text(
        "import numpy as np\nfrom data import make\n\norder = np.random.shuffle(np.arange(10))\n\n"
        "sets = make(size=1500,\n            kind=dict(order=order),\n            test=dict(n=5))\n"
    )
    log = (
        'Traceback (most recent call last):\n  File "main.py", line 8, in <module>\n'
        '    test=dict(n=5))\n  File "/home/me/lib/data.py", line 157, in make\n'
        "    print(kind['order'][0])\nTypeError: 'NoneType' object is not subscriptable\n"
    )
    report = localize(log, Workspace(tmp_path, cache=False)).primary
    assert report is not None
    assert report.suspects[0].line == 4


@pytest.mark.parametrize(
    ("name", "category"), [("gifsicle", "library_not_found"), ("out/run", "path_not_found")]
)
def test_a_program_that_cannot_be_started(name: str, category: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"import subprocess\n\nsubprocess.run(['{name}'])\n")
    log = (
        'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n'
        f"    subprocess.run(['{name}'])\n"
        '  File "/usr/lib/python3.10/subprocess.py", line 1863, in _execute_child\n'
        "    raise child_exception_type(errno_num, err_msg, err_filename)\n"
        f"FileNotFoundError: [Errno 2] No such file or directory: '{name}'\n"
    )
    report = localize(log, Workspace(tmp_path, cache=False)).primary
    assert report is not None
    assert report.category.id == category
