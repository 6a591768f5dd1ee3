"""Where settings come from: command lines, files of settings and the classes that hold them."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import pytest
from followed_programs import followed, shown

HEAD = "import argparse\np = argparse.ArgumentParser()\n"
COMMANDS = {
    # Each program with a command line; what it keeps is compared with what argparse makes of it.
    "p.add_argument('--cfg', default='a')\np.add_argument('--gpus', default='0-3')\n"
    "p.add_argument('opts', nargs=argparse.REMAINDER)": "--gpus 0 --cfg c.yaml A.B 3",
    "p.add_argument('pos')\np.add_argument('pos2', nargs='?', default='z')\n"
    "p.add_argument('--two', nargs=2, type=float)\n"
    "p.add_argument('--opt', nargs='?', const=7, default=3, type=int)\n"
    "p.add_argument('--star', nargs=argparse.ZERO_OR_MORE)\n"
    "p.add_argument('--one', nargs=1, default=[1])": "a --two 1 2 --opt --star x y",
    "g = p.add_mutually_exclusive_group(required=True)\n"
    "g.add_argument('--a', action='store_true')\n"
    "g.add_argument('--b', action='store_false', dest='a')\n"
    "p.add_argument('--c', action='store_const', const=3, default=1)\n"
    "p.add_argument('--d', action='append_const', const=3, dest='l')\n"
    "p.add_argument('--e', action='append_const', const=4, dest='l')\n"
    "p.add_argument('-v', action='count')\n"
    "p.add_argument('--flag', action=argparse.BooleanOptionalAction, default=True)\n"
    "p.add_argument('--ext', action='extend', nargs='+', type=int)\n"
    "p.add_argument('--app', action='append', nargs='*', type=int)\n"
    "p.add_argument('--version', action='version', version='1')": (
        "--b --c --d --e -vvv --no-flag --ext 1 2 --ext 3 --app 1 2 --app 3"
    ),
    "p.add_argument('--v', action='store_true')\np.add_argument('--lr', type=float)\n"
    "s = p.add_subparsers(dest='cmd', required=True)\n"
    "t = s.add_parser('train', aliases=['tr'])\n"
    "t.add_argument('--lr', type=float, default='0.1')\nt.set_defaults(steps=5)\n"
    "u = s.add_parser('test')\nu.set_defaults(steps=6)": "--v tr --lr 0.5",
    "p.add_argument('--mode')\ns = p.add_subparsers(dest='cmd')\n"
    "s.add_parser('train').set_defaults(x=1)\ns.add_parser('test').set_defaults(x=2)": (
        "--mode train test"
    ),
    "b = argparse.ArgumentParser(add_help=False)\n"
    "b.add_argument_group('g').add_argument('--base', type=int)\nb.set_defaults(k=9)\n"
    "p = argparse.ArgumentParser(parents=[b])\np.add_argument('--own', type=int)": (
        "--base 4 --own 2"
    ),
    "p = argparse.ArgumentParser(argument_default=argparse.SUPPRESS, prefix_chars='-+')\n"
    "p.set_defaults(b=5, z='q')\np.add_argument('+a', type=int)\np.add_argument('--b', type=int)\n"
    "p.add_argument('--c', type=int, default='4')\np.add_argument('--e', type=int)\n"
    "p.add_argument('--z', default='own')\np.set_defaults(c='7')": "+a 2",
    "p.add_argument('--x', type=int)\np.add_argument('--y', type=float)\n"
    "p.add_argument('--learning-rate', type=float)\np.add_argument('z', type=int)": (
        "--x -5 --y=-0.5 --learn=3 -2"
    ),
    "class Pairs(argparse.Action):\n"
    "    def __call__(self, parser, namespace, values, option_string=None):\n"
    "        held = getattr(namespace, self.dest) or {}\n"
    "        for pair in values:\n            k, v = pair.split('=')\n"
    "            held[k] = int(v)\n"
    "        setattr(namespace, self.dest, held)\n"
    "class Upper(argparse.Action):\n"
    "    def __init__(self, option_strings, dest, nargs=None, **kw):\n"
    "        super().__init__(option_strings, dest, nargs=nargs, **kw)\n"
    "    def __call__(self, parser, namespace, values, option_string=None):\n"
    "        setattr(namespace, self.dest, values.upper())\n"
    "        namespace.seen = option_string\n"
    "p.add_argument('--kv', nargs='+', action=Pairs)\np.add_argument('--path', action=Upper)\n"
    "p.add_argument('--other', action=Upper, default='d')": "--kv a=1 b=2 --path x.txt",
    "def ints(s):\n    return [int(x) for x in s.split(',')]\n"
    "class Range:\n    def __init__(self, low):\n        self.low = low\n"
    "    def __call__(self, s):\n        return max(float(s), self.low)\n"
    "p.add_argument('--l', type=ints, default='4,5')\np.add_argument('--m', type=ints)\n"
    "p.add_argument('--n', type=lambda s: int(s) * 2)\np.add_argument('--r', type=Range(1))": (
        "--m 1,2 --n 4 --r 0.5"
    ),
}


@pytest.mark.parametrize("program", COMMANDS)
def test_a_command_line_is_read_as_the_library_reads_it(tmp_path: Path, program: str) -> None:
    words = shlex.split(COMMANDS[program])
    names: dict[str, argparse.ArgumentParser] = {}
    exec(HEAD + program, names)
    expected = vars(names["p"].parse_args(words))
    text = f"{HEAD}{program}\nspace = vars(p.parse_args())"
    interpreter, found = followed(tmp_path, text, {}, words)
    assert not interpreter.elsewhere
    assert shown(found["space"]) == expected


def test_words_of_a_file_come_from_its_lines(tmp_path: Path) -> None:
    program = (
        "import argparse\nclass Parser(argparse.ArgumentParser):\n"
        "    def convert_arg_line_to_args(self, line):\n        return line.split()\n"
        "p = Parser(fromfile_prefix_chars='@')\np.add_argument('--a', type=int)\n"
        "p.add_argument('--b', type=int)\nargs = p.parse_args()\na = args.a\nb = args.b"
    )
    files = {"args.txt": "--a 5\n--b 2\n"}
    _, names = followed(tmp_path, program, files, ["@args.txt", "--b", "3"])
    assert (names["a"].data, names["b"].data) == (5, 3)
    assert ("args.txt", 1) in names["a"].origins
    assert names["b"].origins == {("run.sh", 1)}


def test_words_left_over_are_handed_on(tmp_path: Path) -> None:
    program = (
        f"{HEAD}p.add_argument('--a', type=int)\nspace, rest = p.parse_known_args()\n"
        "q = argparse.ArgumentParser()\nq.add_argument('--z', type=int)\n"
        "q.add_argument('-q', action='store_true')\nq.parse_args(rest, namespace=space)\n"
        "held = vars(space)"
    )
    _, names = followed(tmp_path, program, {}, ["--a", "1", "--z", "3", "-q"])
    assert shown(names["held"]) == {"a": 1, "z": 3, "q": True}


def test_an_option_whose_name_is_not_known_leaves_the_others(tmp_path: Path) -> None:
    program = (
        f"{HEAD}import unknown_package\np.add_argument('--lr', type=float, default=1.0)\n"
        "p.add_argument('--' + unknown_package.name)\np.add_argument('data')\n"
        "args = p.parse_args()\nlr = args.lr\ndata = args.data"
    )
    _, names = followed(tmp_path, program, {}, ["x", "--lr", "3"])
    assert names["lr"].data == 3.0
    assert not names["data"].known


NAMESPACE = """import argparse, copy
p = argparse.ArgumentParser()
p.add_argument("--a", type=int)
args = p.parse_args()
vars(args).update({"c": 4})
args.__dict__.update({"d": 5})
args.__dict__["e"] = 6
setattr(args, "f", 7)
del args.c
delattr(args, "d")
held = dict(args.__dict__)
inside = "a" in args
outside = "zz" not in args
pairs = dict(args._get_kwargs())
other = vars(argparse.Namespace(**{**vars(args), "h": 1}))
"""


def test_the_dictionary_of_a_namespace_is_its_attributes(tmp_path: Path) -> None:
    _, names = followed(tmp_path, NAMESPACE, {}, ["--a", "2"])
    expected = {"a": 2, "e": 6, "f": 7}
    assert shown(names["held"]) == shown(names["pairs"]) == expected
    assert (names["inside"].data, names["outside"].data) == (True, True)
    assert shown(names["other"]) == {**expected, "h": 1}


CHOSEN = """import argparse
class Base:
    @staticmethod
    def parse_model_args(parser):
        parser.add_argument("--buffer", type=int, default=1)
        return parser
