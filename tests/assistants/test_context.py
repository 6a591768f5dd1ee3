"""The compact context: what is in it, its bound, and what is taken out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dl_bug_lsp.assistants.explaining import PLACES, context_of
from dl_bug_lsp.cli.main import main
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options, Report
from dl_bug_lsp.views.context import estimated_tokens
from dl_bug_lsp.views.escape import redacted
from dl_bug_lsp.workspace import Workspace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FIXTURE = FIXTURES / "104-charlm-context-length"
SMALL = FIXTURES / "114-churn-fold-columns"


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(FIXTURE / "workspace", cache=False)


@pytest.fixture(scope="module")
def report(workspace: Workspace) -> Report:
    return localize((FIXTURE / "log.txt").read_bytes(), workspace, Options(PLACES))


@pytest.mark.parametrize("tokens", [200, 300, 600, 1500, 4000])
def test_the_bound_holds_and_the_first_place_is_always_there(
    tokens: int, report: Report, workspace: Workspace
) -> None:
    context = context_of(report, workspace, tokens)
    assert estimated_tokens(context) <= tokens
    assert "IndexError: index out of range in self" in context
    assert "1. `configs/tiny.json:11`" in context


def test_it_holds_chain_code_what_is_less_likely_and_versions(
    report: Report, workspace: Workspace
) -> None:
    context = context_of(report, workspace)
    chain = "`configs/tiny.json:11 max_positions: 64` → `charlm/config.py:38"
    assert f"To the failure: {chain}" in context
    assert '\n11 #1|    "max_positions": 64,\n' in context
    assert re.search(r"\n36 #\d+\|        x = self.tok_emb\(idx\)", context)
    assert re.search(r"Your last line before the error, `charlm/model.py:36`: place \d+;", context)
    assert "Python 3.11 \\(by" not in context
    assert "Python 3.11 (by the stack)" in context


def test_of_a_text_without_a_failure_it_says_so(workspace: Workspace) -> None:
    nothing = Report(str(workspace.root), ())
    assert context_of(nothing, workspace).startswith("# No failure")


def test_on_the_command_line_it_is_bounded_too(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["localize", str(SMALL / "log.txt"), "--workspace", str(SMALL / "workspace")]
    assert main([*words, "--format", "context", "--tokens", "400"]) == 0
    said = capfd.readouterr()
    assert estimated_tokens(said.out) <= 400
    assert main([*words, "--tokens", "400"]) == 2
    assert "--tokens is for --format context" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/root/x and /rootless", "~/x and /rootless"),
        ("at /home/maria/run.py", "at /home/user/run.py"),
        (r"at C:\Users\maria\run.py", r"at C:\Users\user\run.py"),
        ("token=abcdef123456", "token=[removed]"),
        ('api_key: "correct horse"', 'api_key: "[removed]"'),
        ('"password": "hunter22x"', '"password": "[removed]"'),
        ("HF_TOKEN=hf_abcdefghijklmnopqrst", "HF_TOKEN=[removed]"),
        ("key sk-abcdefghijklmnopqrstuvwx", "key [removed]"),
        ("Authorization: Bearer abcdef.ghijkl-mno", "Authorization: Bearer [removed]"),
        ("https://maria:secret@host/x", "https://[removed]@host/x"),
        ("maria@example.org", "[removed]"),
        ("A" * 80, "[removed]"),
        # Code that handles secrets, or is named alike, stays.
        ("token = self.vocab[word]", "token = self.vocab[word]"),
        ("max_token = 4096000", "max_token = 4096000"),
        ("num_tokens=len(batch)", "num_tokens=len(batch)"),
        ("password = os.environ['PASSWORD']", "password = os.environ['PASSWORD']"),
        ("tokenizer = AutoTokenizer.from_pretrained(name)",) * 2,
        ("key = jax.random.PRNGKey(0)",) * 2,
    ],
)
def test_secrets_are_taken_out_and_code_stays(text: str, expected: str) -> None:
    assert redacted(text, "/root") == expected


def test_redaction_takes_bounded_time() -> None:
    for part in ("a@", "token=", "eyJ.", "/home/", "x:y@", "://"):
        redacted(part * 20_000, "/home/maria")
