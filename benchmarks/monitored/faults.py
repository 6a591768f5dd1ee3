"""Silent faults put into a training program: each operator changes its text as its author might.

An operator gets the program's text and returns variants of it. The true lines are those that were
changed or put in; where something was taken away they are the lines beside it. Kinds are those of
`dl_bug_lsp.monitoring.diagnosis`. Sources of the kinds: Humbatova et al., "Taxonomy of Real
Faults in Deep Learning Systems" (ICSE 2020) and "DeepCrime" (ISSTA 2021); Cao et al., "DeepFD"
(ICSE 2022).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ALWAYS = frozenset(
    {"evaluation_in_train_mode", "accumulated_graph", "leaking_data", "scheduler_per_step"}
)
"""Kinds that are faults even where the metric of the one run is not worse for it."""


@dataclass(frozen=True)
class Variant:
    """A faulty text of one file, its true lines (1-based) and the operator's kind and name."""

    file: str
    text: str
    lines: tuple[int, ...]
    kind: str
    operator: str


class Lines:
    """The lines of a program, to be edited; true lines move with what is put in above them."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.marked: list[bool] = [False] * len(self.lines)

    def find(self, pattern: str) -> list[int]:
        """Return the indices of lines that a pattern is found in."""
        return [n for n, line in enumerate(self.lines) if re.search(pattern, line)]

    def put(self, at: int, line: str) -> None:
        """Change a line."""
        self.lines[at] = line
        self.marked[at] = True

    def sub(self, at: int, pattern: str, by: str | Callable[[re.Match[str]], str]) -> None:
        """Replace the first match in a line."""
        self.put(at, re.sub(pattern, by, self.lines[at], count=1))

    def insert(self, at: int, *lines: str) -> None:
        """Put lines in before the one at an index."""
        self.lines[at:at] = lines
        self.marked[at:at] = [True] * len(lines)

    def remove(self, at: int) -> None:
        """Take a line away; its neighbours are marked."""
        del self.lines[at], self.marked[at]
        for beside in (at - 1, at):
            if 0 <= beside < len(self.lines):
                self.marked[beside] = True

    def variant(self, file: str, kind: str, operator: str) -> Variant:
        """Return what the lines have become."""
        true = tuple(n for n, mark in enumerate(self.marked, 1) if mark)
        return Variant(file, "\n".join(self.lines) + "\n", true, kind, operator)


def indent(line: str) -> str:
    """Return the white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


Operator = Callable[[Lines, random.Random], bool]
OPERATORS: list[tuple[str, Operator]] = []


def operator(kind: str) -> Callable[[Operator], Operator]:
    """Register an operator of a kind; it returns whether it changed anything."""

    def register(function: Operator) -> Operator:
        OPERATORS.append((kind, function))
        return function

    return register


NUMBER = r"(\d+(?:\.\d*)?(?:e-?\d+)?|\.\d+)"
RATE = (
    rf"(\b(?:lr|learning_rate|LEARNING_RATE|LR|max_lr)\"?(?:: float)?(?:\s*=\s*|:\s*)){NUMBER}"
    rf"|(\"--lr\", type=float, default=){NUMBER}|(\bAdam\(){NUMBER}"
)


def _scaled(lines: Lines, factor: float) -> bool:
    sites = lines.find(RATE)
    if not sites:
        return False
    at = sites[-1]

    def by(match: re.Match[str]) -> str:
        groups = match.groups()
        word = next(w for w in groups[::2] if w)
        value = next(v for v in groups[1::2] if v)
        return f"{word}{float(value) * factor:g}"

    lines.sub(at, RATE, by)
    return True


@operator("learning_rate_high")
def rate_high(lines: Lines, draw: random.Random) -> bool:
    """Raise the learning rate by two or three orders of magnitude."""
    return _scaled(lines, draw.choice([100.0, 300.0, 1000.0]))


@operator("learning_rate_low")
def rate_low(lines: Lines, draw: random.Random) -> bool:
    """Lower the learning rate by four to six orders of magnitude."""
    return _scaled(lines, draw.choice([1e-4, 1e-5, 1e-6]))


