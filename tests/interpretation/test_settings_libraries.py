"""Settings that libraries hold: bindings of gin, attribute dictionaries, models of pydantic.

Every expected value is what the program gives with the library itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

# --- gin ------------------------------------------------------------------------------------------

GIN_FILES = {
    "lib.py": """\
import gin
@gin.configurable
def train(model, epochs=1, lr=0.1, opt=None, warm=gin.REQUIRED):
    return epochs, lr, opt, warm
@gin.configurable('Adam', module='optimizers')
class MyAdam:
    def __init__(self, lr, betas=(0.9, 0.99)):
        self.lr, self.betas = lr, betas
@gin.register
def make(width=2):
    return width * 2
@gin.configurable(denylist=['x'])
def scaled(x, factor=1):
    return x * factor
""",
    "base.gin": "LR = 0.5\ntrain.epochs = 7\ntrain.lr = 3\n",
    "c.gin": """\
include 'base.gin'
train.lr = %LR
train.opt = [@Adam, @make(), {'k': @wide/make()}]
optimizers.Adam.lr = %LR
wide/make.width = 10
lib.scaled.factor = 2
big/scaled.factor = 5
big/inner/scaled.factor = 6
train:
    warm = 4
""",
}
BOUND = """\
import sys
import gin
from lib import train, MyAdam, scaled, make
gin.parse_config_files_and_bindings(['c.gin'], sys.argv[1:])
epochs, lr, opt, warm = train(None)
two = train(None, 2, lr=9)[:2]
adam = opt[0](betas=(0, 1))
kept = (adam.lr, adam.betas)
made = (opt[1], opt[2]['k'], make())
plain = scaled(3)
with gin.config_scope('big'):
    large = scaled(3)
    with gin.config_scope('inner'):
        larger = scaled(3)
