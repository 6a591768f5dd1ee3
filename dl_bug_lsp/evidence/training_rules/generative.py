"""Rules for models that generate, and for agents: adversaries, latent variables, value targets.

Adversarial games (Goodfellow et al., 2014), variational autoencoders (Kingma and Welling, 2014),
target networks (Mnih et al., 2015), clipped objectives (Schulman et al., 2017), and views of one
picture for contrastive losses (Chen et al., 2020).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword
from dl_bug_lsp.evidence.training_rules.program import (
    Body,
    Training,
    clue,
    names_in,
    receiver,
    text,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name, dotted_name

RECONSTRUCTION = re.compile(
    r"mse_loss|binary_cross_entropy|l1_loss|MSELoss|BCELoss|mean_squared_error|binary_crossentropy"
)
"""Functions that compare a reconstruction with what was to be reconstructed."""
RECONSTRUCTED = re.compile(r"recon", re.I)
MEASURES = re.compile(r"^mean$|loss|criterion|bce|mse", re.I)
DIVERGENCE = re.compile(r"(?:^|_)(?:kl|kld|kl_?div\w*|kl_?loss|divergence)(?:_|$)", re.I)
LOG_VARIANCE = re.compile(r"log_?var|log_?std|log_?sigma|logv|lv\b", re.I)
ONE_PLUS = re.compile(r"1(?:\.0)? \+|- 1\b")
SUMMED = re.compile(r"\bsum\(|\.sum\(|reduce_sum")
OF_ONE_SAMPLE = re.compile(r"dim=|axis=|\(1\)|, 1\)|, -1\)| / ")
SUM_OR_SIZE = re.compile(r"sum|\* *\w+\.(?:size|shape|numel)")
NEGATIVE_DIVERGENCE = re.compile(
    r"(?:torch\.|tf\.|jnp\.|K\.|ops\.)?(?:sum|mean|reduce_sum|reduce_mean)?0?\.?5?\*?"
    r"(?:torch\.|tf\.|jnp\.)?(?:sum|mean|reduce_sum|reduce_mean)?1\+\w*log"
)
"""The divergence of a normal distribution without its minus, spaces and brackets left out."""
BOUNDED_OR_DECODED = re.compile(r"tanh|decode")
THROUGH = re.compile(r"forward|reparam|encode|call")
"""Functions through which gradients of samples must come."""
GENERATOR_LOSS = re.compile(
    r"(?:g_?loss|loss_?g(?:en)?|gen_?loss|generator_loss|errg|lossg|adv_?loss|loss_?adv)$", re.I
)
CUT_OFF = re.compile(
    r"(?:fake|gen|g_?out|sample|x_hat|img)\w*\.detach\(\)|stop_gradient\(\w*(?:fake|gen)", re.I
)
COMPARES = re.compile(r"bce|cross_?entropy|criterion|adv|loss|mse|gan", re.I)
REAL = re.compile(r"ones|full\(|real|valid|, 1\.0|true", re.I)
FAKE = re.compile(r"zeros|fake_?(?:lab|lbl|target|t\b|y\b)|(?:lab\w*|y|target)_?fake", re.I)
"""Words for the labels of samples that are recognised as real, and as generated."""
COMBINED = re.compile(r"gan|combined|adversarial")
DISCOUNTED = re.compile(r"(?:gamma|discount|GAMMA|0\.9\d*)\)? \* ")
REWARD = re.compile(r"\br\w*\b|rew")
KNOWS_END = re.compile(r"done|term|not_|mask|nonfinal|non_final|\b1(?:\.0)? - |final|cont|~")
END = re.compile(r"(?:is_)?(?:done|dones|terminal|terminals|terminated|term|d)")
CUTS_END = re.compile(
    r"\[(?:dones?|terminals?|~?\w*mask\w*)\] *= *0|\*= |torch\.where|np\.where|if (?:not )?done"
)
OBJECTIVE = re.compile(r"surr|ratio|unclipped|clipped|pg\d|obj")
NEGATIVE = re.compile(r"-\s*(?:adv|\w*adv)|^-|\n-")
OF_VALUES = re.compile(r"pg_loss|v_loss|value")
OF_STEPS = re.compile(r"ret|adv|gae|disc|target|rtg")
"""Words for lists with one value a step of an episode."""
AUGMENTS = re.compile(r"aug|transform(?!er)|view")
PREPARES = re.compile(r"scal|enc|pca|vec|imput|pipe")
SECOND = re.compile(r"2|_b$|two|second|other")
RANDOM = re.compile(
    r"Random|ColorJitter|GaussianBlur|A\.\w*Flip|Rotate|HorizontalFlip|VerticalFlip"
)
INPUT = re.compile(r"^(?:im|img|image|pic|photo|x|frame|scan|tile|slice|input)\w*$", re.I)
GEOMETRY = re.compile(
    r"^(?:mask|seg|gt|box|boxes|bboxes|keypoints?|kps?|landmarks|points|annotation"
    r"|(?:label|target|y)\w*(?:mask|seg|map|box|im))\w*$",
    re.I,
)
"""What lies on a picture, and moves with it."""
MOVES = re.compile(r"flip|rot|crop|affine|mirror|\[::-1\]|\[:, ::-1\]|warp|perspective", re.I)
ASKS = re.compile(r"random|rand\(|rng|torch\.rand|np\.random")
TRANSFORMS = re.compile(r"transform|aug|tf\b|tfm|flip|crop")
COMMON_NAMES = ("transform", "transforms", "aug", "augment")
FUNCTIONAL = ("TF.", "F.")
SEEDS = re.compile(r"seed|random_state")
TARGET_NETWORK = re.compile(
    r"(?:^|_)(?:target|tgt)(?:_|$)|target_?(?:net|model|q|critic|actor|network)"
)
NETWORK = re.compile(r"[Nn]et|[Mm]odel|Q|(?:\b|_)q|[Cc]ritic|[Aa]ctor|deepcopy|clone| target$")
COPIES = ("deepcopy", "clone_model", "copy")
UPDATE = re.compile(r"update|sync|copy")
UPDATES = frozenset(
    (".load_state_dict", ".set_weights", ".parameters", ".state_dict", ".weights", ".variables",
     ".trainable_variables", ".get_weights")
)  # fmt: skip
USES = frozenset(("(", ".forward", ".predict", ".apply"))
UPDATES_ELSEWHERE = ("copy_", "lerp", "soft_update")
AVERAGE = re.compile(r"ema|avg|shadow|target|tgt")
DECAY = re.compile(r"(?:self\.)?(?:decay|ema_decay|momentum)")
GENERATOR = re.compile(r"gen|netg|decoder")
DISCRIMINATOR = re.compile(r"disc|critic|netD", re.I)
CENTRED = re.compile(
    r"Normalize\(|127\.5|\* 2(?:\.0)? - 1|\* 2(?:\.0)?\) - 1|2(?:\.0)? \* \w+ - 1|- 0\.5\) / 0\.5"
    r"|- 0\.5\) \* 2"
)
"""How pictures are brought to values from -1 to 1."""


def find(training: Training) -> Iterator[Clue]:
    """Yield what keeps generators, latent variables and agents from learning."""
    random_names = _random_transforms(training)
    for body in training.bodies:
        yield from _latent_terms(body)
        yield from _cut_samples(body)
        yield from _games(body)
        yield from _generator_trained(body)
        yield from _value_targets(training, body)
        yield from _explorations(body)
        yield from _clipped_objectives(body)
        yield from _turned_round(body)
        yield from _one_view(body)
        yield from _moved_apart(body)
        yield from _drawn_apart(body, random_names)
        yield from _averages(body)
    yield from _target_networks(training)
    yield from _ranges(training)


def _latent_terms(body: Body) -> Iterator[Clue]:
    """Find a reconstruction that is averaged where the divergence is summed, and its sign."""
    for name, statements in body.assigned.items():
        for node in statements if "." not in name else ():
            words = body.source(node.value)
            if not LOG_VARIANCE.search(words) or "exp" not in words:
                continue
            if not DIVERGENCE.search(name) and not ONE_PLUS.search(words):
                continue
            if SUMMED.search(words) and "mean(" not in words and not OF_ONE_SAMPLE.search(words):
                for other, first in _averaged(body, node):
                    why = f"`{other}` is averaged over all elements, while `{name}` is a sum"
                    yield clue("strong", body.file, first.lineno, why)
                    yield clue("strong", body.file, node.lineno, why, 0.9)
            if _is_negative(words) and not _is_subtracted(body, name, node):
                why = f"`{name}` has the sign of the negative divergence, and is added"
                yield clue("strong", body.file, node.lineno, why)


def _averaged(body: Body, divergence: ast.Assign) -> Iterator[tuple[str, ast.Assign]]:
    """Yield the names of reconstruction losses that are means over all elements."""
    for name, statements in body.assigned.items():
        for node in statements if "." not in name else ():
            if node is divergence or not isinstance(node.value, ast.Call):
                continue
            kind = keyword(node.value, "reduction")
            is_mean = kind is None or (isinstance(kind, ast.Constant) and kind.value == "mean")
            words = body.source(node.value)
            is_loss = RECONSTRUCTION.search(words) or (
                MEASURES.search(called_name(node.value)) and RECONSTRUCTED.search(f"{name} {words}")
            )
            if is_mean and is_loss and not SUM_OR_SIZE.search(words):
                yield name, node


def _is_negative(words: str) -> bool:
    """Whether the code of a divergence gives its negative."""
    compact = words.replace(" ", "").replace("1.0", "1").replace("(", "")
    is_turned = "-0.5" in compact or compact.startswith("-") or "-beta" in compact
    return not is_turned and NEGATIVE_DIVERGENCE.match(compact) is not None


def _is_subtracted(body: Body, name: str, statement: ast.Assign) -> bool:
    """Whether another statement subtracts a name."""
    subtracts = re.compile(rf"- *(?:\w+ *\* *)?{name}\b|-0\.5 \* (?:\w+\.)*\w*\(?{name}")
    return any(
        isinstance(node, (ast.Assign, ast.Return, ast.AugAssign))
        and node is not statement
        and subtracts.search(body.source(node))
        for node in body.nodes
    )


def _cut_samples(body: Body) -> Iterator[Clue]:
    """Find draws without a gradient where the draw goes through the model."""
    names = {called_name(call) for call in body.calls}
    if "log_prob" in names and not BOUNDED_OR_DECODED.search(" ".join(names)):
        return
    if not any("decod" in name for name in names) and not THROUGH.search(body.name.lower()):
        return
    for call in body.calls:
        if called_name(call) != "sample" or not isinstance(call.func, ast.Attribute) or call.args:
            continue
        made = body.value(call.func.value, call.lineno)
        words = [body.source(node.value) for node in body.assigned.get(receiver(call), ())]
        words.extend([body.source(made[0])] if made is not None else [])
        if any("Normal(" in word for word in words):
            why = f"{text(call)} cuts the gradient; `rsample` lets it through"
            yield clue("strong", body.file, call.lineno, why)


def _games(body: Body) -> Iterator[Clue]:
    """Find generators that are trained on cut samples, or towards what they should not give."""
    if "disc" in body.name.lower():
        return
    for name, statements in body.assigned.items():
        for node in statements if GENERATOR_LOSS.match(name) else ():
            parts = [part for part in ast.walk(node.value) if isinstance(part, ast.Name)]
            made = {place for place in (body.value(p, node.lineno) for p in parts) if place}
            words = _without_targets(body, node.value)
            if any(CUT_OFF.search(w) for w in (words, *(body.source(value) for value, _ in made))):
                why = f"the samples of `{name}` are cut off from the generator (`detach`)"
                yield clue("strong", body.file, node.lineno, why)
                for value, line in made:
                    if "detach" in body.source(value):
                        yield clue("strong", body.file, line, why)
            if _is_fake(body, node.value) and not REAL.search(words):
                why = (
                    f"`{name}` rewards the generator where its samples are recognised as generated"
                )
                yield clue("strong", body.file, node.lineno, why)


def _without_targets(body: Body, expr: ast.expr) -> str:
    """Return the code of an expression without what its losses compare with."""
    words = body.source(expr)
    for call in calls_in(expr):
        if COMPARES.search(called_name(call)) and len(call.args) > 1:
            words = words.replace(f", {body.source(call.args[1])}", "")
    return words


def _is_fake(body: Body, expr: ast.expr) -> bool:
    """Whether a loss inside an expression gets the labels of generated samples."""
    return any(
        FAKE.search(body.source(given))
        for call in calls_in(expr)
        if COMPARES.search(body.source(call.func))
        for given in (*call.args, *(k.value for k in call.keywords))
    )


def _generator_trained(body: Body) -> Iterator[Clue]:
    """Find ``gan.train_on_batch(noise, zeros)``: the combined model must aim at the real label."""
    for call in body.calls:
        if called_name(call) != "train_on_batch" or len(call.args) < 2:
            continue
        owner = body.source(call.func).lower()
        is_combined = COMBINED.search(owner) and "disc" not in owner
        if is_combined and FAKE.search(body.source(call.args[1])):
            why = "the generator is rewarded where its samples are recognised as generated"
            yield clue("strong", body.file, call.lineno, why)


def _value_targets(training: Training, body: Body) -> Iterator[Clue]:
    """Find value targets that count on a state behind the end of an episode."""
    if not any(END.fullmatch(name) for name in body.names):
        return
    for node in body.assigns:
        words = body.source(node.value)
        if not DISCOUNTED.search(words) or not REWARD.search(words) or KNOWS_END.search(words):
            continue
        if _is_of_one_episode(training, body, node) or _cuts_end(body):
            continue
        why = f"{text(node)} counts on a next state where the episode has ended, too"
        yield clue("strong", body.file, node.lineno, why)


def _is_of_one_episode(training: Training, body: Body, node: ast.Assign) -> bool:
    """Whether a return is added up (``g = r + gamma * g``) in a loop that meets no end."""
    if not names_in(node.targets[0]) & names_in(node.value):
        return False
    loops = training.loops(body.scope, node)
    return not any(END.fullmatch(name) for loop in loops[:1] for name in names_in(loop))


def _cuts_end(body: Body) -> bool:
    """Whether a function sets values to zero where an episode has ended."""
    for node in body.nodes:
        if isinstance(node, (ast.If, ast.IfExp)):
            words = f"if {body.source(node.test)}"
        elif isinstance(node, (ast.Assign, ast.Return, ast.AugAssign)):
            words = body.source(node)
        else:
            continue
        if CUTS_END.search(words):
            return True
    return False


def _explorations(body: Body) -> Iterator[Clue]:
    """Find rates of exploration that never fall: ``eps = max(eps, eps * decay)``."""
    for node in body.assigns:
        name, call = dotted_name(node.targets[0]), node.value
        if not isinstance(call, ast.Call) or called_name(call) != "max" or len(call.args) != 2:
            continue
        given = [body.source(argument) for argument in call.args]
        is_less = any(words.startswith((f"{name} *", f"{name} -")) for words in given)
        if name is not None and name in given and is_less:
            why = f"`{name}` is the maximum of itself and less, so that it never falls"
            yield clue("strong", body.file, node.lineno, why)


def _clipped_objectives(body: Body) -> Iterator[Clue]:
    """Find clipped objectives of which the larger one is taken."""
    for call in body.calls:
        if called_name(call) not in ("max", "maximum") or len(call.args) != 2:
            continue
        given = [body.source(argument).lower() for argument in call.args]
        if not all(OBJECTIVE.search(words) for words in given):
            continue
        values = [body.value(argument, call.lineno) for argument in call.args]
        made = [body.source(value[0]).lower() for value in values if value is not None]
        words = "\n".join((*given, *made))
        if not NEGATIVE.search(words) and not OF_VALUES.search(" ".join(given)):
            why = (
                f"{text(call)} takes the larger objective: the clipped one is a bound only as the"
                " smaller"
            )
            yield clue("strong", body.file, call.lineno, why)


def _turned_round(body: Body) -> Iterator[Clue]:
    """Find lists of returns that are filled from the end, and never turned round."""
    for loop in body.nodes:
        if not isinstance(loop, ast.For):
            continue
        source = body.source(loop.iter)
        if "reversed(" not in source and "[::-1]" not in source:
            continue
        for call in calls_in(loop):
            kept = receiver(call)
            if called_name(call) != "append" or not OF_STEPS.search(kept.lower()):
                continue
            name = re.escape(kept)
            turned = rf"{name}\[::-1\]|{name}\.reverse|reversed\({name}|flip\("
            if not re.search(turned, body.text):
                why = f"`{kept}` is filled from the end of the episode and never turned round"
                yield clue("strong", body.file, call.lineno, why)


def _one_view(body: Body) -> Iterator[Clue]:
    """Find two views that are one picture: ``a = b = augment(x)``, ``b = a``."""
    made = {
        node.targets[0].id
        for node in body.assigns
        if len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and _augments(body, node.value)
    }
    why = "both views are the same augmented sample"
    for node in body.assigns:
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        is_twice = len(names) == 2 and _augments(body, node.value)
        is_copy = (
            len(names) == 1
            and isinstance(node.value, ast.Name)
            and node.value.id in made
            and SECOND.search(names[0])
        )
        if is_twice or is_copy or _is_pair(node.value, made, 2):
            yield clue("strong", body.file, node.lineno, why)
    for returned in body.nodes:
        if isinstance(returned, ast.Return) and _is_pair(returned.value, made, None):
            yield clue("strong", body.file, returned.lineno, why)


def _augments(body: Body, expr: ast.expr) -> bool:
    """Whether an expression calls what changes a picture at random."""
    if not isinstance(expr, ast.Call) or called_name(expr) in ("view", "fit_transform"):
        return False
    words = body.source(expr.func).lower()
    return AUGMENTS.search(words) is not None and not PREPARES.search(words)


def _is_pair(expr: ast.expr | None, names: set[str], size: int | None) -> bool:
    """Whether a tuple, of a size if one is given, begins twice with one of some names."""
    if not isinstance(expr, ast.Tuple) or len(expr.elts) < 2:
        return False
    one, other = expr.elts[:2]
    is_same = isinstance(one, ast.Name) and isinstance(other, ast.Name) and one.id == other.id
    return is_same and dotted_name(one) in names and size in (None, len(expr.elts))


def _moved_apart(body: Body) -> Iterator[Clue]:
    """Find pictures that are moved at random without what lies on them."""
    marks = sorted(name for name in body.names if GEOMETRY.match(name))
    for branch in body.nodes if marks else ():
        if not isinstance(branch, ast.If) or not ASKS.search(body.source(branch.test)):
            continue
        moved = {
            part.id: statement.lineno
            for statement in branch.body
            if isinstance(statement, ast.Assign) and MOVES.search(body.source(statement.value))
            for target in statement.targets
            for part in (target.elts if isinstance(target, ast.Tuple) else [target])
            if isinstance(part, ast.Name)
        }
        pictures = [name for name in moved if INPUT.match(name)]
        inside = {name for statement in branch.body for name in names_in(statement)}
        if pictures and inside.isdisjoint(marks):
            why = f"`{pictures[0]}` is moved at random, and `{marks[0]}` is not moved with it"
            yield clue("strong", body.file, moved[pictures[0]], why)


def _drawn_apart(body: Body, random_names: set[str]) -> Iterator[Clue]:
    """Find a picture and what lies on it that one random transform moves one by one."""
    if any(SEEDS.search(called_name(call)) for call in body.calls):
        return  # Both may draw the same numbers.
    first: dict[str, tuple[str, int]] = {}
    for call in body.calls:
        function = dotted_name(call.func) or ""
        if len(call.args) != 1 or not isinstance(call.args[0], ast.Name):
            continue
        if not _is_random(function, random_names):
            continue
        given = call.args[0].id
        one, line = first.setdefault(function, (given, call.lineno))
        pair = {one, given}
        sides = [bool(INPUT.match(name)) for name in pair]
        if sum(sides) == 1 and len(pair) == 2 and any(GEOMETRY.match(name) for name in pair):
            why = f"`{function}` draws anew for `{given}`: it moves otherwise than `{one}`"
            yield clue("strong", body.file, call.lineno, why)
            yield clue("strong", body.file, line, why, 0.9)


def _is_random(function: str, random_names: set[str]) -> bool:
    """Whether a function is one of the program's random transforms."""
    short = function.rpartition(".")[2]
    is_transform = TRANSFORMS.search(short.lower()) and not function.startswith(FUNCTIONAL)
    return bool(is_transform) and short in random_names


