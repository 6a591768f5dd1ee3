"""The settings of the failing run: which of them the failure reads, names or prints.

A run's settings are the entries of its config files and the words of its command line (found by
`dl_bug_lsp.provenance.configuration`). They are what users change most, and a stack never shows
them.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import follow, how_known, is_script
from dl_bug_lsp.evidence.interpreted_values import origins_of
from dl_bug_lsp.evidence.names import listed_names
from dl_bug_lsp.evidence.numbers import (
    COUNTED,
    counts_no_size,
    fitting_sizes,
    item_words,
    names_no_size,
    share_of_number,
    written,
)
from dl_bug_lsp.evidence.value_flow import BYSTANDERS, INDIFFERENT, relation, shown
from dl_bug_lsp.evidence.word_index import nearness
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.post_mortem.wording import read_names, scalars
from dl_bug_lsp.provenance.blocks import NAMING, TAGS
from dl_bug_lsp.provenance.nodes import Node, StepKind
from dl_bug_lsp.provenance.scopes import ElementOf, called_name
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.provenance.stack import header_expressions, statement_at
from dl_bug_lsp.tracebacks import Frame
from dl_bug_lsp.workspace.configs.yaml_files import OMEGACONF_NUMBER
from dl_bug_lsp.workspace.contents import Scalar

FAR = 12.0
"""Distance at which a setting counts a factor e less: settings lie far from where they are read."""
MOST_SETTINGS = 4_000
MOST_FRAMES = 4
MOST_TEXT = 2_000
DEEP = 4
"""More library frames than this below the raise site: the library was at work on its own."""
NEAR_OPTION = 0.74
OPTIONS = re.compile(
    r"(?i)\b(?:unknown|unrecogni[sz]ed|unexpected|invalid|no such|not (?:a )?(?:valid|in struct)|"
    r"unsupported|could not override|extra)\b"
)
QUOTED = re.compile(r"[`'\"]([^`'\"\n]{2,80})[`'\"]")
AFTER_NOUN = re.compile(
    r"(?i)\b(?:keys?|options?|arguments?|parameters?|flags?|fields?|attributes?|settings?)\b:?\s+"
    r"[`'\"]?(-{0,2}[A-Za-z][\w.-]+)"
)
OF_FILES = frozenset(
    (
        *("bin", "ckpt", "csv", "gz", "h5", "hdf5", "jpg", "json", "jsonl", "keras", "model"),
        *("npy", "npz", "onnx", "parquet", "pickle", "pkl", "png", "pt", "pth", "py", "tar"),
        *("safetensors", "tsv", "txt", "wav", "yaml", "yml", "zip"),
    )
)
"""Endings of files: what stands behind the last dot of a value names no class then."""
REFERENCE = re.compile(r"\$\{\.*([\w.]+)|<([\w.]+)>")
FULL_KEY = re.compile(r"full_key: ([\w.\[\]]+)")
DISTINCT = re.compile(r"[a-z][A-Z]|\d|_|/|[a-z]\.[a-z]")
"""What tells a name from a word of prose."""
WORD = re.compile(r"[A-Za-z_][\w.\-/]*")
NAMES = (
    *(FactKind.KEY, FactKind.NAME, FactKind.ATTRIBUTE, FactKind.ARGUMENT, FactKind.OPTION),
    *(FactKind.LITERAL, FactKind.PARAMETER, FactKind.CLASS, FactKind.PATH),
)
LITERALS = (StepKind.LITERAL, StepKind.CONTAINER, StepKind.ARITHMETIC, StepKind.TEXT)
ABOUT_CODE = frozenset(
    ("framework_api_misuse", "attribute_not_found", "not_implemented", "undefined_variable",
     "library_not_found", "version_conflict")
)  # fmt: skip
"""Failures in which no value is wrong but how code is put together."""
LOOPS = frozenset(("fit", "evaluate", "predict", "train", "test", "validate", "run"))
ABOUT_PATHS = frozenset(("path_not_found", "permission_denied", "corrupt_data"))
INDIRECT = frozenset(("callback", "configured", "callee", "receiver", "base", "index"))
"""Roles in which a value takes part without being what is handed on."""
META = frozenset((*NAMING[:3], "_partial_", "_recursive_", "_convert_", "defaults"))
"""Keys that say what a block is, not what it is given."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the run: its place, its name and value; ``value`` is None for a table."""

    file: str
    line: int
    key: str
    value: Scalar
    text: str
    path: str = ""

    @property
    def shown(self) -> str:
        """What people read: ``key: value``, or of a list the item and its list."""
        if self.path.rpartition(".")[2].isdigit():
            return item_words(self.text, self.key)
        return f"`{self.key}: {self.text}`"