after = scaled(3)
asked = (gin.query_parameter('train.epochs'), gin.query_parameter('big/scaled.factor'))
"""


def test_functions_get_what_gin_binds(tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, BOUND, GIN_FILES, ["train.epochs = 20"])
    assert not interpreter.elsewhere
    expected = {
        "epochs": 20,
        "lr": 0.5,
        "warm": 4,
        "two": (2, 9),
        "kept": (0.5, (0, 1)),
        "made": (4, 20, 4),
        "plain": 6,
        "large": 15,
        "larger": 18,
        "after": 6,
        "asked": (20, 5),
    }
    assert {name: shown(names[name]) for name in expected} == expected
    assert names["epochs"].origins == {("run.sh", 1)}
    assert names["lr"].origins == {("base.gin", 1), ("c.gin", 2)}
    assert names["warm"].origins == {("c.gin", 10)}


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("train(None)", "arguments"),
        ("gin.parse_config('train.epoch = 3')", "value"),
        ("gin.parse_config('train.epochs = 3 x')", "value"),
        ("gin.query_parameter('train.model')", "value"),
        ("gin.parse_config_file('other.gin')", "file"),
        ("gin.bind_parameter('scaled.y', 3)", "value"),
    ],
)
def test_what_gin_refuses(tmp_path: Path, statement: str, what: str) -> None:
    program = (
        "import gin\nfrom lib import train, scaled\n"
        f"gin.parse_config('train.epochs = 2')\n{statement}"
    )
    interpreter, _ = followed(tmp_path, program, {"lib.py": GIN_FILES["lib.py"]})
    assert [kind for _, kind in interpreter.elsewhere] == [what]


MORE_OF_GIN = {
    # Classes without a constructor of their own, constructors of bases, singletons, constants.
    "@gin.configurable\n@dataclass\nclass Fields:\n    dim: int = 3\n"
    "gin.parse_config('Fields.dim = 8')\nvalue = (Fields().dim, Fields(dim=2).dim)": (8, 2),
    "class Base:\n    def __init__(self, dim=1):\n        self.dim = dim\n"
    "@gin.configurable\nclass Net(Base):\n    pass\n"
    "gin.parse_config('Net.dim = 8')\nvalue = (Net().dim, Base().dim)": (8, 1),
    "@gin.configurable\ndef part(x=1):\n    return [x]\n@gin.configurable\ndef use(a, b):\n"
    "    return a is b, a\n"
    "gin.parse_config(['use.a = @one/singleton()', 'use.b = @one/singleton()',"
    " 'one/singleton.constructor = @part', 'part.x = 5'])\nvalue = use()": (True, [5]),
    "gin.constant('SIZE', 7)\n@gin.configurable\ndef f(n):\n    return n\n"
    "gin.parse_config('f.n = (%SIZE, -2)')\nvalue = f()": ((7, -2)),
    "def plain(x, y=1):\n    return x + y\nbound = gin.external_configurable(plain, name='outer')\n"
    "gin.parse_config('outer.y = 4')\nvalue = (bound(1), plain(1))": (5, 2),
    "class Run:\n    @gin.configurable\n    def go(self, n, m=1):\n        return n * m\n"
    "gin.parse_config('Run.go.n = 3\\nRun.go.m = 2')\nvalue = Run().go()": 6,
    "@gin.configurable\ndef f(n=1):\n    return n\ngin.bind_parameter('f.n', 5)\nfirst = f()\n"
    "gin.clear_config()\nvalue = (first, f())": (5, 1),
    "@gin.configurable\ndef f(*, n=gin.REQUIRED, **more):\n    return n, more\n"
    "gin.parse_config('f.n = 1\\nf.z = 2')\nvalue = f(n=gin.REQUIRED)": (1, {"z": 2}),
}


@pytest.mark.parametrize("program", MORE_OF_GIN)
def test_more_that_gin_configures(tmp_path: Path, program: str) -> None:
    head = "import gin\nfrom dataclasses import dataclass\n"
    interpreter, names = followed(tmp_path, head + program, {})
    assert not interpreter.elsewhere
    assert shown(names["value"]) == MORE_OF_GIN[program]


def test_a_copy_of_a_config_leads_back_to_it(tmp_path: Path) -> None:
    text = "f.n = 3\nf.m = 4\nf.k = 5\n"
    files = {
        "configs/a.gin": text,
        "configs/b.gin": "f.n = 3\nf.m = 7\nf.k = 5\n",
        "runs/one/config.gin": f"{text}f.k = 9\n",
        "c.yaml": "a: 1\nb: 2\nc: 3\n",
        "runs/one/c.yaml": "a: 1\nb: 2\nc: 3\n",
        ".gitignore": "runs/\n",
    }
    program = (
        "import gin\nimport yaml\n@gin.configurable\ndef f(n, m, k):\n    return n, m, k\n"
        "gin.parse_config_file('runs/one/config.gin')\nn, m, k = f()\n"
        "b = yaml.safe_load(open('runs/one/c.yaml'))['b']"
    )
    _, names = followed(tmp_path, program, files)
    assert [shown(names[name]) for name in "nmkb"] == [3, 4, 9, 2]
    assert names["m"].origins == {("configs/a.gin", 2)}
    assert names["k"].origins == {("runs/one/config.gin", 4)}
    assert names["b"].origins == {("c.yaml", 2), ("main.py", 8)}


# --- attribute dictionaries and documents ---------------------------------------------------------

FILES = {
    "c.yaml": "model:\n  dim: 3\n  layers: [1, 2]\nlr: 0.5\nnamed: [{a: 1}]\n",
    "c.json": '{"model": {"dim": 3}, "lr": 0.5}\n',
    "c.ini": "[DEFAULT]\nroot = /data\n[train]\nlr = 0.5\nsteps = 7\npath = %(root)s/x\n"
    "amp = yes\n[other]\nextended = ${train:lr}\n",
    "two.yaml": "a: 1\n---\na: 2\n",
    ".env": 'LR=0.5\nNAME="x y"\n',
}
HELD = {
    "from easydict import EasyDict\nc = EasyDict(yaml.safe_load(open('c.yaml')))\n"
    "c.new = {'z': 1}\nd = EasyDict()\nd.a = EasyDict(b=2)\nc.update({'m': {'q': 1}})\n"
    "value = (c.model.dim, c['lr'], c.new.z, c.get('no', 9), 'lr' in c, d.a.b, dict(c.model),"
    " c.named[0].a, c.m.q, hasattr(c, 'no'), {**d.a}, isinstance(c, dict))": (
        *(3, 0.5, 1, 9, True, 2, {"dim": 3, "layers": [1, 2]}, 1, 1, False, {"b": 2}, True),
    ),
    "from addict import Dict\nc = Dict(yaml.safe_load(open('c.yaml')))\nc.a.b.c = 3\n"
    "seen = bool(c.missing)\nc.update({'model': {'x': 1}})\n"
    "value = (c.model.dim, c.a.b.c, seen, 'missing' in c, c.model.x, c.model.to_dict()['dim'])": (
        *(3, 3, False, False, 1, 3),
    ),
    "from munch import Munch, munchify, DefaultMunch\n"
    "c = munchify(yaml.safe_load(open('c.yaml')))\nm = Munch(a=1, b={'c': 2})\nm.x = 3\n"
    "value = (c.model.dim, m['b'], sorted(m), c.toDict()['lr'], DefaultMunch(0, {'a': 1}).z)": (
        *(3, {"c": 2}, ["a", "b", "x"], 0.5, 0),
    ),
    "from box import Box\nc = Box(yaml.safe_load(open('c.yaml')))\nc.model.new = 5\n"
    "b = Box({'n': {'x': 2}}, default_box=True)\n"
    "value = (c['model']['new'], c.named[0].a, b.n.x, list(c))": (
        *(5, 1, 2, ["model", "lr", "named"]),
    ),
    "import ml_collections\nfrom ml_collections import config_dict\n"
    "c = ml_collections.ConfigDict({'lr': 0.1})\nc.model = ml_collections.ConfigDict({'dim': 3})\n"
    "c.n = config_dict.placeholder(int)\nc.r = config_dict.FieldReference(5)\nc.lr = 1\n"
    "c.update({'model': {'dim': 7}})\nc.lock()\n"
    "with c.unlocked():\n    c.fresh = 2\nc.update_from_flattened_dict({'model.dim': 9})\n"
    "f = ml_collections.FrozenConfigDict({'l': [1, 2]})\n"
    "value = (c.lr, c.model.dim, c.n, c.r, c.fresh, f.l, dict(**c.model), c.to_dict()['lr'])": (
        *(1.0, 9, None, 5, 2, (1, 2), {"dim": 9}, 1.0),
    ),
    "j = json.load(open('c.json'), object_hook=lambda d: types.SimpleNamespace(**d))\n"
    "k = json.loads(open('c.json').read(), object_hook=lambda d: argparse.Namespace(**d))\n"
    "value = (j.model.dim, k.lr)": (3, 0.5),
    "p = configparser.ConfigParser()\np.read('c.ini')\nt = p['train']\n"
    "e = configparser.ConfigParser(interpolation=configparser.ExtendedInterpolation())\n"
    "e.read('c.ini')\np.set('train', 'lr', '0.75')\np['train']['steps'] = '9'\n"
    "value = (t['path'], p.get('train', 'path'), e.getfloat('other', 'extended'),"
    " p.getfloat('train', 'lr'), t.getint('steps'), t.getboolean('amp'), dict(t)['root'])": (
        *("/data/x", "/data/x", 0.5, 0.75, 9, True, "/data"),
    ),
    "value = [d['a'] for d in yaml.safe_load_all(open('two.yaml'))]": [1, 2],
    "from dotenv import load_dotenv\nload_dotenv()\nos.environ['MINE'] = '4'\n"
    "os.environ.setdefault('OTHER', '5')\n"
    "value = (os.environ['LR'], os.environ['MINE'], os.getenv('OTHER'))": ("0.5", "4", "5"),
}


@pytest.mark.parametrize("program", HELD)
def test_tables_of_settings(tmp_path: Path, program: str) -> None:
    head = "import argparse, configparser, json, os, types, yaml\n"
    interpreter, names = followed(tmp_path, head + program, FILES)
    assert not interpreter.elsewhere
    assert shown(names["value"]) == HELD[program]


def test_entries_keep_the_lines_that_set_them(tmp_path: Path) -> None:
    program = (
        "import yaml\nimport ml_collections\nfrom easydict import EasyDict\n"
        "c = EasyDict(yaml.safe_load(open('c.yaml')))\ndim = c.model.dim\nc.lr = 3\nlr = c.lr\n"
        "m = ml_collections.ConfigDict(yaml.safe_load(open('c.yaml')))\nown = m.model.dim\n"
    )
    _, names = followed(tmp_path, program, FILES)
    assert names["dim"].origins == {("c.yaml", 2)} == names["own"].origins
    assert names["lr"].origins == {("main.py", 6)}


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("c.lr = 'fast'", "type"),
        ("c.lock()\nc.rate = 3", "attribute"),
        ("ml_collections.FrozenConfigDict({'lr': 1}).lr = 3", "attribute"),
        ("c['rate']", "key"),
        ("c.update_from_flattened_dict({'model.dim': 3})", "key"),
        ("os.environ['N'] = 4", "type"),
    ],
)
def test_what_tables_of_settings_refuse(tmp_path: Path, statement: str, what: str) -> None:
    program = (
        f"import os\nimport ml_collections\nc = ml_collections.ConfigDict({{'lr': 1}})\n{statement}"
    )
    interpreter, _ = followed(tmp_path, program, {})
    assert [kind for _, kind in interpreter.elsewhere] == [what]


def test_a_config_file_of_flags(tmp_path: Path) -> None:
    files = {
        "conf/base.py": "import ml_collections\ndef get_config(size='s'):\n"
        "    c = ml_collections.ConfigDict()\n    c.size = size\n    c.lr = 0.1\n"
        "    c.model = ml_collections.ConfigDict({'dim': 3})\n    return c\n"
    }
    program = (
        "from absl import flags\nfrom ml_collections import config_flags\nFLAGS = flags.FLAGS\n"
        "config_flags.DEFINE_config_file('config', None, 'help', lock_config=True)\n"
        "config = FLAGS.config\nsize = config.size\nlr = config.lr\ndim = config.model.dim"
    )
    words = ["--config=conf/base.py:big", "--config.model.dim=8"]
    interpreter, names = followed(tmp_path, program, files, words)
    assert not interpreter.elsewhere
    assert [shown(names[name]) for name in ("size", "lr", "dim")] == ["big", 0.1, 8]
    assert names["lr"].origins == {("conf/base.py", 5)}
    assert names["dim"].origins == {("run.sh", 1)}


# --- pydantic -------------------------------------------------------------------------------------

MODELS = """\
from typing import List, Literal, Optional
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
import yaml
class Model(BaseModel):
    dim: int = 4
    layers: List[int] = [1]