def _random_transforms(training: Training) -> set[str]:
    """Return the names under which random transforms are kept."""
    found = {
        name.rpartition(".")[2]
        for _, name, _, call in training.made
        if RANDOM.search(ast.unparse(call))
    }
    return found | set(COMMON_NAMES) if found else found


def _target_networks(training: Training) -> Iterator[Clue]:
    """Find target networks that are never updated, or made without the weights."""
    updated = _given_to_updates(training)
    for scope, name, binding, call in training.made:
        short, made = name.removeprefix("self."), called_name(call)
        if binding.mutates or short in updated or not TARGET_NETWORK.search(short):
            continue
        if not made[:1].isupper() and made not in COPIES:
            continue
        uses = re.findall(rf"\b{re.escape(short)}\b(\.\w+|\()?", training.sources)
        if made == "clone_model" and ".set_weights" not in uses:
            why = f"{text(call)} copies the layers and not their weights"
            yield clue("strong", scope.file, binding.line, why)
        if not NETWORK.search(f"{made} {short}") or "optim" in short or "param" in short:
            continue
        is_updated = not UPDATES.isdisjoint(uses) or any(
            words in training.sources for words in UPDATES_ELSEWHERE
        )
        if not is_updated and not USES.isdisjoint(uses):
            why = f"`{short}` is never brought up to date"
            yield clue("medium", scope.file, binding.line, why)


