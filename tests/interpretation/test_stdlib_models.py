"""Files, settings, command lines and containers of the standard library, in programs."""

from __future__ import annotations

import argparse
import optparse
import shlex
from pathlib import Path

import pytest
from followed_programs import followed, shown

FILES = {
    "conf/c.yaml": "model:\n  dims: [3, 4]\nlr: 1e-3\nnames:\n  0: cat\n  '1': dog\nempty: []\n",
    "c.json": '{"batch": 4,\n "layers": [1,\n  2], "none": null}\n',
    "broken.json": '{"a": 1,\n "b": 2,\n}\n',
    "r.jsonl": '{"text": "ab"}\n{"text": "abc"}\n',
    "s.ini": "[train]\nlr = 0.5\nn = 7 ; rows\n",
    "p.toml": "seed = 3\n[model]\nsizes = [1, 2]\n",
    "t.tsv": "a\tb\n1\tx y\n",
    "d.csv": "a,b\n1,x\n2,y\n",
    "img/1.txt": "a",
    "img/2.txt": "b",
    "img/3.png": "",
}
HEAD = """
import collections, configparser, copy, csv, functools, glob, io, itertools, json, math
import os, random, re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import SimpleNamespace
from elsewhere import unknown_path
import yaml, tomllib
from omegaconf import OmegaConf
from tqdm import tqdm
@dataclass
class Settings:
    width: int = 3
    sizes: list = field(default_factory=list)
"""
EXPRESSIONS = {
    "json.load(open('c.json'))": {"batch": 4, "layers": [1, 2], "none": None},
    "json.loads(Path('c.json').read_text())['layers'][1]": 2,
    "yaml.safe_load(open('conf/c.yaml'))['model']['dims']": [3, 4],
    "yaml.safe_load(open('conf/c.yaml'))['lr']": "1e-3",
    "OmegaConf.load('conf/c.yaml')['lr']": 0.001,
    "yaml.safe_load(open('conf/c.yaml'))['names']": {0: "cat", "1": "dog"},
    "yaml.safe_load(open('conf/c.yaml'))['empty']": [],
    "tomllib.load(open('p.toml', 'rb'))['model']": {"sizes": [1, 2]},
    "[json.loads(line)['text'] for line in open('r.jsonl')]": ["ab", "abc"],
    "open('r.jsonl').readlines()[1]": '{"text": "abc"}\n',
    "open('r.jsonl').readline()": '{"text": "ab"}\n',
    "open('d.csv').read().split('\\n')[0]": "a,b",
    "list(csv.DictReader(open('d.csv')))": [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}],
    "list(csv.reader(open('d.csv')))[2]": ["2", "y"],
    "Path('img') / '1.png'": "img/1.png",
    "Path('img/1.png').stem": "1",
    "Path('img/1.png').parent.name": "img",
    "Path('img/1.png').with_suffix('.txt')": "img/1.txt",
    "sorted(p.name for p in Path('img').glob('*.txt'))": ["1.txt", "2.txt"],
    "[p.name for p in Path('.').rglob('2.*')]": ["2.txt"],
    "os.listdir('img')[0]": "1.txt",
    "list(os.walk('img'))": [("img", [], ["1.txt", "2.txt", "3.png"])],
    "[len(files) for folder, folders, files in os.walk('conf')]": [1],
    "'conf' in next(iter(os.walk('.')))[1]": True,
    "[entry.path for entry in os.scandir('img') if entry.name.endswith('.txt')]": [
        "img/1.txt",
        "img/2.txt",
    ],
    "[entry.is_dir() for entry in os.scandir('img')]": [False, False, False],
    "os.path.relpath('img/1.txt', 'img')": "1.txt",
    "os.path.getsize('d.csv')": ((), "int64"),
    "glob.glob('img/*.txt')": ["img/1.txt", "img/2.txt"],
    "os.path.exists('img/3.png')": True,
    "open('img/3.png', 'rb').read()": "unknown",
    "os.path.exists('d.csv')": True,
    "os.path.isdir('img')": True,
    "os.path.isfile('img')": False,
    "os.path.exists('elsewhere.csv')": "unknown",
    "os.path.splitext(os.path.basename('a/b.txt'))": ("b", ".txt"),
    "os.path.join('a', Path('b'))": "a/b",
    "list(csv.reader(open('t.tsv'), 'excel-tab'))": [["a", "b"], ["1", "x y"]],
    "list(csv.reader(open('t.tsv'), delimiter='\\t', quoting=csv.QUOTE_NONE))[1]": ["1", "x y"],
    "list(csv.reader(['a; b'], delimiter=';', skipinitialspace=True))": [["a", "b"]],
    "next(csv.DictReader(open('d.csv'), ['a'], restkey='rest'))": {"a": "a", "rest": ["b"]},
    "next(csv.DictReader(open('d.csv'), ['a', 'b', 'c'], restval='0'))['c']": "0",
    "[row['a'] for row in csv.DictReader(open(unknown_path))]": ("lazy", "unknown", "unknown"),
    "io.StringIO('a\\nb').readlines()": ["a\n", "b"],
    "io.StringIO('ab').getvalue()": "ab",
    "[line.decode() for line in open('d.csv', 'rb')][0]": "a,b\n",
    "Path('d.csv').read_bytes()[:3]": b"a,b",
    "json.loads(Path('c.json').read_bytes())['batch']": 4,
    "open('d.csv').read(2)": "a,",
    "open('d.csv').name": "d.csv",
    "Path('img/1.png') == Path('img') / '1.png'": True,
    "Path('img/1.png').is_absolute()": False,
    "Path('img/1.png').match('*.png')": True,
    "glob.glob('*.txt', root_dir='img')": ["1.txt", "2.txt"],
    "os.environ.get('HOME')": "unknown",
    "math.ceil(7 / 2)": 4,
    "math.factorial(10 ** 9)": "unknown",
    "dict(collections.Counter('aab'))": {"a": 2, "b": 1},
    "collections.Counter(['x', 'y', 'x']).most_common(1)": [("x", 2)],
    "collections.deque([1, 2]).popleft()": 1,
    "list(itertools.chain([1], [2, 3]))": [1, 2, 3],
    "len(list(itertools.product([1, 2], 'abc')))": 6,
    "functools.partial(max, 3)(5)": 5,
    "functools.reduce(lambda a, b: a * b, [2, 3, 4])": 24,
    "copy.deepcopy({'a': [1]})": {"a": [1]},
    "asdict(Settings())": {"width": 3, "sizes": []},
    "SimpleNamespace(x=1).x": 1,
    "[i for i in tqdm(range(3), desc='x')]": [0, 1, 2],
    "len(tqdm([1, 2]))": 2,
    "random.sample([5, 5], 2)": [5, 5],
    "random.choice([4, 4])": 4,
    "re.findall(r'\\w+', 'ab c')": ["ab", "c"],
    "re.findall(r'(a+)+$', 'a' * 40)": "unknown",
}


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    lines = [f"v{i} = {text}" for i, text in enumerate(EXPRESSIONS)]
    folder = tmp_path_factory.mktemp("program")
    interpreter, names = followed(folder, HEAD + "\n".join(lines), FILES)
    assert not interpreter.elsewhere
    return {text: shown(names[f"v{i}"]) for i, text in enumerate(EXPRESSIONS)}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_comes_to(values: dict[str, object], text: str) -> None:
    assert values[text] == EXPRESSIONS[text]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("yaml.safe_load(open('conf/c.yaml'))['model']['dims']", ("conf/c.yaml", 2)),
        ("json.load(open('c.json'))['layers'][1]", ("c.json", 3)),
        ("json.loads(open('r.jsonl').readlines()[1])['text']", ("r.jsonl", 2)),
        ("next(csv.DictReader(open('d.csv')))['b']", ("d.csv", 2)),
        ("tomllib.load(open('p.toml', 'rb'))['seed']", ("p.toml", 1)),
    ],
)
def test_a_value_keeps_the_line_of_its_file(
    tmp_path: Path, text: str, place: tuple[str, int]
) -> None:
    _, names = followed(tmp_path, f"{HEAD}value = {text}", FILES)
    assert place in names["value"].origins


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("open('missing.txt')", "file"),
        ("json.load(open('broken.json'))", "value"),
        ("json.loads('{')", "value"),
        ("os.path.join(None, 'a')", "type"),
        ("math.sqrt(-1)", "value"),
        ("random.sample([1], 2)", "value"),
        ("configparser.ConfigParser()['no']", "key"),
    ],
)
def test_what_the_library_refuses(tmp_path: Path, text: str, what: str) -> None:
    interpreter, _ = followed(tmp_path, f"{HEAD}value = {text}", FILES)
    assert [kind for _, kind in interpreter.elsewhere] == [what]