SCALING = (
    r"^\s*(?:X|x|images|features|signal|x_tr|x_te|X_train|X_test|x_train|x_valid|image)"
    r"(?:, \w+)? = "
    r"(?:\((?:X|x|images|features|image|signal) - .*|\w+ / (?:16\.0|255\.0)"
    r"|.*scaler\.(?:fit_)?transform.*"
    r"|.*Scaler\(\)\.fit_transform\(.*|standardise.*)$"
)


@operator("inputs_not_normalised")
def scaling_dropped(lines: Lines, draw: random.Random) -> bool:
    """Take the scaling of inputs away."""
    sites = lines.find(SCALING)
    for at in reversed(sites):
        lines.remove(at)
    if sites:
        return True
    sites = lines.find(r" / 16(?:\.0)?\b")
    for at in sites:
        lines.sub(at, r" / 16(?:\.0)?\b", " * 16.0")
    return bool(sites)


@operator("zero_grad_missing")
def zero_grad_dropped(lines: Lines, draw: random.Random) -> bool:
    """Never set gradients to zero."""
    sites = lines.find(r"\.zero_grad\(")
    for at in reversed(sites):
        lines.remove(at)
    return bool(sites)


@operator("step_missing")
def step_dropped(lines: Lines, draw: random.Random) -> bool:
    """Never let the optimizer step."""
    sites = lines.find(r"^\s*(?:self\.)?(?:opt|optim|optimizer|g_opt)\.step\(\)")
    if sites:
        at = sites[-1]
        if lines.lines[at - 1].rstrip().endswith(":"):
            lines.put(at, indent(lines.lines[at]) + "pass")
        else:
            lines.remove(at)
    return bool(sites)


@operator("backward_missing")
def backward_dropped(lines: Lines, draw: random.Random) -> bool:
    """Never compute gradients."""
    sites = lines.find(r"^\s*\(?\w+(?: / \w+\))?\.backward\(\)")
    if sites:
        lines.remove(sites[-1])
    return bool(sites)


@operator("graph_cut")
def loss_detached(lines: Lines, draw: random.Random) -> bool:
    """Cut the loss off from the model."""
    sites = lines.find(r"^\s*loss\.backward\(\)")
    if sites:
        at = sites[0]
        lines.insert(at, f"{indent(lines.lines[at])}loss = loss.detach().requires_grad_(True)")
    return bool(sites)


@operator("graph_cut")
def output_as_array(lines: Lines, draw: random.Random) -> bool:
    """Cut one part of the network off by a conversion that keeps no graph."""
    sites = lines.find(r"^        (x|h|h1|states, _|output, _) = .*self\.\w+\(.*\)$")
    if not sites:
        return False
    at = draw.choice(sites)
    name = lines.lines[at].split("=")[0].strip().split(",")[0]
    lines.insert(at + 1, f"        {name} = {name}.detach()")
    return True


MADE = r"^\s*(model|net|ae|q|generator) = (?:\w+\()"
OPTIMIZER = r"^\s*(?:self\.)?(?:opt|optim|optimizer|g_opt) = .*\((?:self\.)?(\w+)\.parameters\(\)"


def _model_made(lines: Lines) -> tuple[int, str] | None:
    """Return the index after the statement that makes the model, and the model's name."""
    sites = lines.find(OPTIMIZER)
    if not sites:
        return None
    match = re.search(OPTIMIZER, lines.lines[sites[0]])
    assert match is not None
    return sites[0], lines.lines[sites[0]].split(".parameters()")[0].split("(")[-1]


@operator("frozen_layers")
def frozen(lines: Lines, draw: random.Random) -> bool:
    """Freeze all parameters but the last."""
    made = _model_made(lines)
    if made is None:
        return False
    at, name = made
    space = indent(lines.lines[at])
    kept = draw.choice([1, 2, 4])
    lines.insert(
        at,
        f"{space}for parameter in list({name}.parameters())[:-{kept}]:",
        f"{space}    parameter.requires_grad = False",
    )
    return True