def find(case: Case) -> Iterator[Clue]:
    """Yield the run's settings that the failure has to do with."""
    yield from _written(case)
    yield from _without_separator(case)
    files = frozenset(case.engine.configuration.files)
    words = [w for launch in case.engine.run.launches for w in launch.words if w.line]
    if not files and not words:
        return
    launched = frozenset((w.file, w.line) for w in words)
    settings = settings_of(case)
    reached = list(_reached(case, files, launched))
    yield from reached
    places = {(clue.file, clue.line) for clue in reached}
    yield from _read_by_name(case, settings, places)
    yield from _followed(case, settings, places)
    yield from _held(case, settings)
    yield from _named(case, settings)
    yield from _in_frames(case, settings)
    yield from _chosen(case, settings)
    yield from _numbers(case, settings)
    yield from _wrong_type(case, settings)


SHORTEST_FOLDER = 3


def _without_separator(case: Case) -> Iterator[Clue]:
    """Yield folders that were joined with the name of a file without a separator between them.

    The path that is not there begins with a text of the program or its settings; with a separator
    behind this text it is that of a file of the workspace.
    """
    if case.category.id != "path_not_found":
        return
    paths = [str(fact.value).replace("\\", "/") for fact in case.facts.of(FactKind.PATH)]
    texts: dict[Origin, str] = {}
    for entry in case.config_entries:
        if isinstance(entry.value, str):
            texts.setdefault((entry.file, entry.line), entry.value)
    for step in case.raise_slice:
        constant = step.node.constant
        if constant is not None and isinstance(constant.value, str) and step.node.line > 0:
            texts.setdefault((step.node.file, step.node.line), constant.value)
    for place, text in texts.items():
        folder = text.removeprefix("./")
        if len(folder) < SHORTEST_FOLDER or folder.endswith("/"):
            continue
        for path in paths:
            before, found, name = path.rpartition(folder)
            joins = found and name and name[0] not in "/." and (not before or before[-1] == "/")
            if joins and case.workspace.existing_file(f"{folder}/{name}") is not None:
                why = (
                    f"`{text}` and `{name}` are joined without a separator: `{text}/{name}` exists"
                )
                yield Clue("rules.strong", *place, 1.0, why)


def settings_of(case: Case) -> list[Setting]:
    """Return the settings of the run: of composed configs those that won, then the others."""
    settings: dict[tuple[str, int, str], Setting] = {}
    engine = case.engine
    configuration = engine.configuration
    entries = [w for launch in engine.run.launches for w in launch.words if w.line]
    for table in configuration.tables:
        entries.extend(engine.settings(table).all())
    for file in configuration.files:
        if file in configuration.composed_files:
            continue
        if file.endswith(".py"):
            for setting in _python_settings(case, file):
                settings.setdefault((setting.file, setting.line, setting.key), setting)
        else:
            entries.extend(engine.settings(file).all())
    for entry in entries:
        if entry.line and len(settings) < MOST_SETTINGS:
            value = entry.value if entry.length is None else None
            path = ".".join(str(part) for part in entry.path)
            setting = Setting(entry.file, entry.line, entry.key, value, entry.text, path)
            settings.setdefault(
                (setting.file, setting.line, f"{setting.key}={setting.text}"), setting
            )
    return list(settings.values())