def test_what_the_program_wrote_is_not_missing(tmp_path: Path) -> None:
    program = "open('new.txt', 'w').write('a')\nvalue = open('new.txt').read()"
    interpreter, names = followed(tmp_path, program, {})
    assert not interpreter.elsewhere
    assert names["value"].data == "a"


def test_an_unknown_path_that_is_written_leaves_the_files_of_the_workspace(tmp_path: Path) -> None:
    program = """import os, shutil
open(os.environ["LOG"], "w").write("a")
shutil.copy2("d.csv", "out/e.csv")
value = open("d.csv").readline()
copied = open("out/e.csv").readline()
other = open("none.csv").readline()
"""
    interpreter, names = followed(tmp_path, program, FILES)
    assert not interpreter.elsewhere
    assert shown(names["value"]) == "a,b\n"
    assert shown(names["copied"]) == "a,b\n"
    assert not names["other"].known


def test_modules_of_the_workspace_that_are_imported_by_name(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "X = 5\ndef f(n):\n    return n\nclass K:\n    pass\n",
    }
    program = """import importlib, inspect, os, sys
from pkg import a
relative = importlib.import_module(".a", package="pkg").X
named = sys.modules["pkg.a"].X
file = os.path.basename(inspect.getfile(a.K))
module = inspect.getmodule(a.f).__name__
classes = [name for name, _ in inspect.getmembers(a, inspect.isclass)]
source = inspect.getsource(a.f)
"""
    interpreter, names = followed(tmp_path, program, files)
    assert not interpreter.elsewhere
    assert [shown(names[n]) for n in ("relative", "named", "file", "module", "classes")] == [
        *(5, 5, "a.py", "pkg.a", ["K"])
    ]
    assert shown(names["source"]) == "def f(n):\n    return n\n"