@operator("frozen_layers")
def keras_frozen(lines: Lines, draw: random.Random) -> bool:
    """Freeze all layers but the last."""
    sites = lines.find(r"^\s*(\w+)\.compile\(")
    if not sites:
        return False
    at = sites[0]
    match = re.search(r"^\s*(\w+)\.compile\(", lines.lines[at])
    assert match is not None
    lines.insert(at, f"for layer in {match[1]}.layers[:-1]:", "    layer.trainable = False")
    return True


@operator("parameters_outside_optimizer")
def part_of_parameters(lines: Lines, draw: random.Random) -> bool:
    """Give the optimizer the last parameters only."""
    made = _model_made(lines)
    if made is None:
        return False
    at, name = made
    part = draw.choice(["[-1:]", "[-2:]", "[-1:]"])
    lines.sub(at, re.escape(name) + r"\.parameters\(\)", f"list({name}.parameters()){part}")
    return True


@operator("optimizer_of_other_copy")
def other_copy(lines: Lines, draw: random.Random) -> bool:
    """Copy the model after the optimizer took its parameters."""
    made = _model_made(lines)
    if made is None or made[1] == "self":
        return False
    at, name = made
    end = at + 1
    space = indent(lines.lines[at])
    lines.insert(end, f"{space}{name} = __import__('copy').deepcopy({name})")
    return True


@operator("evaluation_in_train_mode")
def eval_dropped(lines: Lines, draw: random.Random) -> bool:
    """Never call eval."""
    text = "\n".join(lines.lines)
    if not re.search(r"Dropout|BatchNorm|dropout=", text):
        return False
    sites = lines.find(r"^\s*[\w.]+\.eval\(\)$")
    for at in reversed(sites):
        lines.remove(at)
    return bool(sites)


@operator("training_in_eval_mode")
def train_dropped(lines: Lines, draw: random.Random) -> bool:
    """Train in evaluation mode."""
    text = "\n".join(lines.lines)
    if not re.search(r"BatchNorm", text):
        return False
    sites = lines.find(r"^\s*[\w.]+\.train\(\)$")
    for at in sites:
        lines.sub(at, r"\.train\(\)", ".eval()")
    return bool(sites)


@operator("accumulated_graph")
def loss_kept(lines: Lines, draw: random.Random) -> bool:
    """Add losses up with their graphs."""
    sites = lines.find(r"(?:\+= |append\()(?:\w*loss\.item\(\)|float\(loss\))")
    if sites:
        lines.sub(sites[0], r"loss\.item\(\)|float\(loss\)", "loss")
    return bool(sites)


@operator("scheduler_per_step")
def scheduler_moved(lines: Lines, draw: random.Random) -> bool:
    """Step a schedule of epochs with each batch."""
    if not lines.find(r"StepLR|CosineAnnealingLR|ExponentialLR"):
        return False
    sites = lines.find(r"^\s*(?:self\.)?scheduler\.step\(\)")
    steps = lines.find(r"^\s*(?:self\.)?optimizer\.step\(\)")
    if len(sites) != 1 or not steps:
        return False
    word = lines.lines[sites[0]].strip()
    text = "\n".join(lines.lines)
    if word.startswith("self.") or re.match(r"^ {4,}", lines.lines[sites[0]]) is None:
        pass
    if "def train(model" in text:
        return False
    if sites[0] > steps[-1]:
        lines.lines.pop(sites[0])
        lines.marked.pop(sites[0])
        lines.insert(steps[-1] + 1, indent(lines.lines[steps[-1]]) + word)
        return True
    return False


@operator("double_softmax")
def softmax_added(lines: Lines, draw: random.Random) -> bool:
    """Return probabilities to a loss that takes logits."""
    if not lines.find(r"CrossEntropyLoss|F\.cross_entropy"):
        return False
    sites = lines.find(
        r"^        return (self\.(?:out|output|fc2|fc|linear|project|classify|classifier)\(.*\))$"
    )
    if sites:
        dim = "-1"
        lines.sub(sites[-1], r"return (.*)$", rf"return torch.softmax(\1, dim={dim})")
        return True
    return False