def _given_to_updates(training: Training) -> set[str]:
    """Return the names that functions such as ``hard_update(target, online)`` are given."""
    return {
        (dotted_name(given) or "").removeprefix("self.")
        for name, calls in training.by_name.items()
        if UPDATE.search(name)
        for _, call in calls
        for given in call.args
    }


def _averages(body: Body) -> Iterator[Clue]:
    """Find moving averages whose two shares are exchanged."""
    for call in body.calls:
        if called_name(call) not in ("lerp_", "lerp") or not isinstance(call.func, ast.Attribute):
            continue
        weight = call.args[1] if len(call.args) > 1 else keyword(call, "weight")
        if weight is None or not AVERAGE.search(body.source(call.func.value).lower()):
            continue
        words = body.source(weight)
        value = weight.value if isinstance(weight, ast.Constant) else None
        if (isinstance(value, float) and value > 0.5) or DECAY.fullmatch(words):
            why = (
                f"{text(call)} gives the new value the weight {words}: the average keeps little of"
                " the old one"
            )
            yield clue("strong", body.file, call.lineno, why)


def _ranges(training: Training) -> Iterator[Clue]:
    """Find generators that end in tanh where the real pictures lie between 0 and 1."""
    if not _ends_in_tanh(training) or not DISCRIMINATOR.search(training.sources):
        return
    if CENTRED.search(training.sources):
        return
    why = "the pictures lie between 0 and 1, and the generator's last layer gives -1 to 1"
    for scope, call in training.named("ToTensor"):
        yield clue("strong", scope.file, call.lineno, why)
    for body in training.bodies:
        for node in body.nodes:
            if (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.Div)
                and isinstance(node.right, ast.Constant)
                and node.right.value == 255
            ):
                yield clue("strong", body.file, node.lineno, why)


def _ends_in_tanh(training: Training) -> bool:
    """Whether a generator of the program uses tanh."""
    if any(GENERATOR.search(_full_name(scope)) for scope, _ in training.named("Tanh", "tanh")):
        return True
    if "Dense" not in training.by_name and not training.imported & {"keras", "tensorflow"}:
        return False
    return "activation='tanh'" in training.sources and "gener" in training.sources.lower()


def _full_name(scope: Scope) -> str:
    """Return the name of a function with that of its class."""
    owner = scope.owner
    return f"{owner.name if owner is not None else ''}.{scope.name}".lower()