def test_loggers_keep_their_handlers(tmp_path: Path) -> None:
    program = """import logging
logger = logging.getLogger("a")
if not logger.handlers:
    handler = logging.StreamHandler()
    handler.setLevel(logging.INFO)
    logger.addHandler(handler)
count = len(logging.getLogger("a").handlers)
"""
    _, names = followed(tmp_path, program, {})
    assert shown(names["count"]) == 1


def test_the_header_row_is_taken_once(tmp_path: Path) -> None:
    program = "import csv\nr = csv.reader(open('d.csv'))\nhead = next(r)\nrest = list(r)"
    _, names = followed(tmp_path, program, FILES)
    assert shown(names["head"]) == ["a", "b"]
    assert shown(names["rest"]) == [["1", "x"], ["2", "y"]]


def test_settings_of_an_ini_file(tmp_path: Path) -> None:
    program = """import configparser
c = configparser.ConfigParser()
c.read("s.ini")
lr = c.getfloat("train", "lr")
text = c["train"]["n"]
names = c.sections()
other = c.getint("train", "other", fallback=2)"""
    _, names = followed(tmp_path, program, FILES)
    assert [shown(names[n]) for n in ("lr", "text", "names", "other")] == [
        *(0.5, "7 ; rows", ["train"], 2)
    ]
    assert names["lr"].origins == {("s.ini", 2)}