@operator("double_softmax")
def from_logits(lines: Lines, draw: random.Random) -> bool:
    """Tell a loss that probabilities are logits."""
    sites = lines.find(r"loss=\"sparse_categorical_crossentropy\"")
    if sites:
        lines.sub(
            sites[0],
            r"loss=\"sparse_categorical_crossentropy\"",
            "loss=__import__('keras').losses.SparseCategoricalCrossentropy(from_logits=True)",
        )
        return True
    sites = lines.find(r"loss=\"categorical_crossentropy\"")
    if sites:
        lines.sub(
            sites[0],
            r"loss=\"categorical_crossentropy\"",
            "loss=__import__('keras').losses.CategoricalCrossentropy(from_logits=True)",
        )
        return True
    return False


@operator("output_activation")
def output_relu(lines: Lines, draw: random.Random) -> bool:
    """Change the last activation."""
    word = draw.choice(["relu", "tanh", "linear"])
    sites = lines.find(r"activation=\"(?:softmax|sigmoid)\"|Activation\(\"(?:softmax|sigmoid)\"\)")
    if sites:
        lines.sub(sites[-1], r"\"(?:softmax|sigmoid)\"", f'"{word}"')
        return True
    sites = lines.find(r"nn\.Sigmoid\(\)")
    if sites and lines.find("BCELoss"):
        lines.sub(sites[-1], r"nn\.Sigmoid\(\)", "nn.Softmax(dim=1)")
        return True
    sites = lines.find(
        r"^        return self\.(?:out|output|fc2|fc|linear|head|layers|price|classify)\(.*\)"
    )
    if sites and lines.find(r"import torch\b"):
        lines.sub(sites[-1], r"return (.*)$", r"return torch.relu(\1)")
        return True
    sites = lines.find(r"^\s*Dense\(1\),$|model\.add\(layers\.Dense\(1\)\)")
    if sites:
        lines.sub(sites[-1], r"Dense\(1\)", 'Dense(1, activation="softmax")')
        return True
    return False


@operator("output_activation")
def one_unit_softmax(lines: Lines, draw: random.Random) -> bool:
    """Put a softmax over one unit."""
    sites = lines.find(r"Dense\(1, activation=\"sigmoid\"\)")
    if sites:
        lines.sub(sites[-1], "sigmoid", "softmax")
    return bool(sites)


WRONG = [
    (r"nn\.CrossEntropyLoss\([^)]*\)", "nn.MultiMarginLoss(margin=-2.0)"),
    (r"nn\.BCEWithLogitsLoss\(\)", "nn.L1Loss()"),
    (r"nn\.BCELoss\(\)", "nn.PoissonNLLLoss()"),
    (r"nn\.MSELoss\(\)", "nn.BCEWithLogitsLoss()"),
    (r"nn\.HuberLoss\(\)", "nn.BCEWithLogitsLoss()"),
    (r"nn\.NLLLoss\(\)", "nn.MultiMarginLoss(margin=0.0)"),
    (r"\"sparse_categorical_crossentropy\"", '"mse"'),
    (r"\"categorical_crossentropy\"", '"hinge"'),
    (r"\"binary_crossentropy\"", '"categorical_crossentropy"'),
    (r"\"(?:mse|mean_squared_error)\"", '"binary_crossentropy"'),
]


@operator("wrong_loss")
def loss_other(lines: Lines, draw: random.Random) -> bool:
    """Change the loss function."""
    for pattern, by in WRONG:
        sites = lines.find(pattern)
        if sites:
            lines.sub(sites[-1], pattern, by)
            return True
    return False


@operator("loss_sign")
def sign(lines: Lines, draw: random.Random) -> bool:
    """Turn the sign of the loss."""
    sites = lines.find(r"^\s*loss = (?!config|0)")
    if sites:
        lines.sub(sites[-1], r"loss = ", "loss = -")
    return bool(sites)