def _python_settings(case: Case, file: str) -> Iterator[Setting]:
    """Yield the names, keywords and keys of a Python config that are given a plain value."""
    tree = case.workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        pairs: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Attribute)):
            target = node.targets[0]
            pairs = [(target.id if isinstance(target, ast.Name) else target.attr, node.value)]
        elif isinstance(node, ast.Call):
            pairs = [(k.arg, k.value) for k in node.keywords if k.arg]
        elif isinstance(node, ast.Dict):
            pairs = [
                (key.value, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
        for key, value in pairs:
            for element in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
                scalar = _scalar(element)
                yield Setting(file, element.lineno, key, scalar, str(scalar))


def _scalar(expr: ast.expr) -> Scalar:
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
        inner = _scalar(expr.operand)
        return -inner if isinstance(inner, (int, float)) else None
    value = expr.value if isinstance(expr, ast.Constant) else None
    return value if isinstance(value, (str, int, float, bool)) else None


def _held(case: Case, settings: list[Setting]) -> Iterator[Clue]:
    """Yield the settings that the variables of the failing statement held when the run died.

    One counts that has the name and the value of a variable which the statement reads.
    """
    place = case.places[-1] if case.places else None
    frame = case.recorded.get((place.file, place.line)) if place is not None else None
    if place is None or frame is None:
        return
    statement = statement_at(case.engine, place.file, place.line)
    read = set(read_names(header_expressions(statement))) if statement is not None else set()
    held = {
        (name.rpartition(".")[2], value): name
        for name, value in scalars(frame.names)
        if name in read
    }
    found = [
        (one, name)
        for one in settings
        if one.key not in META and isinstance(one.value, (str, int, float))
        if (name := held.get((one.key.replace("-", "_"), one.value))) is not None
    ]
    counts = Counter(name for _, name in found)
    for one, name in found:
        why = f"the run held {one.shown} as `{name}` at {place.file}:{place.line}"
        yield Clue("config.held", one.file, one.line, 1.0 / math.sqrt(counts[name]), why)


FEW_FOLLOWED = 12
"""Settings that go into a failing expression, up to which each of them says something."""


def _followed(case: Case, settings: list[Setting], reached: set[tuple[str, int]]) -> Iterator[Clue]:
    """Yield the settings that go into the failing values of the followed run, by whatever way.

    A program may read its settings with code of its own, which no slice goes through.
    """
    if not case.places:
        return
    outcome = follow(case)
    raised = outcome.raised
    values = outcome.operands if raised is None or raised.weight < 1.0 else raised.sides
    made = {place for value in values for place in origins_of(value)}
    held = {(one.file, one.line): one for one in settings if (one.file, one.line) in made}
    found = {place: one for place, one in held.items() if place not in reached}
    if len(held) > FEW_FOLLOWED:
        return
    for (file, line), one in found.items():
        why = f"{one.shown.rstrip(',')}, a setting of this run, goes into what fails"
        score = 1.0 / len(held) ** 0.5
        yield Clue("config.setting", file, line, score, f"{why} {how_known(case)}")


OF_SETTINGS = re.compile(r"(?i)^(?:self\.)?_?(?:conf|config|cfg|args|opts?|options|params|hparams|"
                         r"hyperparams|flags|settings|kwargs)$")  # fmt: skip
"""How objects are called that hold the settings of a run."""


def _read_by_name(
    case: Case, settings: list[Setting], reached: set[tuple[str, int]]
) -> Iterator[Clue]:
    """Yield the settings that the failing expressions read by their names alone.

    What a program's own class holds, or what a library fills from a command line or a file, is not
    followed to where it was set. ``config["depth"]`` and ``self.depth`` of an object that was
    handed over name it all the same.
    """
    if case.category.id in ABOUT_CODE:
        return
    # The command line wins over a file: the words come first.
    by_key: dict[str, dict[tuple[str, int], Setting]] = {}
    for setting in settings:
        key = setting.key.rpartition(".")[2].replace("-", "_")
        by_key.setdefault(key, {}).setdefault((setting.file, setting.line), setting)
    launched = {(w.file, w.line) for launch in case.engine.run.launches for w in launch.words}
    is_tested = any(step.roles[-1:] == ("refused",) for step in case.raise_slice) or (
        case.class_name == "AssertionError"
    )
    order: dict[str, None] = {}
    for step in case.raise_slice:
        name = _name_read(step.node)
        if name is None or name in META or name in order or name not in by_key:
            continue
        if case.category.id in INDIFFERENT and name in BYSTANDERS:
            continue
        of_command = [one for place, one in by_key[name].items() if place in launched]
        found = of_command or list(by_key[name].values())
        if len(found) > FEW_OF_NAME or any((one.file, one.line) in reached for one in found):
            continue
        order[name] = None
        for one in found:
            score = math.exp(-step.distance / FAR) / (1 + (len(order) - 1) / 4) / len(found)
            why = f"`{one.key}: {one.text}`, a setting of this run, has the name that "
            why += f"`{shown(step.node)}` at line {step.node.line} of {step.node.file} reads"
            yield Clue("config.setting", one.file, one.line, score, why)
            # A test that refuses what was computed of settings refuses the settings.
            if _handed_on(step) or (is_tested and of_command):
                yield Clue("config.handed_on", one.file, one.line, BY_NAME * score, why)


FEW_OF_NAME = 2
BY_NAME = 0.8
"""What a setting counts that only its name connects to where it is read."""


def _name_read(node: Node) -> str | None:
    """Return the name of the setting that an expression may read, None where it is no such."""
    expr = node.expr if node.entry is None else None
    if isinstance(expr, ElementOf):
        expr = expr.value
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant):
        key = expr.slice.value
        return key if isinstance(key, str) and OF_SETTINGS.search(_written_as(expr.value)) else None
    if isinstance(expr, ast.Call) and called_name(expr) == "get" and expr.args:
        func, given = expr.func, expr.args[0]
        if isinstance(func, ast.Attribute) and isinstance(given, ast.Constant):
            is_name = isinstance(given.value, str) and OF_SETTINGS.search(_written_as(func.value))
            return str(given.value) if is_name else None
    if isinstance(expr, ast.Attribute):
        return expr.attr
    return None


def _written_as(expr: ast.expr) -> str:
    return ast.unparse(expr) if isinstance(expr, (ast.Name, ast.Attribute)) else ""


ARGUMENT_COUNTS = ("call_count", "call_missing", "call_twice", "call_keyword")
"""Families of messages that complain of a call's form, not of what is handed over."""


def _reached(
    case: Case, files: frozenset[str], launched: frozenset[tuple[str, int]]
) -> Iterator[Clue]:
    """Yield the settings that the failing expressions' values come from, nearest first."""
    indifferent = case.category.id in INDIFFERENT
    # A library that is deep in work of its own does more than to look at what it was handed.
    deep = case.library_frames > DEEP or any(_runs_a_loop(start.expr) for start in case.starts)
    counts = (case.facts.family or "").endswith(ARGUMENT_COUNTS)
    values_matter = case.category.id not in ABOUT_CODE and not deep and not counts
    for kind, slices in (("setting", [case.raise_slice]), ("outer_setting", case.outer_slices)):
        order: dict[tuple[str, int], None] = {}
        for step in (step for steps in slices for step in steps):
            node = step.node
            place = (node.file, node.line)
            if node.line <= 0 or not (node.file in files or place in launched):
                continue
            if node.entry is None and node.kind not in LITERALS:
                continue
            key = node.entry.key if node.entry is not None else ""
            if key in META or (node.entry is not None and node.entry.length == 0):
                continue
            if place in order:
                continue
            if not (indifferent and _name_of(step) in BYSTANDERS):
                order[place] = None
            rank = max(len(order) - 1, 0)
            score = math.exp(-step.distance / FAR) / (1 + rank / 4)
            direct = values_matter and kind == "setting" and _handed_on(step)
            direct = direct and not (indifferent and _name_of(step) in BYSTANDERS)
            if node.entry is None:
                setting_words = f"`{_assignment(case, node)}`"
            else:
                setting_words = (
                    written(node.entry) if node.entry.text else f"what is set for `{key}`"
                )
            setting_words = setting_words.rstrip(",")
            why = f"{setting_words}, a setting of this run, {relation(step)}"
            yield Clue(f"config.{kind}", node.file, node.line, score, why)
            if direct:
                start = shown(step.way()[0].node)
                why = f"{setting_words}, a setting of this run, is handed on to `{start}`"
                yield Clue("config.handed_on", node.file, node.line, score, why)


def _assignment(case: Case, node: Node) -> str:
    """Return a constant with the name that a module gives it (``BATCH = 16``)."""
    lines = case.workspace.lines(node.file)
    line = lines[node.line - 1].strip() if 0 < node.line <= len(lines) else ""
    named = re.fullmatch(rf"(\w+)\s*(?::[^=]+)?=\s*{re.escape(node.text)}", line)
    return f"{named[1]} = {node.text}" if named else node.text


def _written(case: Case) -> Iterator[Clue]:
    """Yield what decides in a script that wrote a file which the failing program read."""
    if case.category.id in ABOUT_CODE:
        return
    steps = [step for step in case.raise_slice if step.decides and step.node.line > 0]
    ran = {place.file for place in case.places}
    writers = {n.file for nodes in case.engine.written.values() for n in nodes} - ran
    # A module of the failing program did not write what this run has not come to read.
    own = follow(case).modules if follow(case).reached else frozenset()
    writers = {file for file in writers if file not in own or is_script(case.workspace, file)}
    order: dict[tuple[str, int], float] = {}
    for step in steps:
        if step.node.file in writers:
            order.setdefault((step.node.file, step.node.line), step.distance)
    nearest = min(order.values(), default=0.0)
    for rank, ((file, line), distance) in enumerate(order.items()):
        score = math.exp((nearest - distance) / FAR) / (1 + rank / 4)
        why = f"what {file.rpartition('/')[2]} wrote was read by the program that failed"
        yield Clue("config.written", file, line, score, why)


def _runs_a_loop(expr: ast.expr) -> bool:
    """Whether an expression calls a framework's own loop, whose frames may be left out."""
    func = expr.func if isinstance(expr, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in LOOPS


def _handed_on(step: Step) -> bool:
    """Whether a setting comes unchanged to where the failing expression uses it."""
    start, *between = step.way()[:-1] or [step]
    first = start.node
    last = getattr(first.expr, "end_lineno", None) or first.line
    outside = [
        link
        for link in between
        if not (link.node.file == first.file and first.line <= link.node.line <= last)
    ]
    return not any(link.decides for link in outside) and not INDIRECT & set(step.roles)


def _name_of(step: Step) -> str:
    named = [r.removeprefix("argument ") for r in step.roles if r.startswith("argument ")]
    if named and named[0] in BYSTANDERS:
        return named[0]
    if step.node.entry is not None:
        return step.node.entry.key
    before = step.before
    text = before.node.text if before is not None else ""
    return text.rpartition(".")[2]


def _named(case: Case, settings: list[Setting]) -> Iterator[Clue]:
    """Yield the settings whose value or name stands in the message."""
    message = case.message[:4000]
    texts = {str(f.value) for f in case.facts.facts if f.kind in NAMES and isinstance(f.value, str)}
    texts.update(QUOTED.findall(message))
    texts.update(AFTER_NOUN.findall(message))
    # A name that is there is not the one that is missing.
    texts = {t.strip() for t in texts if len(t.strip()) > 1} - listed_names(case)
    words = {w.strip(".-/") for w in WORD.findall(message)} - listed_names(case)
    names = {t.lstrip("-").replace("-", "_") for t in texts}
    if case.category.id not in ABOUT_PATHS:
        settings = [s for s in settings if not _names_file(case, s)]
    distinct = {word for word in words if DISTINCT.search(word)}
    values = [s for s in settings if _says(s, texts | distinct)]
    if "mandatory" in message:
        values.extend(s for s in settings if s.text == "???")
    counts = Counter(s.text for s in values)
    for setting in values:
        score = 1 / math.sqrt(counts[setting.text])
        why = f"{setting.shown} is what the message speaks of"
        yield Clue("config.value_named", setting.file, setting.line, score, why)
    yield from _at_path(settings, message)
    unknown = bool(OPTIONS.search(message))
    keys = Counter(s.key.replace("-", "_") for s in settings)
    for setting in settings:
        key = setting.key.replace("-", "_")
        if key in META or not key:
            continue
        # A plain word of prose is no name: what is named is quoted, or written like a name.
        if key in names or (key in words and "_" in key):
            kind = "config.option_named" if unknown and key in names else "config.key_named"
            if case.category.id == "key_not_found" and kind == "config.key_named":
                kind = "config.key_elsewhere"
            score = 1 / math.sqrt(keys[key])
            why = f"`{setting.key}` is set here; the message has this name, too"
            yield Clue(kind, setting.file, setting.line, score, why)
        elif unknown:
            likeness = max((nearness(key, n) for n in names if "." not in n), default=0.0)
            if likeness >= NEAR_OPTION:
                why = f"`{setting.key}` is nearly what the message names"
                yield Clue("config.key_near", setting.file, setting.line, likeness, why)


def _at_path(settings: list[Setting], message: str) -> Iterator[Clue]:
    """Yield the settings at a path that the message prints (``full_key: model.head``)."""
    dotted = {w.strip(".") for w in WORD.findall(message) if "." in w.strip(".")}
    dotted.update(FULL_KEY.findall(message))
    by_path = {s.path: s for s in settings if s.path}
    for path in sorted(dotted):
        known_setting = by_path.get(path)
        if known_setting is not None:
            why = f"the message prints this setting's path, `{path}`"
            yield Clue("config.path_named", known_setting.file, known_setting.line, 1.0, why)
            continue
        above, _, last = path.rpartition(".")
        if above in by_path:
            for setting in settings:
                if setting.path.rpartition(".")[0] == above and nearness(setting.key, last):
                    why = f"`{setting.key}` is nearly `{last}`, which is missing beside it"
                    likeness = nearness(setting.key, last)
                    yield Clue("config.key_near", setting.file, setting.line, likeness, why)


def _names_file(case: Case, setting: Setting) -> bool:
    """Whether a setting's value is a file of the workspace: that is there, and no wrong value."""
    value = setting.value
    written = isinstance(value, str) and "." in value
    return written and case.engine.workspace.file_named(str(value)) is not None


def _says(setting: Setting, texts: set[str]) -> bool:
    """Whether a setting's value is one of the texts, or a path that one of them begins with."""
    value = setting.value
    if setting.text.startswith(TAGS):
        value = setting.text.partition(":")[2].partition(" ")[0]
    if not isinstance(value, str) or len(value) < 2:
        return False
    last = value.rpartition(".")[2]
    if value in texts or (last in texts and last.lower() not in OF_FILES):
        return True
    if any(name in texts for pair in REFERENCE.findall(setting.text) for name in pair if name):
        return True
    path = value.rstrip("/")
    return ("/" in path or "-" in path or "_" in path) and any(
        t.startswith(f"{path}/") or t.endswith(f"/{path}") or f"/{path}/" in t for t in texts
    )


def _library_frames(case: Case) -> list[Frame]:
    """Return the innermost frames of libraries; what the workspace's own read, slices follow."""
    frames: list[Frame] = []
    for frame, place in reversed(case.located):
        if place is not None or len(frames) == MOST_FRAMES:
            break
        frames.append(frame)
    return frames


FUNCTIONAL = re.compile(r"\b(?:F|functional|nn|torch|ops|losses)\.([a-z]\w+)\(")
"""Calls of the functions behind layers, in the source lines of frames."""
OF_FUNCTIONS = {
    "binary_cross_entropy_with_logits": ("bcewithlogitsloss", "bcewithlogits", "bcelogits"),
    "binary_cross_entropy": ("bceloss", "bce", "binarycrossentropy"),
    "cross_entropy": ("crossentropyloss", "crossentropy", "ce", "celoss", "xent"),
    "nll_loss": ("nllloss", "nll"),
    "mse_loss": ("mseloss", "mse", "l2"),
    "l1_loss": ("l1loss", "l1", "mae"),
    "smooth_l1_loss": ("smoothl1loss", "smoothl1"),
    "huber_loss": ("huberloss", "huber"),
    "kl_div": ("kldivloss", "kldiv", "kl"),
    "ctc_loss": ("ctcloss", "ctc"),
    "poisson_nll_loss": ("poissonnllloss", "poissonnll", "poisson"),
    "gaussian_nll_loss": ("gaussiannllloss", "gaussiannll"),
    "margin_ranking_loss": ("marginrankingloss", "marginranking"),
    "triplet_margin_loss": ("tripletmarginloss", "triplet"),
    "cosine_embedding_loss": ("cosineembeddingloss", "cosineembedding"),
    "scaled_dot_product_attention": ("sdpa",),
}
"""What the classes of PyTorch are called that call a function ("torch.nn", "Loss Functions"), and
how settings shorten these names."""


def _chosen(case: Case, settings: list[Setting]) -> Iterator[Clue]:
    """Yield the settings whose text names the class or function in whose frames the error came.

    ``criterion: BCEWithLogitsLoss`` where `binary_cross_entropy_with_logits` fails chose it.
    """
    named: dict[str, int] = {}
    for depth, frame in enumerate(_library_frames(case)):
        stem = frame.file.replace("\\", "/").rpartition("/")[2].partition(".")[0]
        functions = {frame.own_name or "", *FUNCTIONAL.findall(frame.source or "")}
        for name in {stem, *functions} - {"forward", "module", "functional", "__init__", "call"}:
            for form in (name.replace("_", "").lower(), *OF_FUNCTIONS.get(name, ())):
                if len(form) > 1:
                    named.setdefault(form, depth)
    if not named:
        return
    hits = [(s, _form(s.text)) for s in settings if isinstance(s.value, str) and s.key not in META]
    found = [(s, form) for s, form in hits if form in named]
    for setting, form in found:
        why = f"{setting.shown} names a class or function in whose code the error came up"
        score = 1 / math.sqrt((1 + named[form]) * len(found))
        yield Clue("config.value_in_frame", setting.file, setting.line, score, why)


def _form(text: str) -> str:
    """Return the last name of a dotted path without underscores, lower case."""
    last = text.strip("'\" ").rpartition(".")[2].rpartition(":")[2]
    return re.sub(r"[^a-z0-9]", "", last.lower()) if len(last) <= MOST_LETTERS else ""


MOST_LETTERS = 50


def _in_frames(case: Case, settings: list[Setting]) -> Iterator[Clue]:
    """Yield the settings whose name a library reads in the innermost frames."""
    indifferent = case.category.id in INDIFFERENT
    by_key: dict[str, list[Setting]] = {}
    for setting in settings:
        if setting.key not in META:
            by_key.setdefault(setting.key.replace("-", "_"), []).append(setting)
    frames = _library_frames(case)
    for depth, frame in enumerate(frames):
        read = set(re.findall(r"[A-Za-z_]\w*", frame.source or ""))
        for key in sorted(read & by_key.keys()):
            if len(key) < 2 or (indifferent and depth and key in BYSTANDERS):
                continue
            for setting in by_key[key]:
                score = 1 / ((1 + depth) * math.sqrt(len(by_key[key])))
                where = f"line {frame.line} of {frame.file.rpartition('/')[2]}"
                why = f"the name `{key}` stands at {where}, near where the error was raised"
                yield Clue("config.in_frame", setting.file, setting.line, score, why)


def _numbers(case: Case, settings: list[Setting]) -> Iterator[Clue]:
    """Yield the settings whose value is a number of the message."""
    if names_no_size(case):
        return
    settings = [s for s in settings if not counts_no_size(s.key, case.message)]
    wanted: set[float] = set()
    fitting = fitting_sizes(case)
    for fact in case.facts.facts:
        values = fact.value if isinstance(fact.value, tuple) else (fact.value,)
        if fact.kind in COUNTED:
            wanted.update(float(n) for n in values if isinstance(n, (int, float)))
    wanted -= fitting
    wanted = {n for n in wanted if 2 < abs(n) < 1e15}
    reached = {(s.node.file, s.node.line) for s in case.raise_slice}
    hits = [s for s in settings if _plain_number(s) in wanted]
    counts = Counter(_plain_number(s) for s in hits)
    for setting in hits:
        number = _plain_number(setting) or 0.0
        rare = min(1.0, 0.35 + math.log2(max(abs(number), 1)) / 8)
        score = rare / math.sqrt(counts[number])
        score *= 1.0 if (setting.file, setting.line) in reached else 0.5
        score *= share_of_number(case, number)
        why = f"{setting.shown} is a number of the message"
        yield Clue("config.number", setting.file, setting.line, score, why)
    yield from _worded_numbers(case, hits)


LEAST_LETTERS = 3
OF_PROSE = frozenset(
    ("model", "data", "train", "test", "num", "number", "input", "output", "value", "type", "name",
     "expected", "given", "tensor", "got", "have", "but", "with", "the", "and", "for", "not",
     "self", "from", "return", "shape", "error", "run", "file", "line", "config", "args", "instead",
     "size", "torch", "numpy", "must", "same", "was", "max", "min")
)  # fmt: skip
"""Words that most messages or most settings have."""
NAMES_OF_GRAPHS = re.compile(r"\{\{[^{}\n]*\}\}|\[Op:[^\]\n]*\]|\bnode \S+ defined at\b")
"""Names that TensorFlow gives the parts of a graph in its messages: no words of the program."""


def _worded_numbers(case: Case, hits: list[Setting]) -> Iterator[Clue]:
    """Yield those settings with a number of the message that share a word with what failed."""
    sources = [frame.source or "" for frame, _ in case.located[-MOST_FRAMES:]]
    message = NAMES_OF_GRAPHS.sub(" ", case.message[:MOST_TEXT])
    said, read = _tokens(message), _tokens(" ".join(sources))
    worded = [(s, shared) for s in hits if (shared := _tokens(s.key) & (said | read))]
    of_word = Counter(word for _, shared in worded for word in shared)
    for setting, shared in worded:
        word = min(sorted(shared), key=lambda w: of_word[w])
        where = "the message speaks" if word in said else "the lines that failed speak"
        why = f"{setting.shown} is a number of the message, and {where} of `{word}`"
        score = 1.0 / math.sqrt(of_word[word] * len(worded))
        score *= share_of_number(case, _plain_number(setting) or 0.0)
        yield Clue("config.worded_number", setting.file, setting.line, score, why)


def _tokens(text: str) -> set[str]:
    """Return the words of a text and of the identifiers in it, lower case and singular."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)
    plain = (word.lower() for word in words if len(word) >= LEAST_LETTERS)
    singular = {w[:-2] if w.endswith("sses") else w[:-1] if w[-1] == "s" else w for w in plain}
    return singular - OF_PROSE


def _plain_number(setting: Setting) -> float | None:
    value = setting.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _reads_with_omegaconf(case: Case) -> bool:
    """Whether a file of the stack takes settings from OmegaConf or Hydra."""
    files = {place.file for place in case.places}
    texts = (case.workspace.text(file) or "" for file in files)
    return any(re.search(r"(?m)^\s*(?:import|from) (?:hydra|omegaconf)\b", t) for t in texts)


def _wrong_type(case: Case, settings: list[Setting]) -> Iterator[Clue]:
    """Yield the settings that look like a number and are text, where text was met."""
    if case.category.id not in ("type_mismatch", "illegal_argument") or "str" not in case.message:
        return
    read = {
        word
        for frame, _ in case.located[-MOST_FRAMES:]
        for word in re.findall(r"[A-Za-z_]\w*", frame.source or "")
    }
    reached = {(step.node.file, step.node.line) for step in case.raise_slice}
    for setting in settings:
        value = setting.value
        if not isinstance(value, str) or not re.match(r"[-+.]?\d", value):
            continue
        if OMEGACONF_NUMBER.fullmatch(value) and _reads_with_omegaconf(case):
            continue
        if setting.key in read or (setting.file, setting.line) in reached:
            why = f"`{setting.key}: {setting.text}` is text, though it begins like a number"
            yield Clue("config.text_number", setting.file, setting.line, 1.0, why)