class Net(Base):
    @staticmethod
    def parse_model_args(parser):
        parser.add_argument("--width", type=int, default=64)
        return Base.parse_model_args(parser)
first = argparse.ArgumentParser(add_help=False)
first.add_argument("--model", default="Base")
chosen = eval("{0}".format(first.parse_known_args()[0].model))
parser = chosen.parse_model_args(argparse.ArgumentParser())
args, rest = parser.parse_known_args()
width = args.width
buffer = args.buffer
doubled = eval("args." + "width * 2", {"args": args})
"""


def test_the_class_that_a_word_names_adds_the_options(tmp_path: Path) -> None:
    _, names = followed(tmp_path, CHOSEN, {}, ["--model", "Net", "--width", "32"])
    assert [names[n].data for n in ("width", "buffer", "doubled")] == [32, 1, 64]
    assert names["width"].origins == {("run.sh", 1)}
    assert shown(names["rest"]) == ["--model", "Net"]


def test_words_of_settings(tmp_path: Path) -> None:
    program = (
        f"{HEAD}from mmengine import DictAction\n"
        "p.add_argument('--cfg-options', nargs='+', action=DictAction)\n"
        "held = p.parse_args().cfg_options"
    )
    words = ["--cfg-options", "model.depth=50", "lr=0.5", "sizes=1,2", "pair=(1,x)", "on=true"]
    _, names = followed(tmp_path, program, {}, words)
    expected = {"model.depth": 50, "lr": 0.5, "sizes": [1, 2], "pair": (1, "x"), "on": True}
    assert shown(names["held"]) == expected


# --- yacs -----------------------------------------------------------------------------------------

DEFAULTS = """from yacs.config import CfgNode as CN
_C = CN()
_C.MODEL = CN()
_C.MODEL.NAME = "a"
_C.MODEL.SIZES = (3,)
_C.MODEL.EXTRA = CN(new_allowed=True)
_C.TRAIN = CN({"LR": 0.1, "STEPS": 3})
cfg = _C.clone()
"""
NODE_FILES = {
    "c.yaml": "MODEL:\n  NAME: b\n  SIZES: [5, 6]\n  EXTRA:\n    Q: 1\nTRAIN:\n  STEPS: 7\n"
}


def test_a_setting_comes_from_what_set_it_last(tmp_path: Path) -> None:
    program = (
        f"{DEFAULTS}cfg.merge_from_file('c.yaml')\nimport sys\n"
        "cfg.merge_from_list(sys.argv[1:])\ncfg.freeze()\nname = cfg.MODEL.NAME\n"
        "sizes = cfg.MODEL['SIZES']\nextra = cfg.MODEL.EXTRA.Q\nrate = cfg.TRAIN.LR\n"
        "steps = cfg.TRAIN.STEPS\nbefore = _C.TRAIN.LR\nkeys = list(cfg)\n"
        "train = dict(**cfg.TRAIN)\ninside = 'MODEL' in cfg\nother = cfg.get('OTHER', 4)"
    )
    interpreter, names = followed(tmp_path, program, NODE_FILES, ["TRAIN.LR", "0.5"])
    assert not interpreter.elsewhere
    expected = {"name": "b", "sizes": (5, 6), "extra": 1, "rate": 0.5, "steps": 7, "before": 0.1}
    assert {name: shown(names[name]) for name in expected} == expected
    assert names["sizes"].origins == {("c.yaml", 3)}
    assert names["steps"].origins == {("c.yaml", 7)}
    assert names["rate"].origins == {("run.sh", 1)}
    assert names["before"].origins == {("main.py", 7)}
    assert shown(names["keys"]) == ["MODEL", "TRAIN"]
    assert shown(names["train"]) == {"LR": 0.5, "STEPS": 7}
    assert (names["inside"].data, names["other"].data) == (True, 4)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("cfg.merge_from_file('other.yaml')", "key"),
        ("cfg.merge_from_list(['TRAIN.RATE', 1])", "key"),
        ("cfg.merge_from_list(['TRAIN.STEPS', 0.5])", "value"),
        ("cfg.merge_from_list(['TRAIN.STEPS'])", "value"),
        ("cfg.merge_from_other_cfg(CN({'TEST': 1}))", "key"),
        ("cfg.freeze()\ncfg.TRAIN.LR = 3", "attribute"),
    ],
)
def test_what_a_node_refuses(tmp_path: Path, statement: str, what: str) -> None:
    files = {"other.yaml": "TRAIN:\n  RATE: 1\n"}
    interpreter, _ = followed(tmp_path, DEFAULTS + statement, files)
    assert [kind for _, kind in interpreter.elsewhere] == [what]


def test_a_class_of_the_program_that_is_a_node(tmp_path: Path) -> None:
    program = (
        "from fvcore.common.config import CfgNode as _Node\n"
        "class Node(_Node):\n    def lay(self, table):\n"
        "        self.merge_from_other_cfg(Node(table))\n"
        "c = Node({'a': {'b': 1}})\nc.z = 3\nc.lay({'a': {'b': 4}})\n"
        "c.merge_from_file('own.yaml')\nb = c.a.b\nz = c['z']"
    )
    files = {"own.yaml": "_BASE_: base.yaml\nz: 5\n", "base.yaml": "a:\n  b: 6\nz: 4\n"}
    _, names = followed(tmp_path, program, files)
    assert (names["b"].data, names["z"].data) == (6, 5)
    assert names["b"].origins == {("base.yaml", 2)}


# --- classes of the program -----------------------------------------------------------------------

CLASSES = {
    "class C(dict):\n    def __init__(self, *a, **k):\n        super(C, self).__init__(*a, **k)\n"
    "        self.__dict__ = self\nc = C({'a': 1})\nc.z = 4\nc['y'] = 5\n"
    "value = (c.a, c['z'], c.y, dict(c))": (1, 4, 5, {"a": 1, "z": 4, "y": 5}),
    "class C(dict):\n    def __init__(self, d):\n        for k, v in d.items():\n"
    "            setattr(self, k, v)\n    def __setattr__(self, name, value):\n"
    "        if isinstance(value, dict) and not isinstance(value, C):\n"
    "            value = C(value)\n"
    "        super(C, self).__setattr__(name, value)\n"
    "        super(C, self).__setitem__(name, value)\n    __setitem__ = __setattr__\n"
    "c = C({'a': {'b': 1}})\nc.n = {'z': 3}\nvalue = (c.a.b, c.n.z, c['a']['b'])": (1, 3, 1),
    "class C:\n    def __init__(self, **held):\n        self.__dict__ = held\n"
    "c = C(a=1)\nc.b = 2\nvalue = (c.a, vars(c))": (1, {"a": 1, "b": 2}),
    "from enum import Enum\nMode = Enum('Mode', 'Yes No')\nKind = Enum('Kind', {'A': 'a'})\n"
    "value = (Mode.Yes == Mode.No, Mode['No'].value, Kind('a').name, Mode.No is Mode.No)": (
        *(False, 2, "A", True),
    ),
    "value = (type(3) is dict, type({}) is dict, type(0.5) == bool, type(1) != int)": (
        *(False, True, False, False),
    ),
    "class C:\n    lr = 0.1\nclass D(C):\n    lr = 0.5\nsetattr(D, 'steps', 3)\n"
    "value = ({k: v for k, v in vars(D).items() if k[0] != '_'}, D.__dict__['lr'])": (
        {"lr": 0.5, "steps": 3},
        0.5,
    ),
}


@pytest.mark.parametrize("program", CLASSES)
def test_a_class_that_holds_settings(tmp_path: Path, program: str) -> None:
    interpreter, names = followed(tmp_path, program, {})
    assert not interpreter.elsewhere
    assert shown(names["value"]) == CLASSES[program]


def test_the_names_of_a_module(tmp_path: Path) -> None:
    program = (
        "import settings\nvalue = settings.__dict__['lr']\n"
        "name = 'size'\nother = vars(settings)[name]"
    )
    _, names = followed(tmp_path, program, {"settings.py": "lr = 0.5\nsize = 3\n"})
    assert (names["value"].data, names["other"].data) == (0.5, 3)
    assert ("settings.py", 2) in names["other"].origins


OF_JSON = """\
{ // sizes of the model
  "model": {
    "width": 32, // of layers
    /* of the pyramid,
       largest first */
    "sizes": [
      8,
      4
    ]
  },
  // learning
  "lr": 0.1
}
"""
READ_BY_LINES = """\
import json
text = ''
with open('c.json') as f:
    for line in f:
        text += line.split('//')[0].split('/*')[0].split('largest')[0] + '\\n'
