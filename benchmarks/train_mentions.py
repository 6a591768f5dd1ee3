"""Train the model that tells the messages of failures in a text from everything else.

    python benchmarks/train_mentions.py [--left-out]

Examples are all candidates of the pasted cases that are no longer held out: those that hold the
labelled message are right, and so are the words of programs in ``labelled_messages.tsv``; what
people write in ``prose.txt`` is wrong. The result depends on the data and the version of
scikit-learn alone.
``--left-out`` prints how often the likeliest candidate is right where a sixth of the cases is left
out of training, by number (samples stay together).
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from pasted import CASES, PastedCase, cases
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks.mentions import LIKELY, MODEL_FILE, SPOKEN, Mention, mentions
from dl_bug_lsp.tracebacks.stream import Stream

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dl_bug_lsp"
STRENGTH = 2.0
FEWEST = 2
"""Of how many examples a feature must be, at least."""
Example = tuple[dict[str, float], bool]


def features(mention: Mention) -> dict[str, float]:
    """Return the values of one candidate's features."""
    words, form = mention.tokens()
    share = 1 / math.sqrt(len(words) or 1)
    return {**dict.fromkeys(words, share), **{f"={name}": 1.0 for name in form}}


def is_right(mention: Mention, case: PastedCase) -> bool:
    """Say whether a candidate is what the case is labelled with."""
    wanted = " ".join((case.message or "").split())
    if case.exception is not None and (mention.type or "").rpartition(".")[2] != case.exception:
        return False
    return bool(wanted or case.exception) and wanted in " ".join(mention.message.split())


def examples_of(case: PastedCase) -> list[Example]:
    """Return the candidates of a case, each with whether it is right."""
    stream = Stream(read_log(case.text).lines)
    return [(features(m), is_right(m, case)) for m in mentions(stream)]


def of_programs() -> list[Example]:
    """Return the messages without a class of ``labelled_messages.tsv`` as lines that are right."""
    rows = (
        Path(__file__).with_name("labelled_messages.tsv").read_text(encoding="utf-8").splitlines()
    )
    said = [message for _, type_, message in (r.split("\t", 2) for r in rows) if type_ == SPOKEN]
    return [(features(Mention(0, None, message, ("line",))), True) for message in said]


def of_people() -> list[Example]:
    """Return titles and sentences of reports, in words of people, as lines that are wrong."""
    lines = Path(__file__).with_name("prose.txt").read_text(encoding="utf-8").splitlines()
    return [
        (features(Mention(0, None, line, (*form, "line"))), False)
        for line in lines
        for form in ((), ("heading",))
    ]


def train(examples: list[Example]) -> tuple[float, dict[str, float]]:
    """Return the intercept and the weights, rounded."""
    seen: dict[str, int] = {}
    for values, _ in examples:
        for name in values:
            seen[name] = seen.get(name, 0) + 1
    kept = [
        {name: value for name, value in values.items() if seen[name] >= FEWEST}
        for values, _ in examples
    ]
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform(kept)
    regression = LogisticRegression(C=STRENGTH, max_iter=3000, class_weight="balanced")
    regression.fit(rows, [right for _, right in examples])
    weights = {
        str(name): round(float(weight), 2)
        for name, weight in zip(vectorizer.feature_names_, regression.coef_[0], strict=True)
        if abs(weight) >= 0.05
    }
    return round(float(regression.intercept_[0]), 2), weights


def score(values: dict[str, float], model: tuple[float, dict[str, float]]) -> float:
    """Return a candidate's log-odds."""
    return model[0] + sum(model[1].get(name, 0.0) * value for name, value in values.items())


def main() -> None:
    """Train on everything, or print what the model does on cases that it has not seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--left-out", action="store_true", help="cross-validate by sample")
    wanted = parser.parse_args()
    seen = [case for case in cases() if not case.held_out]
    of_case = {case.name: examples_of(case) for case in seen}
    if not wanted.left_out:
        model = train(
            [e for case in seen for e in of_case[case.name]] + of_programs() + of_people()
        )
        lines = [f"{json.dumps(n, ensure_ascii=False)}: {w}" for n, w in sorted(model[1].items())]
        text = f'{{"intercept": {model[0]},\n"weights": {{\n' + ",\n".join(lines) + "\n}}\n"
        (PACKAGE / "tracebacks" / MODEL_FILE).write_text(text, encoding="utf-8")
        print(f"{len(model[1])} weights from {len(seen)} cases in {CASES.name}")
        return
    size = math.ceil(len(seen) / 6)
    right = of = silent = 0
    for start in range(0, len(seen), size):
        out = seen[start : start + size]
        rest = [c for c in seen if c not in out]
        model = train([e for c in rest for e in of_case[c.name]] + of_programs() + of_people())
        for case in out:
            ranked = sorted(of_case[case.name], key=lambda e: -score(e[0], model))
            best = score(ranked[0][0], model) if ranked else -9.0
            if any(e[1] for e in ranked):
                of += 1
                hit = ranked[0][1] and best > math.log(LIKELY / (1 - LIKELY))
                right += hit
                if not hit:
                    print(case.name, round(best, 2), ranked[0][1])
            elif best > 0:
                silent += 1
    print(f"the likeliest candidate is right in {right} of {of}; likely without a label: {silent}")


if __name__ == "__main__":
    main()