@operator("hidden_activation_missing")
def activations_dropped(lines: Lines, draw: random.Random) -> bool:
    """Take all hidden activations away."""
    text = r"nn\.(?:ReLU|Tanh|GELU|ELU|SiLU)\(\)|nn\.LeakyReLU\([\d.]+\)"
    changed = False
    for at in lines.find(text):
        lines.put(at, re.sub(text, "nn.Identity()", lines.lines[at]))
        changed = True
    for at in lines.find(r"(?:F|torch|torch\.nn\.functional)\.(?:relu|elu)\((?=.*\()"):
        lines.put(
            at, re.sub(r"(?:F|torch|torch\.nn\.functional)\.(?:relu|elu)\(", "(", lines.lines[at])
        )
        changed = True
    for at in lines.find(r", activation=\"(?:relu|tanh)\""):
        lines.put(at, re.sub(r", activation=\"(?:relu|tanh)\"", "", lines.lines[at]))
        changed = True
    return changed


@operator("vanishing_gradients")
def sigmoids(lines: Lines, draw: random.Random) -> bool:
    """Make all hidden activations sigmoids, of more layers where that is easy."""
    changed = False
    for at in lines.find(r"nn\.(?:ReLU|Tanh|GELU|ELU|SiLU)\(\)|nn\.LeakyReLU\([\d.]+\)"):
        lines.put(
            at,
            re.sub(
                r"nn\.(?:ReLU|Tanh|GELU|ELU|SiLU)\(\)|nn\.LeakyReLU\([\d.]+\)",
                "nn.Sigmoid()",
                lines.lines[at],
            ),
        )
        changed = True
    for at in lines.find(r"(?:F|torch|torch\.nn\.functional)\.(?:relu|elu)\("):
        lines.put(
            at,
            re.sub(
                r"(?:F|torch|torch\.nn\.functional)\.(?:relu|elu)\(",
                "torch.sigmoid(",
                lines.lines[at],
            ),
        )
        changed = True
    for at in lines.find(r"\"(?:relu|tanh)\""):
        lines.put(at, re.sub(r"\"(?:relu|tanh)\"", '"sigmoid"', lines.lines[at]))
        changed = True
    for at in lines.find(r"depth=5"):
        lines.sub(at, "depth=5", "depth=10")
    for at in lines.find(r"HIDDEN = \["):
        lines.sub(at, r"\[32, 32, 16\]", "[16] * 10")
    for at in lines.find(r"widths: \["):
        lines.sub(at, r"\[64, 32\]", "[32, 32, 32, 32, 32, 32, 32, 32]")
    return changed


def _after_model(lines: Lines, *body: str) -> bool:
    made = _model_made(lines)
    if made is None:
        return False
    at, name = made
    space = indent(lines.lines[at])
    lines.insert(at, *(space + line.replace("MODEL", name) for line in body))
    return True


@operator("bad_initialisation")
def zeros(lines: Lines, draw: random.Random) -> bool:
    """Start from constant weights."""
    value = draw.choice(["0.0", "0.0", "0.5"])
    return _after_model(
        lines,
        "for weight in MODEL.parameters():",
        f"    __import__('torch').nn.init.constant_(weight, {value})",
    )


@operator("bad_initialisation")
def large(lines: Lines, draw: random.Random) -> bool:
    """Start from weights that are far too large."""
    return _after_model(
        lines,
        "for weight in MODEL.parameters():",
        "    __import__('torch').nn.init.normal_(weight, 0.0, 5.0)",
    )


@operator("bad_initialisation")
def keras_initializer(lines: Lines, draw: random.Random) -> bool:
    """Start from constant weights."""
    sites = lines.find(r"activation=\"(?:relu|tanh)\"")
    if not sites:
        return False
    word = draw.choice(["zeros", "zeros", "ones"])
    for at in sites:
        lines.sub(at, r"(activation=\"(?:relu|tanh)\")", rf'\1, kernel_initializer="{word}"')
    return True


@operator("dying_relu")
def negative_bias(lines: Lines, draw: random.Random) -> bool:
    """Start from biases that keep rectified units at zero."""
    if not lines.find(r"ReLU\(\)|\.relu\("):
        return False
    return _after_model(
        lines,
        "for key, value in MODEL.named_parameters():",
        "    if key.endswith('bias'):",
        "        value.data.fill_(-8.0)",
    )