PARSER = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("data", nargs="?", default="d.csv")
parser.add_argument("-e", "--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default="0.1")
parser.add_argument("--fast", action="store_true")
parser.add_argument("--keep", action="store_false")
group = parser.add_argument_group("sizes")
group.add_argument("--sizes", nargs="+", type=int)
group.add_argument("--batch-size", type=int, choices=[4, 8], default=4)
parser.add_argument("-v", action="count", default=0)
parser.add_argument("--tag", action="append")
parser.add_argument("--mode", dest="how", default=None)
"""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "x.csv --epochs 5 --fast",
        "-e5 --lr=0.5 --sizes 1 2 3",
        "--batch-size 8 --keep -vv --tag a --tag b",
        "--ep 4 --mode m x.csv",
    ],
)
def test_a_command_line_is_read_as_argparse_reads_it(tmp_path: Path, line: str) -> None:
    words = shlex.split(line)
    names: dict[str, argparse.ArgumentParser] = {}
    exec(PARSER, names)
    expected = vars(names["parser"].parse_args(words))
    _, found = followed(tmp_path, f"{PARSER}space = vars(parser.parse_args())", {}, words)
    assert shown(found["space"]) == expected


@pytest.mark.parametrize("line", ["--epochs x", "--batch-size 5", "--unknown 1", "a b"])
def test_a_command_line_that_does_not_fit(tmp_path: Path, line: str) -> None:
    program = f"{PARSER}space = parser.parse_args()"
    interpreter, _ = followed(tmp_path, program, {}, shlex.split(line))
    assert [kind for _, kind in interpreter.elsewhere] == ["arguments"]


OPTIONS = """import optparse
parser = optparse.OptionParser(option_list=[optparse.make_option("--seed", type="int", default=1)])
parser.add_option("-c", "--cfg")
parser.add_option("-e", "--epochs", type="int", default="3")
parser.add_option("--lr", type=float, default=0.1, dest="rate")
parser.add_option("--fast", action="store_true")
parser.add_option("--keep", action="store_false", dest="keep", default=True)
parser.add_option("--tag", action="append")
group = optparse.OptionGroup(parser, "sizes")
group.add_option("--size", type="int", nargs=2)
parser.add_option_group(group)
parser.set_defaults(seed=7)
"""


@pytest.mark.parametrize(
    "line",
    ["", "a --cfg=x.cfg b -e5 --size 2 3", "--fast --keep --tag a --tag b --lr 2 -c y"],
)
def test_a_command_line_is_read_as_optparse_reads_it(tmp_path: Path, line: str) -> None:
    words = shlex.split(line)
    names: dict[str, optparse.OptionParser] = {}
    exec(OPTIONS, names)
    options, rest = names["parser"].parse_args(words)
    program = f"{OPTIONS}options, rest = parser.parse_args()\nspace = vars(options)"
    _, found = followed(tmp_path, program, {}, words)
    assert (shown(found["space"]), shown(found["rest"])) == (vars(options), rest)


CONFIGURED = """import configargparse

class Parser(configargparse.ArgumentParser):
    def __init__(self, **keywords):
        super().__init__(config_file_parser_class=configargparse.YAMLConfigFileParser, **keywords)

parser = Parser(description="training")
group = parser.add_argument_group("model")
group.add("--config", is_config_file_arg=True)
group.add("--word_vec_size", "-word_vec_size", type=int, default=-1)
group.add("--hidden-size", type=int, required=True)
group.add("--fast", action="store_true")
group.add("--steps", type=int, default=10)
space, rest = parser.parse_known_args()
"""


def test_options_that_a_config_file_sets(tmp_path: Path) -> None:
    files = {"small.yaml": "word_vec_size: 64\nhidden-size: 128\nfast: true\nsteps: 3\nother: 1\n"}
    words = ["--config", "small.yaml", "--steps", "5"]
    _, names = followed(tmp_path, CONFIGURED, files, words)
    state = names["space"].data.state
    assert {key: state[key].data for key in ("word_vec_size", "hidden_size", "fast", "steps")} == {
        "word_vec_size": 64,
        "hidden_size": 128,
        "fast": True,
        "steps": 5,
    }
    assert state["hidden_size"].origins == {("small.yaml", 2)}


def test_a_value_of_the_command_line_comes_from_there(tmp_path: Path) -> None:
    program = f"{PARSER}args = parser.parse_args()\nepochs = args.epochs\nlr = args.lr"
    _, names = followed(tmp_path, program, {}, ["--epochs=7"])
    assert (names["epochs"].data, names["epochs"].origins) == (7, {("run.sh", 1)})
    assert (names["lr"].data, names["lr"].origins) == (0.1, {("main.py", 5)})