"""
IN_FILES = {
    "c.json": OF_JSON,
    "c.yaml": "# a run\nmodel:\n  width: 32\n  sizes: [8, 4]\nroot: ${ROOT}/x\nlr: 0.1\n",
    "c.toml": "# a run\nlr = 0.1\n[model]\nwidth = 32\nsizes = [\n  8,\n  4,\n]\n",
    "c.ini": "; a run\n[model]\nwidth = 32\n\n[train]\nlr = 0.1\n",
    "c.txt": "{\n 'model': {\n  'width': 32,\n  'sizes': (8,\n   4)},\n 'lr': 0.1,\n}\n",
}
OF_ENTRIES = {
    READ_BY_LINES + "c = json.loads(text)": {"c.json": [3, 7, 12]},
    READ_BY_LINES + "from collections import OrderedDict\n"
    "c = json.loads(text, object_pairs_hook=OrderedDict)": {"c.json": [3, 7, 12]},
    READ_BY_LINES + "class Table(dict):\n    __getattr__ = dict.get\n"
    "def tables(d):\n    return Table(**{k: tables(v) if isinstance(v, dict) else v"
    " for k, v in d.items()})\nc = tables(json.loads(text))": {"c.json": [3, 7, 12]},
    READ_BY_LINES + "def merge(a, b):\n    for k, v in b.items():\n"
    "        if isinstance(v, dict) and k in a:\n            merge(a[k], v)\n"
    "        else:\n            a[k] = v\n    return a\n"
    "c = merge({'model': {'depth': 2}}, json.loads(text))": {"c.json": [3, 7, 12]},
    "import json\nlines = [x for x in open('c.json').read().splitlines()]\n"
    "c = json.loads(''.join(x.split('//')[0] for x in lines if '*' not in x and 'lar' not in x))": {
        "c.json": [3, 7, 12]
    },
    "import json, re\nfrom pathlib import Path\ntext = Path('c.json').read_text()\n"
    "text = re.sub(r'//.*', '', re.sub(r'/\\*[\\s\\S]*?\\*/\\n', '', text))\n"
    "c = json.loads(text)": {"c.json": [3, 7, 12]},
    "import json5\nwith open('c.json') as f:\n    c = json5.load(f)": {"c.json": [3, 7, 12]},
    "import yaml\nc = yaml.safe_load(open('c.yaml').read().replace('${ROOT}', '/d'))": {
        "c.yaml": [3, 4, 6]
    },
    "import os, yaml\nc = yaml.safe_load(os.path.expandvars(open('c.yaml').read()))": {
        "c.yaml": [3, 4, 6]
    },
    "import toml\nc = toml.loads(''.join(x for x in open('c.toml') if x[0] != '#'))": {
        "c.toml": [4, 6, 2]
    },
    "import ast\nc = ast.literal_eval(open('c.txt').read())": {"c.txt": [3, 4, 6]},
    "import ast\nc = ast.literal_eval(''.join(x.strip() for x in open('c.txt')))": {
        "c.txt": [3, 4, 6]
    },
}


@pytest.mark.parametrize("program", OF_ENTRIES)
def test_entries_of_a_text_have_the_lines_of_its_file(tmp_path: Path, program: str) -> None:
    _, names = followed(tmp_path, f"{program}\nx = c['model']", IN_FILES)
    document, model = names["c"].data, names["x"].data
    if not isinstance(document, dict):
        _, names = followed(
            tmp_path,
            f"{program}\nw, s, r = c['model']['width'], c['model']['sizes'][0], c['lr']",
            IN_FILES,
        )
        values = [names["w"], names["s"], names["r"]]
    else:
        assert isinstance(model, dict)
        values = [model["width"], model["sizes"].data[0], document["lr"]]
    assert [value.data for value in values] == [32, 8, 0.1]
    ((file, lines),) = OF_ENTRIES[program].items()
    for value, line in zip(values, lines, strict=True):
        assert {o for o in value.origins if o[0] == file} == {(file, line)}


def test_sections_of_a_text_have_the_lines_of_its_file(tmp_path: Path) -> None:
    program = (
        "import configparser\np = configparser.ConfigParser()\n"
        "p.read_string('[all]\\na = 1\\n' + open('c.ini').read())\n"
        "a, w, r = p['all']['a'], p.getint('model', 'width'), p['train'].getfloat('lr')"
    )
    _, names = followed(tmp_path, program, IN_FILES)
    assert [names[n].data for n in "awr"] == ["1", 32, 0.1]
    assert [{o for o in names[n].origins if o[1] > 0} for n in "wr"] == [
        {("c.ini", 3)},
        {("c.ini", 6)},
    ]


def test_a_record_of_a_file_keeps_its_own_line(tmp_path: Path) -> None:
    """Records have the same keys, and often the same values."""
    files = {"r.jsonl": '{"n": 1}\n{"n": 1}\n{"n": 1}\n'}
    program = (
        "import json\nrows = [json.loads(line) for line in open('r.jsonl')]\n"
        "last = json.loads(' '.join(open('r.jsonl').read().splitlines()[2:]))"
    )
    _, names = followed(tmp_path, program, files)
    rows = names["rows"].data
    assert isinstance(rows, list)
    assert [min(row.data["n"].origins) for row in rows] == [("r.jsonl", n) for n in (1, 2, 3)]
    last = names["last"].data
    assert isinstance(last, dict)
    assert ("r.jsonl", 2) not in last["n"].origins


def test_what_a_program_changed_in_a_document_is_not_taken_from_the_file(tmp_path: Path) -> None:
    program = (
        "import json\ntext = open('c.json').read().replace('0.1', '0.5')\n"
        "c = json.loads(text)\nr = c['lr']"
    )
    _, names = followed(tmp_path, program, {"c.json": '{\n "n": 3,\n "lr": 0.1\n}\n'})
    assert names["r"].data == 0.5
    assert {("c.json", 3), ("main.py", 2)} <= names["r"].origins


def test_a_document_whose_path_is_not_known_is_not_the_file_that_names_it(tmp_path: Path) -> None:
    program = (
        "import json, requests, yaml\nc = yaml.safe_load(open('c.yaml'))\n"
        "x = json.loads(requests.get(c['url']).text)\n"
        "y = yaml.safe_load(requests.get(c['url']).text)"
    )
    _, names = followed(tmp_path, program, {"c.yaml": "lr: 1\nurl: http://h/x\n"})
    assert [shown(names[name]) for name in "xy"] == ["unknown", "unknown"]