@operator("dying_relu")
def keras_negative_bias(lines: Lines, draw: random.Random) -> bool:
    """Start from biases that keep rectified units at zero."""
    sites = lines.find(r"activation=\"relu\"")
    for at in sites:
        lines.sub(
            at,
            r"(activation=\"relu\")",
            r"\1, bias_initializer=__import__('keras').initializers.Constant(-8.0)",
        )
    return bool(sites)


@operator("not_shuffled")
def sorted_unshuffled(lines: Lines, draw: random.Random) -> bool:
    """Order the training rows by label and take the shuffling away."""
    shuffle = lines.find(r"shuffle=True")
    made = lines.find(r"^(\s*)(?:train_set|train_ds) = TensorDataset\(")
    text = "\n".join(lines.lines)
    if shuffle and "torch.tensor(X_train, dtype=torch.float32), torch.tensor(y_train)" in text:
        lines.sub(shuffle[0], "shuffle=True", "shuffle=False")
        lines.insert(
            made[0],
            "by_class = np.argsort(y_train, kind='stable')",
            "X_train, y_train = X_train[by_class], y_train[by_class]",
        )
        return True
    fit = lines.find(r"^\s*\w+\.fit\((x_train|X_train), ?(y_train|Y_train),")
    if fit:
        match = re.search(r"\.fit\((\w+), ?(\w+),", lines.lines[fit[0]])
        assert match is not None
        x, y = match[1], match[2]
        lines.put(fit[0], re.sub(r", shuffle=True", "", lines.lines[fit[0]]))
        lines.sub(fit[0], r"\.fit\((\w+), ?(\w+),", r".fit(\1, \2, shuffle=False,")
        key = f"{y}.argmax(1)" if y.startswith("Y") else f"{y}.ravel()"
        lines.insert(
            fit[0],
            f"rows = {key}.argsort(kind='stable')",
            f"{x}, {y} = {x}[rows], {y}[rows]",
        )
        return True
    perm = lines.find(r"^(\s*)(perm|shuffled|order) = torch\.randperm\((\w+|len\(\w+\))\)$")
    inner = [at for at in perm if lines.lines[at].startswith("    ")]
    if inner:
        at = inner[0]
        count = re.search(r"randperm\((.*)\)$", lines.lines[at])
        label = re.search(r"\b(y_tr|train_y|r)\b", text)
        assert count is not None
        if label is None:
            return False
        lines.sub(at, r"= torch\.randperm\(.*\)$", f"= {label[1]}.flatten().argsort()")
        return True
    return False


Y_MADE = (
    r"^(\s*)(?:X, y|x, y|images, labels|features, target|x_train, y_train|train_x, train_y|X, Y) = "
    r"(?!X\[|x\[|digits\.images\[)[\w.]+\("
)


def _labels_made(lines: Lines) -> tuple[int, str, str] | None:
    """Return the index after the statement that makes the labels, their name and the inputs'."""
    sites = lines.find(Y_MADE)
    if sites:
        at = sites[0]
        names = lines.lines[at].split("=")[0].strip().split(", ")
        end = at
        depth = lines.lines[at].count("(") - lines.lines[at].count(")")
        while depth > 0:
            end += 1
            depth += lines.lines[end].count("(") - lines.lines[end].count(")")
        return end + 1, names[1], names[0]
    sites = lines.find(r"^(\s*)labels = torch\.tensor\(digits\.target")
    if sites:
        return sites[0] + 1, "labels", "images"
    return None


@operator("labels_misaligned")
def labels_shuffled(lines: Lines, draw: random.Random) -> bool:
    """Shuffle the labels apart from their inputs."""
    made = _labels_made(lines)
    if made is not None:
        at, y, _ = made
        space = indent(lines.lines[at - 1])
        number = "len(" + y + ")"
        lines.insert(at, f"{space}{y} = {y}[__import__('numpy').random.permutation({number})]")
        return True
    sites = lines.find(r"^\s*perm = torch\.randperm\(n\)")
    if sites:
        target = lines.find(r"y_tr\[idx\]")
        if target:
            lines.sub(target[0], r"y_tr\[idx\]", "y_tr[i : i + batch]")
            return True
    return False


