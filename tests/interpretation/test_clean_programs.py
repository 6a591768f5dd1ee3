"""Idioms of published programs that run well: nothing is refused where they are followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.forecast import Forecast
from dl_bug_lsp.workspace import Workspace
from tests.helpers.followed_programs import followed, shown

# What is known of each name at the end; all of these were compared with the libraries themselves.
PROGRAMS = {
    "tables are aligned by labels that are given beside an array": (
        "import pandas as pd, numpy as np\n"
        "a = pd.DataFrame(np.zeros((2, 1)), columns=['x'], index=['p', 'q'])\n"
        "b = pd.DataFrame(np.zeros((2, 1)), columns=['x'], index=['q', 'r'])\n"
        "c = a + b\nc['y'] = [1, 2, 3]\nd = c['x'].dtype.name",
        {"d": "float64"},
    ),
    "hooks fill lists while the gradients are computed": (
        "import torch, numpy as np\n"
        "kept = {'w': []}\nnet = torch.nn.Linear(3, 2)\n"
        "net.weight.register_hook(lambda grad: kept['w'].append(grad.tolist()))\n"
        "for _ in range(3):\n    net(torch.zeros(4, 3)).sum().backward()\n"
        "a = np.array(kept['w']).mean(axis=(1, 2))",
        {},
    ),
    "hooks of an object fill its lists": (
        "import torch, numpy as np\n"
        "class Training:\n    def __init__(self):\n        self.net = torch.nn.Linear(3, 2)\n"
        "    def capture(self):\n        self.kept = {'net': {'weight': []}}\n"
        "        def logging(name):\n            def log(grad):\n"
        "                self.kept['net'][name].append(grad.tolist())\n            return log\n"
        "        self.net.weight.register_hook(logging('weight'))\n"
        "run = Training()\nrun.capture()\n"
        "run.net(torch.zeros(4, 3)).sum().backward()\n"
        "a = np.array(run.kept['net']['weight']).mean(axis=(1, 2))[-1]",
        {},
    ),
    "the arguments of a constructor become attributes": (
        "import fastcore.all as fc\n"
        "class Learner:\n    def __init__(self, width, rate=0.1):\n        fc.store_attr()\n"
        "a = Learner(3).width + Learner(4).rate",
        {"a": 3.1},
    ),
    "an environment that gives pictures": (
        "import gymnasium as gym\n"
        "env = gym.make('CartPole-v1', render_mode='rgb_array')\n"
        "first = env.reset(seed=1)\na = env.render().shape[2]",
        {"a": 3},
    ),
    "labels that a loop replaces": (
        "import numpy as np, tensorflow as tf\n"
        "y = np.random.randint(0, 10, 1000)\ny = y[(y != 2) & (y != 9)]\n"
        "for new, old in enumerate([0, 1, 3, 4, 5, 6, 7, 8]):\n    y[y == old] = new\n"
        "m = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(8)])\n"
        "m.compile(loss='sparse_categorical_crossentropy')\n"
        "h = m.fit(np.zeros((len(y), 4)), y)",
        {},
    ),
    "an item of an array may be a text": (
        "import pandas as pd\n"
        "counts = pd.read_csv(input())['tag'].value_counts()\n"
        "a = {}\n"
        "for tag, count in zip(counts.index, counts):\n    a[tag[2:5]] = count\n"
        "b = counts.index[0]\nc = b[:3]",
        {"c": "unknown"},
    ),
    "a condition that is not known is answered alike each time": (
        "import torch, numpy as np\n"
        "from torch import nn\n"
        "gpu = torch.cuda.is_available()\n"
        "net = nn.Linear(4, 2)\n"
        "x = torch.zeros(3, 4)\n"
        "if not gpu:\n    print('on the CPU')\n"
        "if gpu:\n    net.cuda()\n    x = x.cuda()\n"
        "y = net(x).detach()\n"
        "a = np.squeeze(y.numpy()) if not gpu else np.squeeze(y.cpu().numpy())",
        {"a": ((3, 2), "float32")},
    ),
    "the class of tensors names their device": (
        "import torch\n"
        "cuda = True if torch.cuda.is_available() else False\n"
        "Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor\n"
        "net = torch.nn.Linear(4, 2)\n"
        "if cuda:\n    net.cuda()\n"
        "a = net(torch.zeros(3, 4).type(Tensor))\n"
        "b = net(Tensor(5, 4).fill_(0.0))",
        {"a": ((3, 2), "float32"), "b": ((5, 2), "float32")},
    ),
    "a tensor without axes on the CPU goes with tensors of any device": (
        "import torch\n"
        "x = torch.zeros(3, 3).cuda()\n"
        "a = 0.5 * x * (1 + torch.tanh(torch.sqrt(torch.tensor(2.0)) * x))",
        {"a": ((3, 3), "float32")},
    ),
    "tensors are given other shapes in place": (
        "import torch, numpy as np\n"
        "a = torch.zeros(64, 1, 28, 28)\na.resize_(64, 1, 784)\n"
        "b = torch.zeros(5, 3)\nb.unsqueeze_(0)\nb.transpose_(1, 2)\n"
        "c = np.arange(21.0)\nc.resize((21, 1))",
        {
            "a": ((64, 1, 784), "float32"),
            "b": ((1, 3, 5), "float32"),
            "c": ((21, 1), "float64"),
        },
    ),
    "functions of NumPy give a tensor for a tensor": (
        "import torch, numpy as np\n"
        "x = np.clip(torch.zeros(2, 1, 28, 28) + 0.5 * torch.randn(2, 1, 28, 28), 0.0, 1.0)\n"
        "a = torch.nn.Conv2d(1, 3, 3)(x)",
        {"a": ((2, 3, 26, 26), "float32")},
    ),
    "a count at an index that is not known may be any": (
        "import numpy as np\nimport lib\n"
        "total = list(0.0 for i in range(10))\n"
        "for labels in lib.batches():\n"
        "    for i in range(20):\n        total[labels[i]] += 1\n"
        "a = 100.0 / np.sum(total)\nb = total[3]\n"
        "import torch\nmore = [0.0] * 10\n"
        "for label in torch.randint(0, 10, (20,)):\n    more[label] += 1\n"
        "c = 100.0 / np.sum(more)\nd = more[3]",
        {"b": "unknown", "d": "unknown"},
    ),
    "a star of unknown length gives as many items as are unpacked": (
        "import lib\n"
        "def shape(x):\n    first, b, c, h, w = x, *x.shape\n    return c\n"
        "a = shape(lib.image())\n"
        "b = [1, *lib.image().shape]\nc, *d = 5, *lib.image().shape",
        {"a": "unknown", "c": 5},
    ),
    "einops packs axes and unpacks them again": (
        "import torch\nfrom einops import pack, unpack\n"
        "a, shapes = pack([torch.zeros(2, 7), torch.zeros(2, 3, 4)], 'b *')\n"
        "b, c = unpack(a, shapes, 'b *')\n"
        "d, _ = pack([torch.zeros(6)], '* d')",
        {
            "a": ((2, 19), "float32"),
            "b": ((2, 7), "float32"),
            "c": ((2, 3, 4), "float32"),
            "d": ((1, 6), "float32"),
        },
    ),
    "columns and tables are aligned by their labels": (
        "import pandas as pd\n"
        "a = pd.DataFrame({'w': pd.Series([68, 83, 112], index=list('abc')),\n"
        "                  'n': pd.Series([0, 3], index=list('cb'))})\n"
        "first = pd.DataFrame({'a': [1, 2, 3, 4]}, index=list('abcd'))\n"
        "both = first + pd.DataFrame({'b': [1, 2]}, index=list('ce'))\n"
        "both['more'] = [1, 2, 3, 4, 5]\n"
        "people = pd.DataFrame({'w': [1, 2], 'h': [3, 4]})\n"
        "people.eval('index = w / h', inplace=True)\n"
        "b = people['index']\n"
        "levels = pd.DataFrame({('public', 'year'): {'x': 1985}})\n"
        "c = levels['public']",
        {"c": "unknown"},
    ),
    "a static method is a context manager": (
        "from contextlib import contextmanager\n"
        "class Marks:\n"
        "    @staticmethod\n    @contextmanager\n"
        "    def around(model):\n        yield model\n"
        "with Marks().around(3) as a:\n    b = 1",
        {"a": 3, "b": 1},
    ),
    "a partial function is a decorator": (
        "import functools\n"
        "def sized(function=None, size=128):\n"
        "    if function is None:\n        return functools.partial(sized, size=size)\n"
        "    def inner(*args):\n        return function(size, *args)\n"
        "    return inner\n"
        "@sized(size=16)\n"
        "def train(size, name):\n    return size\n"
        "a = train('x')",
        {"a": 16},
    ),
    "keys that a loop sets under unknown names are there": (
        "import lib\n"
        "params = {}\n"
        "for name in lib.names():\n"
        "    part = params\n"
        "    for key in name.split('/'):\n        part = part.setdefault(key, {})\n"
        "a = params['wpe']",
        {"a": "unknown"},
    ),
    "a model of another library has parameters": (
        "import torch\nfrom transformers import AutoModelForSequenceClassification\n"
        "model = AutoModelForSequenceClassification.from_pretrained('bert-base-cased')\n"
        "a = torch.optim.AdamW(params=model.parameters(), lr=1e-3)",
        {"a": "AdamW"},
    ),
    "what a pretrained model gives is where the model is": (
        "import torch\nfrom transformers import AutoModel\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self, base):\n"
        "        super().__init__()\n        self.base = base\n"
        "        self.fc = torch.nn.Linear(base.config.hidden_size, 2)\n"
        "    def forward(self, ids):\n"
        "        return self.fc(self.base(ids).last_hidden_state[:, 0, :])\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "net = Net(AutoModel.from_pretrained('bert-base-uncased')).to(device)\n"
        "a = net(torch.zeros(2, 7, dtype=torch.long).to(device))",
        {"a": ((2, 2), "float32")},
    ),
    "callbacks fill lists while a model is trained": (
        "import keras, numpy as np\n"
        "class Rates(keras.callbacks.Callback):\n"
        "    def __init__(self):\n        super().__init__()\n        self.losses = []\n"
        "    def on_train_batch_end(self, batch, logs=None):\n"
        "        self.losses.append(logs['loss'])\n"
        "model = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile(loss='mse', optimizer='sgd')\n"
        "rates, seen = Rates(), []\n"
        "hook = keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: seen.append(e))\n"
        "model.fit(np.zeros((10, 4)), np.zeros(10), callbacks=[rates, hook])\n"
        "a = min(rates.losses)\nb = seen[0]",
        {"a": "unknown", "b": "unknown"},
    ),
    "a product or quotient with what is not known has no known shape": (
        "import numpy as np\nimport lib\n"
        "x = lib.features()\n"
        "theta = np.zeros((2, 1))\n"
        "a = (x.T @ (x @ theta - np.ones((len(x), 1)))) / len(x)\n"
        "step = np.linspace(0, 1, 5)[1] - np.linspace(0, 1, 5)[0]\n"
        "z = lib.density() / step\n"
        "b = z[:, 3].argmax()\nc = z[2, 1:3]",
        {},
    ),
    "what comes out of TensorFlow's product with a bias is no list": (
        "import tensorflow as tf\nimport lib\n"
        "w, b = tf.Variable(tf.zeros([784, 10])), tf.Variable(tf.zeros([10]))\n"
        "a = tf.argmax(tf.nn.softmax(tf.matmul(lib.images(), w) + b), 1)",
        {},
    ),
}


@pytest.mark.parametrize("idiom", PROGRAMS)
def test_nothing_is_refused(tmp_path: Path, idiom: str) -> None:
    program, expected = PROGRAMS[idiom]
    run, names = followed(tmp_path, program, {})
    assert not run.elsewhere
    assert {name: shown(names[name]) for name in expected} == expected


@pytest.mark.parametrize("idiom", PROGRAMS)
def test_no_failure_is_forecast(tmp_path: Path, idiom: str) -> None:
    (tmp_path / "main.py").write_text(PROGRAMS[idiom][0], encoding="utf-8")
    forecast = Forecast(Workspace(tmp_path, cache=False), "main.py", [])
    assert forecast.predict() is None