class Config(BaseModel):
    model: Model = Model()
    lr: float = Field(0.1, gt=0)
    name: Optional[str] = None
    tags: List[str] = Field(default_factory=list)
    mode: Literal['a', 'b'] = 'a'
    @field_validator('lr')
    @classmethod
    def check(cls, v):
        if v > 1:
            raise ValueError('lr too high')
        return v * 2
    @model_validator(mode='after')
    def fits(self):
        if self.model.dim > 100:
            raise ValueError('too wide')
        return self
class Strict(BaseModel):
    model_config = ConfigDict(extra='forbid')
    dim: int
"""


def test_models_convert_what_they_are_given(tmp_path: Path) -> None:
    program = (
        f"{MODELS}c = Config(**yaml.safe_load(open('c.yaml')))\nd = Config()\n"
        "e = Config.model_validate({'model': {'dim': '8'}, 'lr': '0.25'})\n"
        "f = Config.model_validate_json(open('c.json').read())\ndim = c.model.dim\n"
        "value = (dim, c.model.layers, c.lr, c.name, c.tags, d.model.dim, d.lr, e.model.dim, e.lr,"
        " f.model.dim, c.model_dump()['model']['dim'], c.model_copy(update={'lr': 5}).lr)"
    )
    interpreter, names = followed(tmp_path, program, FILES)
    assert not interpreter.elsewhere
    assert shown(names["value"]) == (3, [1, 2], 1.0, None, [], 4, 0.1, 8, 0.5, 3, 3, 5)
    assert names["dim"].origins == {("c.yaml", 2)}


@pytest.mark.parametrize(
    "statement",
    [
        *("Model(dim='wide')", "Model(dim=0.5)", "Config(lr=0)", "Config(lr=2)", "Strict()"),
        *("Strict(dmi=3, dim=4)", "Config(model={'dim': 200})", "Config(mode='c')"),
        *("Config(tags='x')", "Config(name=4)"),
    ],
)
def test_what_models_refuse(tmp_path: Path, statement: str) -> None:
    interpreter, _ = followed(tmp_path, f"{MODELS}{statement}", {})
    line = MODELS.count("\n") + 1
    assert interpreter.elsewhere == {(("main.py", line), "value")}


def test_strict_documents_hold_texts_that_fields_convert(tmp_path: Path) -> None:
    program = (
        "from pydantic import BaseModel\nfrom strictyaml import load\n"
        "class Rates(BaseModel):\n    low: float\n    steps: int\n"
        "class Config(BaseModel):\n    model_config: Rates\n    names: list[str]\n"
        "document = load(open('c.yaml').read())\nheld = document.data\n"
        "first = document['names'][0].data\n"
        "config = Config(model_config=Rates(**held), names=held['names'])\n"
        "found = [config.model_config.low, config.model_config.steps, config.names, first]"
    )
    files = {"c.yaml": "low: 0.5\nsteps: 3\nnames:\n  - a\n  - 4\n"}
    _, names = followed(tmp_path, program, files)
    assert shown(names["held"]) == {"low": "0.5", "steps": "3", "names": ["a", "4"]}
    assert shown(names["found"]) == [0.5, 3, ["a", "4"], "a"]