@operator("constant_labels")
def labels_constant(lines: Lines, draw: random.Random) -> bool:
    """Make all labels the same."""
    made = _labels_made(lines)
    if made is None:
        return False
    at, y, _ = made
    space = indent(lines.lines[at - 1])
    lines.insert(at, f"{space}{y} = {y} * 0 + {y}[0]")
    return True


@operator("constant_inputs")
def inputs_constant(lines: Lines, draw: random.Random) -> bool:
    """Make all inputs the same."""
    made = _labels_made(lines)
    if made is not None:
        at, _, x = made
        space = indent(lines.lines[at - 1])
        if draw.random() < 0.5:
            lines.insert(at, f"{space}{x} = {x} * 0 + 1")
        else:
            lines.insert(at, f"{space}{x}[:] = {x}[0]")
        return True
    return False


@operator("leaking_data")
def test_in_training(lines: Lines, draw: random.Random) -> bool:
    """Train on the held-out rows, too."""
    sites = lines.find(
        r"^\s*([xX]_train|x_tr), ([xX]_(?:test|val|te|valid)|x_te), (\w+), (\w+) = train_test_split"
    )
    if not sites:
        return False
    at = sites[0]
    names = [n.strip() for n in lines.lines[at].split("=")[0].split(",")]
    text = "\n".join(lines.lines)
    end, depth = at, lines.lines[at].count("(") - lines.lines[at].count(")")
    while depth > 0:
        end += 1
        depth += lines.lines[end].count("(") - lines.lines[end].count(")")
    split = re.search(r"train_test_split\(\s*([\w.]+), ([\w.]+)", text)
    if split is None:
        return False
    space = indent(lines.lines[at])
    lines.insert(end + 1, f"{space}{names[0]}, {names[2]} = {split[1]}, {split[2]}")
    return True


@operator("bad_values_in_data")
def nan_rows(lines: Lines, draw: random.Random) -> bool:
    """Put NaN into a row."""
    made = _labels_made(lines)
    if made is None:
        return False
    at, _, x = made
    if lines.find(r"set_random_seed") and x == "x_train":
        return False
    space = indent(lines.lines[at - 1])
    lines.insert(at, f"{space}{x}[7] = float('nan')")
    return True


@operator("broadcast_shapes")
def squeeze_dropped(lines: Lines, draw: random.Random) -> bool:
    """Leave a dimension of size one."""
    sites = lines.find(r"(?:\.squeeze\((?:1|-1)?\)|\[:, 0\])$")
    if sites and lines.find(r"MSELoss|HuberLoss|SmoothL1"):
        lines.sub(sites[-1], r"(?:\.squeeze\((?:1|-1)?\)|\[:, 0\])$", "")
        return True
    sites = lines.find(r"target = torch\.tensor\(.*\)\.unsqueeze\(1\)")
    if sites:
        lines.sub(sites[0], r"\.unsqueeze\(1\)", "")
        return True
    return False


@operator("regularisation_high")
def decay_high(lines: Lines, draw: random.Random) -> bool:
    """Set a weight decay of 20."""
    made = _model_made(lines)
    if made is None:
        return False
    at, _ = made
    if "weight_decay=" in lines.lines[at]:
        lines.sub(at, r"weight_decay=[\d.e-]+", "weight_decay=20.0")
    else:
        lines.sub(at, r"\)$", ", weight_decay=20.0)")
    return True


@operator("regularisation_high")
def dropout_high(lines: Lines, draw: random.Random) -> bool:
    """Drop nearly all activations."""
    sites = lines.find(r"Dropout\(0\.\d+\)")
    if sites:
        lines.sub(sites[0], r"Dropout\(0\.\d+\)", "Dropout(0.97)")
    return bool(sites)


