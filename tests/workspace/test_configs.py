"""Config and launch files: every entry on its own line, broken files as far as they go."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from endings import ends
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs import ConfigReading, reader_for
from dl_bug_lsp.workspace.configs.extensions import CONFIG_EXTENSIONS, SHELL_EXTENSIONS

Found = list[tuple[int, str, object]]


def read(file: str, text: str) -> ConfigReading:
    reader = reader_for(file)
    assert reader is not None
    return reader(file, text)


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(part) for part in path)


def scalars(reading: ConfigReading) -> Found:
    return [(e.line, dotted(e.path), e.value) for e in reading.entries if e.length is None]


YAML: list[tuple[str, Found]] = [
    ("lr: 0.1\nname: unet  # c\n", [(1, "lr", 0.1), (2, "name", "unet")]),
    ("lr: 1e-3\nother: 1.0e-3\n", [(1, "lr", "1e-3"), (2, "other", 0.001)]),
    ("a: {b: 1, c: [x, 2]}\n", [(1, "a.b", 1), (1, "a.c.0", "x"), (1, "a.c.1", 2)]),
    ("a:\n- 1\n- b: yes\n", [(2, "a.0", 1), (3, "a.1.b", True)]),
    ("a: ~\nb: 'null'\nc:\n", [(1, "a", None), (2, "b", "null"), (3, "c", None)]),
    ("a: 1\n---\nb: 0x10\n", [(1, "a", 1), (3, "b", 16)]),
    (
        "base: &b\n  lr: 1\n  wd: 2\nrun:\n  <<: *b\n  wd: 3\n",
        [(2, "base.lr", 1), (3, "base.wd", 2), (6, "run.wd", 3), (2, "run.lr", 1)],
    ),
    ("a: |\n  x\n  y\nb: 1\n", [(1, "a", "x\ny\n"), (4, "b", 1)]),
    ("s: 12:30:45\nd: 2024-01-01\n", [(1, "s", 45045), (2, "d", "2024-01-01")]),
]


@pytest.mark.parametrize(("text", "expected"), YAML)
def test_yaml(text: str, expected: Found) -> None:
    reading = read("a.yaml", text)
    assert (scalars(reading), reading.problem) == (expected, None)


def test_yaml_containers_have_length_and_end() -> None:
    entries = {
        dotted(e.path): e for e in read("a.yml", "m:\n  a: 1\n  l:\n  - 1\n  - 2\nz: 1\n").entries
    }
    assert (entries["m"].line, entries["m"].end_line, entries["m"].length) == (1, 5, 2)
    assert (entries["m.l"].line, entries["m.l"].end_line, entries["m.l"].length) == (3, 5, 2)
    assert entries["m.l.1"].key == "l"


BROKEN = [
    # file, text, problem line, entries that must still be read
    ("a.yaml", "m:\n  c: 3\n   w: 8\nlr: 1\n", 3, [(2, "m.c", 3), (4, "lr", 1)]),
    ("a.yaml", "m:\n\tc: 3\nlr: 1\n", 2, [(3, "lr", 1)]),
    ("a.yaml", "a: [1, 2\nb: 3\n", 2, [(2, "b", 3)]),
    ("a.yaml", 'a: "x\nb: 3\n', 3, [(2, "b", 3)]),
    ("a.yaml", "a: b: c\nd: 1\n", 1, [(2, "d", 1)]),
    (
        "a.yaml",
        "l:\n- a: 1\n  b: 2\n- 3\n}\n",
        5,
        [(2, "l.0.a", 1), (3, "l.0.b", 2), (4, "l.1", 3)],
    ),
    ("a.json", '{\n "a": 1,\n "b": 2,\n}\n', 3, [(2, "a", 1), (3, "b", 2)]),
    ("a.json", '{\n "a": 1\n "b": 2\n}', 2, [(2, "a", 1), (3, "b", 2)]),
    ("a.json", '{\n // c\n "a": 1 /* x\n y */ }', 2, [(3, "a", 1)]),
    ("a.json", "{\n 'a': True}", 2, [(2, "a", True)]),
    ("a.json", '{"a": [1,\n 2', 2, [(1, "a.0", 1), (2, "a.1", 2)]),
    ("a.json", '{"a": "cut\n}', 1, [(1, "a", "cut")]),
    ("a.json", '{"a": 1}}', 1, [(1, "a", 1)]),
    ("a.json", '{"a": 01, b: 2}', 1, [(1, "b", 2)]),
    ("a.toml", "[m]\na = 1\nb = \nc = 'x'\n", 3, [(2, "m.a", 1), (4, "m.c", "x")]),
    ("a.toml", "a = 1\na = 2\n", 2, [(1, "a", 1), (2, "a", 2)]),
    ("a.toml", "a = [1,\n  2\nb = 3\n", 3, [(3, "b", 3)]),
    ("a.ini", "[s]\na = 1\njust words\nb = 2\n", 3, [(2, "s.a", 1), (4, "s.b", 2)]),
    ("a.ini", "a = 1\n", 1, [(1, "a", 1)]),
    ("run.sh", 'python a.py \\ \n --lr 1\necho "open\n', 3, []),
    ("Makefile", "all:\n        python a.py\n", 2, []),
    ("requirements.txt", "torch==2\n???\nnumpy\n", 2, [(1, "torch", "==2"), (3, "numpy", "")]),
]


@pytest.mark.parametrize(("file", "text", "line", "kept"), BROKEN)
def test_broken_files_name_the_line_and_are_read_on(
    file: str, text: str, line: int, kept: Found
) -> None:
    reading = read(file, text)
    assert reading.problem
    assert reading.problem_line == line
    found = scalars(reading)
    assert [item for item in kept if item not in found] == []


def test_json_values_and_lines() -> None:
    text = '{"a": 1,\n "b": [true, null, -1.5e2,\n  "\\u00fc"], "b2": {},\n "n": NaN}'
    entries = read("a.json", text).entries
    assert [(e.line, dotted(e.path), e.value) for e in entries][:6] == [
        (1, "a", 1),
        (2, "b", None),
        (2, "b.0", True),
        (2, "b.1", None),
        (2, "b.2", -150.0),
        (3, "b.3", "ü"),
    ]
    assert (entries[1].end_line, entries[1].length) == (3, 4)
    assert isinstance(entries[-1].value, float)
    assert math.isnan(entries[-1].value)


def test_toml_values_and_lines() -> None:
    text = (
        'top = 1\n[a.b]\nx = 1e-3 # c\n"q.k".z = [\n  1, # one\n  "two#",\n]\n'
        "[[runs]]\nlr = 1\n[[runs]]\nlr = 2\n[runs.opt]\nname = '''\nx'''\nt = {a = 1, b = [2]}\n"
    )
    assert scalars(read("a.toml", text)) == [
        (1, "top", 1),
        (3, "a.b.x", 0.001),
        (5, "a.b.q.k.z.0", 1),
        (6, "a.b.q.k.z.1", "two#"),
        (9, "runs.0.lr", 1),
        (11, "runs.1.lr", 2),
        (13, "runs.1.opt.name", "x"),
        (15, "runs.1.opt.t.a", 1),
        (15, "runs.1.opt.t.b.0", 2),
    ]


PLAIN: list[tuple[str, str, Found]] = [
    (
        "setup.cfg",
        "[options]\ninstall_requires =\n    torch>=2\n    numpy\nzip = no ; c\n",
        [
            (3, "options.install_requires.0", "torch>=2"),
            (4, "options.install_requires.1", "numpy"),
            (5, "options.zip", "no"),
        ],
    ),
    ("a.gin", "train.lr = 0.1\nNet.dim = 3\n", [(1, "train.lr", 0.1), (2, "Net.dim", 3)]),
    (
        "b.gin",
        "import models  # c\ninclude 'a.gin'\nLR = 0.1\ntrain.lr = %LR\nmodels.Net.dims = [\n"
        "    1,  # one\n    @warm/Adam(),\n]\nfit:\n    name = 'a#b'\nfit.z = \\\n    3\n",
        [
            (3, "LR", 0.1),
            (4, "train.lr", "%LR"),
            (6, "models.Net.dims.0", 1),
            (7, "models.Net.dims.1", "@warm/Adam()"),
            (10, "fit.name", "a#b"),
            (12, "fit.z", 3),
        ],
    ),
    (".env", 'export A=1\nB="x y"\nC=d # e\n', [(1, "A", 1), (2, "B", "x y"), (3, "C", "d")]),
    (
        "constraints-gpu.txt",
        "-r base.txt\ntorch[x] == 2.1 ; python_version<'3'  # c\na @ https://h/a.whl\n",
        [(1, "-r", "base.txt"), (2, "torch", "== 2.1"), (3, "a", "@ https://h/a.whl")],
    ),
]


@pytest.mark.parametrize(("file", "text", "expected"), PLAIN)
def test_plain_formats(file: str, text: str, expected: Found) -> None:
    reading = read(file, text)
    assert (scalars(reading), reading.problem) == (expected, None)


SHELL: list[tuple[str, Found]] = [
    ("LR=0.1\nexport A='b c'\n", [(1, "LR", 0.1), (2, "A", "b c")]),
    (
        "CUDA_VISIBLE_DEVICES=0 python train.py \\\n  --lr 0.1 \\\n  --batch-size=32 --amp\n",
        [
            (1, "CUDA_VISIBLE_DEVICES", 0),
            (2, "train.py.lr", 0.1),
            (3, "train.py.batch-size", 32),
            (3, "train.py.amp", True),
        ],
    ),
    (
        "cd x && torchrun --nproc_per_node 2 -m pkg.train model.dim=8 +a=-1 c.yaml > o.log 2>&1",
        [
            (1, "cd.0", "x"),
            (1, "torchrun.nproc_per_node", 2),
            (1, "torchrun.m", True),
            (1, "pkg.train.model.dim", 8),
            (1, "pkg.train.a", -1),
            (1, "pkg.train.0", "c.yaml"),
        ],
    ),
    (
        "#SBATCH --gres=gpu:2 -N 1\n# --not this\n",
        [(1, "SBATCH.gres", "gpu:2"), (1, "SBATCH.N", 1)],
    ),
    (
        'python a.py --seed "$1" --d $(date +%F) # --x 1\n',
        [(1, "a.py.seed", "$1"), (1, "a.py.d", "$(date +%F)")],
    ),
    (
        "for i in 1 s{a,b}; do\n while read x; do\n  python a.py --i $i\n done <a\ndone\n",
        [
            *((1, "for.i.0", 1), (1, "for.i.1", "sa"), (1, "for.i.2", "sb")),
            *((2, "read.0", "x"), (3, "a.py.i", "$i")),
        ],
    ),
    (
        "for i in {3..1} $(seq 2); do\n b $i\ndone\n",
        [*((1, f"for.i.{n}", i) for n, i in enumerate((3, 2, 1, 1, 2))), (2, "b.0", "$i")],
    ),
    ("for i in $(ls); do b $i; done\n", [(1, "b.0", "$i")]),
    ("for i in $(seq 0 999999999); do b $i; done\n", [(1, "b.0", "$i")]),
    ("for i in {999999999..-9}; do b $i; done\n", [(1, "b.0", "$i")]),
    ("cat <<EOF\npython no.py --x 1\nEOF\npython a.py --y -0.5\n", [(4, "a.py.y", -0.5)]),
    ('echo "a \\\\"\npython a.py --x 1\n', [(1, "echo.0", "a \\\\"), (2, "a.py.x", 1)]),
    ("python -c 'import x' --z 1\n", [(1, "python.c", "import x"), (1, "python.z", 1)]),
]


@pytest.mark.parametrize(("text", "expected"), SHELL)
def test_shell_commands(text: str, expected: Found) -> None:
    reading = read("run.sh", text)
    assert (scalars(reading), reading.problem) == (expected, None)


def test_a_blank_after_a_backslash_is_a_problem() -> None:
    reading = read("run.sh", "python a.py --lr 1 \\ \n  --wd 2\n")
    assert (reading.problem_line, reading.problem) == (
        1,
        "a blank after the backslash ends the command here",
    )
    whole = next(e for e in reading.entries if e.length is not None)
    assert (whole.line, whole.end_line) == (1, 1)


def test_dockerfile_and_makefile() -> None:
    docker = read(
        "Dockerfile",
        'FROM cuda:11.8\nENV A=1 B="x y"\nENV OLD v w\nRUN apt update && \\\n# c\n'
        '  pip install torch==2.0\nCMD ["python", "train.py", "--epochs", "3"]\n',
    )
    found = [(e.line, dotted(e.path), e.value) for e in docker.entries]
    for item in [
        (1, "FROM", "cuda:11.8"),
        (2, "ENV.A", 1),
        (2, "ENV.B", "x y"),
        (3, "ENV.OLD", "v w"),
        (6, "pip.1", "torch==2.0"),
        (7, "train.py.epochs", 3),
    ]:
        assert item in found
    make = read("Makefile", "LR ?= 0.1\nrun: data\n\t@python a.py --lr $(LR) \\\n\t  --wd 1\n")
    assert scalars(make) == [(1, "LR", 0.1), (3, "a.py.lr", "$(LR)"), (4, "a.py.wd", 1)]


def test_dependencies_of_every_format(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "torch==2.1\n-e .\n",
        "environment.yml": "dependencies:\n- python=3.9\n- c::pytorch>=2\n- pip:\n  - timm==0.9\n",
        "pyproject.toml": "[project]\ndependencies = [\n 'jax>=0.4',\n]\n"
        "[tool.poetry.dependencies]\nray = '^2'\nx = {version = '1', extras = ['a']}\n",
        "setup.cfg": "[options]\ninstall_requires =\n    keras<3\n",
        "Dockerfile": "RUN pip install numpy==1.26\n",
        "conf.yaml": "model:\n  name: torch\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = Workspace(tmp_path, cache=False).dependencies()
    assert [(d.file, d.line, d.path[0], d.value) for d in found] == [
        ("Dockerfile", 1, "numpy", "==1.26"),
        ("environment.yml", 2, "python", "=3.9"),
        ("environment.yml", 3, "pytorch", ">=2"),
        ("environment.yml", 5, "timm", "==0.9"),
        ("pyproject.toml", 3, "jax", ">=0.4"),
        ("pyproject.toml", 6, "ray", "^2"),
        ("pyproject.toml", 7, "x", "1"),
        ("requirements.txt", 1, "torch", "==2.1"),
        ("setup.cfg", 3, "keras", "<3"),
    ]


NAMES = ["a.yaml", "a.json", "a.toml", "a.ini", ".env", "run.sh", "Dockerfile", "Makefile"]
NAMES += ["requirements.txt", "a.csv", "a.jsonl"]
HOSTILE = [
    "",
    "\n\n",
    "\0",
    "[" * 5000,
    "{" * 5000,
    '"\\' * 20_000,
    "'" * 20_001,
    '"""\\' * 10_000,
    " " * 60_000 + "=",
    ("a" + " " * 3000 + "\n") * 20,
    "a: " * 2000,
    "$(" * 20_000,
    "&a [*a]",
    "a: &a\n  <<: *a\n  b: 1\n",
    "x: &x [" + "*y," * 10 + "]",
    "n0: &n0 [1]\n" + "".join(f"n{i + 1}: &n{i + 1} [*n{i},*n{i},*n{i}]\n" for i in range(20)),
    "a: &a {" + ",".join(f"k{i}: 1" for i in range(5000)) + "}\nb: {<<: [" + "*a," * 5000 + "]}\n",
    "a: &a {" + ",".join(f"k{i}: 1" for i in range(5000)) + "}\nb:\n" + "  <<: *a\n" * 5000,
    "a = [\n" * 20_000,
    "=" * 50_000,
    "\\\n" * 5000,
    "<<EOF\n",
    "\ud800",
]


