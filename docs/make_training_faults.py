"""Write the tables of `training_faults.md`, between its marks, from the rules of the diagnosis.

    python docs/make_training_faults.py

`tests/monitoring/test_pages.py` holds the page against the rules.
"""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.monitoring.diagnosis import KINDS, RULES, shipped_model

PAGE = Path(__file__).resolve().parent / "training_faults.md"
BEGIN, END = "<!-- rules -->\n", "<!-- end of rules -->\n"


def table() -> str:
    """Return one row a kind of fault with the rules that show it."""
    thresholds = shipped_model().thresholds
    rows = ["| fault | rule | fires from | source |", "|---|---|---|---|"]
    for kind, (words, _) in KINDS.items():
        own = [rule for rule in RULES if rule.kind == kind]
        for rule in own:
            bound = "" if rule.is_certain else f"{thresholds.get(rule.id, 0.5):.3g}"
            rows.append(f"| {words} (`{kind}`) | `{rule.id}` | {bound} | {rule.source} |")
        if not own:
            rows.append(f"| {words} (`{kind}`) | the classifier alone | | |")
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """Return the page with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