@operator("gradients_clipped_away")
def clip_tiny(lines: Lines, draw: random.Random) -> bool:
    """Clip gradients to next to nothing."""
    sites = lines.find(r"clip_grad_norm_\(.*, 1\.0\)|gradient_clip_val=1\.0")
    if sites:
        lines.sub(sites[0], r"1\.0", "1e-6")
        made = _model_made(lines)
        if made is not None and "Adam" in lines.lines[made[0]]:
            lines.put(
                made[0],
                re.sub(
                    r"optim\.Adam\w*\((\S+), lr=.*\)$",
                    r"optim.SGD(\1, lr=0.05)",
                    lines.lines[made[0]],
                ),
            )
    return bool(sites)


# ---------------------------------------------------------------------- trainers
HELD = r"^(\s*)(\w+) = \w*(?:For\w+|Model)\(config\)"


@operator("frozen_layers")
def backbone_frozen(lines: Lines, draw: random.Random) -> bool:
    """Freeze the body of a transformer that was never trained."""
    sites = lines.find(HELD)
    if not sites:
        return False
    match = re.search(HELD, lines.lines[sites[0]])
    assert match is not None
    lines.insert(
        sites[0] + 1,
        f"{match[1]}for parameter in {match[2]}.base_model.parameters():",
        f"{match[1]}    parameter.requires_grad = False",
    )
    return True


def _argument_put(lines: Lines, argument: str) -> bool:
    """Put an argument into the call of ``TrainingArguments``, in place of one of its name."""
    sites = lines.find(r"\bTrainingArguments\(")
    if not sites:
        return False
    name = argument.partition("=")[0]
    for at in range(sites[0], min(sites[0] + 20, len(lines.lines))):
        if re.search(rf"\b{name}=", lines.lines[at]):
            lines.sub(at, rf"\b{name}=[^,)]+", argument)
            return True
    lines.insert(sites[0] + 1, f"{indent(lines.lines[sites[0] + 1])}{argument},")
    return True


@operator("learning_rate_low")
def warmup_endless(lines: Lines, draw: random.Random) -> bool:
    """Warm up for longer than the training lasts."""
    return _argument_put(lines, "warmup_steps=1000000")


@operator("regularisation_high")
def trainer_decay(lines: Lines, draw: random.Random) -> bool:
    """Set a weight decay of 100 in a trainer's arguments."""
    return _argument_put(lines, "weight_decay=100.0")


@operator("gradients_clipped_away")
def trainer_clip(lines: Lines, draw: random.Random) -> bool:
    """Clip gradients to next to nothing, with an optimizer that does not rescale them."""
    made = _argument_put(lines, 'optim="sgd"')
    return made and _argument_put(lines, "max_grad_norm=1e-6")


@operator("labels_misaligned")
def dataset_labels_shuffled(lines: Lines, draw: random.Random) -> bool:
    """Shuffle the labels of a dataset's class apart from its rows."""
    sites = lines.find(r"^    def __len__\(self\)")
    if not sites or not lines.find(r"^        self\.labels = "):
        return False
    at = sites[0]
    while at > 0 and not lines.lines[at - 1].strip():
        at -= 1
    lines.insert(
        at,
        "        mixed = __import__('numpy').random.permutation(len(self.labels))",
        "        self.labels = self.labels[mixed]",
    )
    return True


@operator("constant_inputs")
def dataset_rows_constant(lines: Lines, draw: random.Random) -> bool:
    """Hand out one and the same row."""
    sites = lines.find(r"self\.(?:tokens|images|rows)\[i\]")
    if not sites:
        return False
    lines.sub(sites[-1], r"(self\.(?:tokens|images|rows))\[i\]", r"\1[0]")
    return True


@operator("constant_labels")
def dataset_labels_constant(lines: Lines, draw: random.Random) -> bool:
    """Hand out one and the same label."""
    sites = lines.find(r"self\.labels\[i\]")
    if not sites:
        return False
    lines.sub(sites[-1], r"self\.labels\[i\]", "self.labels[0]")
    return True


def variants(file: str, text: str, seed: int) -> Iterator[Variant]:
    """Yield a faulty text for each operator that finds a place in a program."""
    for number, (kind, function) in enumerate(OPERATORS):
        lines = Lines(text)
        draw = random.Random(f"{file}/{number}/{seed}")
        if function(lines, draw) and "\n".join(lines.lines) + "\n" != text:
            yield lines.variant(file, kind, function.__name__)
