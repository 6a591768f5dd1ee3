"""Which lines are unlike the code around them."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.evidence.naturalness import surprises
from dl_bug_lsp.workspace import Workspace

LAYER = """
class {name}(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return self.linear(x.flatten(1))
"""


def test_a_line_unlike_those_of_other_files_surprises_more(tmp_path: Path) -> None:
    for number in range(6):
        text = "from torch import nn\n" + LAYER.format(name=f"Layer{number}")
        (tmp_path / f"layer_{number}.py").write_text(text, encoding="utf-8")
    odd = (tmp_path / "layer_3.py").read_text(encoding="utf-8")
    swapped = odd.replace("nn.Linear(in_features, out_", "nn.Linear(out_features, in_")
    (tmp_path / "layer_3.py").write_text(swapped, encoding="utf-8")
    line = swapped.splitlines().index("        self.linear = nn.Linear(out_features, in_features)")
    places = [(f"layer_{number}.py", line + 1) for number in range(6)]
    bits = surprises(Workspace(tmp_path, cache=False), places)
    assert list(bits) == places
    assert max(bits, key=lambda place: bits[place]) == ("layer_3.py", line + 1)


def test_lines_without_code_and_outside_of_files_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("# a comment\n\nx = 1\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("x: 1\n", encoding="utf-8")
    places = [("main.py", n) for n in (0, 1, 2, 3, 4, 99)] + [("config.yaml", 1), ("none.py", 1)]
    assert list(surprises(Workspace(tmp_path, cache=False), places)) == [("main.py", 3)]