@pytest.mark.parametrize("name", NAMES)
def test_no_text_makes_a_reader_raise_or_crawl(name: str) -> None:
    for text in HOSTILE:
        with ends(20):
            reading = read(name, text)
        last = text.count("\n") + 1
        assert all(1 <= e.line <= e.end_line <= last + 1 for e in reading.entries)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(NAMES), st.text(alphabet="ab:=-[]{}#\"'\\ \n\t,.&*<>|!1$()", max_size=60))
def test_arbitrary_text_is_read(name: str, text: str) -> None:
    reading = read(name, text)
    assert (reading.problem is None) == (reading.problem_line is None)


def test_a_value_of_blanks_is_soon_known_for_no_requirement(tmp_path: Path) -> None:
    blanks = "a" + " " * 100_000
    (tmp_path / "pyproject.toml").write_text(f"[project]\ndependencies = ['{blanks}?']\n")
    (tmp_path / "environment.yml").write_text(f"dependencies:\n- '{blanks}#'\n")
    with ends():
        Workspace(tmp_path, cache=False).dependencies()


@pytest.mark.parametrize("extension", [*CONFIG_EXTENSIONS, *SHELL_EXTENSIONS])
def test_every_extension_of_configs_and_scripts_has_a_reader(extension: str) -> None:
    assert reader_for(f"base{extension}") is not None


def test_other_files_are_no_configs() -> None:
    assert [reader_for(name) for name in ("a.py", "README.md", "notes.txt", "poetry.lock")] == [
        None
    ] * 4


def test_sections_that_come_again_have_their_number() -> None:
    text = "[yolo]\nclasses=3\n[conv]\nsize=1\n[yolo]\nclasses=80\n"
    read = reader_for("net.cfg")
    assert read is not None
    found = [(e.path, e.value, e.line) for e in read("net.cfg", text).entries if e.length is None]
    assert found == [
        (("yolo", "classes"), 3, 2),
        (("conv", "size"), 1, 4),
        (("yolo", 1, "classes"), 80, 6),
    ]
