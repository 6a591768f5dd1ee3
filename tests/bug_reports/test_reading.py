"""Reading bug reports: each kind of text apart, whatever the markup; reports told from logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.bug_reports import CodeLink, is_report, read_report
from dl_bug_lsp.logs import read_log

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

MARKDOWN = """# [BUG] Checkpoint keeps no `best_score`

### Describe the bug
When I resume, the best score is lost, see
[the saver](https://github.com/acme/trainlib/blob/main/trainlib/saver.py#L10-L20).

### To reproduce
```python
from trainlib import Saver
saver = Saver(monitor="loss")
```

```
Traceback (most recent call last):
  File "/home/me/trainlib/saver.py", line 14, in restore
    self.best = state["best_score"]
KeyError: 'best_score'
```

### Environment
- torch==1.13.1
- OS: Linux
- Python version: 3.10
"""

DENCHMARK = """Checkpoint keeps no best_score

 <denchmark-h:h2>Bug</denchmark-h>

 When I resume, the best score is lost, see
 <denchmark-link:https://github.com/acme/trainlib/blob/main/trainlib/saver.py#L10-L20>this</denchmark-link>

 <denchmark-code>from trainlib import Saver
 saver = Saver(monitor="loss")
 </denchmark-code>

 Traceback (most recent call last):
 File "/home/me/trainlib/saver.py", line 14, in restore
 self.best = state["best_score"]
 KeyError: 'best_score'
 <denchmark-h:h3>Environment</denchmark-h>

 - torch==1.13.1
 - OS: Linux
 - Python version: 3.10
"""


@pytest.mark.parametrize("text", [MARKDOWN, DENCHMARK], ids=["markdown", "denchmark"])
def test_each_kind_of_text_is_kept_apart(text: str) -> None:
    report = read_report(text)
    assert report.title.replace("`", "") == "Checkpoint keeps no best_score"
    assert report.prose[0] == "When I resume, the best score is lost, see"
    assert report.code == ["from trainlib import Saver", 'saver = Saver(monitor="loss")']
    assert [(f.file, f.line, f.function, f.source) for f in report.frames] == [
        ("/home/me/trainlib/saver.py", 14, "restore", 'self.best = state["best_score"]')
    ]
    assert report.messages == ["KeyError: 'best_score'"]
    assert report.environment == ["- torch==1.13.1", "- OS: Linux", "- Python version: 3.10"]
    assert report.links == [CodeLink("trainlib/saver.py", 10, 20)]


PERMALINK = """Typo in Up

 trainlib/models/unet.py


          Lines 35 to 37
       in
       2950f66

 layers.append(Up(feats, feats // 2), bilinear)
 """

PLAIN = "Loss is zero\n\nimport trainlib\nmodel = trainlib.Net(depth=2)\nThe loss stays at zero.\n"

IPYTHON = """fit fails in a notebook

~/trainlib/loop.py in fit(self, model)
     41         self.model = model
---> 42         self.run(model)
     43
TypeError: run() takes 1 positional argument
"""


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        (PERMALINK, "links", [CodeLink("trainlib/models/unet.py", 35, 37)]),
        (PLAIN, "code", ["import trainlib", "model = trainlib.Net(depth=2)"]),
        (PLAIN, "prose", ["The loss stays at zero."]),
        ("bug: it hangs\n\n", "title", "it hangs"),
        ("[DDP] it hangs", "title", "it hangs"),
        ("Title: it hangs", "title", "it hangs"),
        ("[x]", "title", "[x]"),
        ("a\n\n<!-- Please search\nfirst -->It hangs for me.\n", "prose", ["It hangs for me."]),
        ("a\n\nINFO start\n 40%|####   | 4/10\n", "logs", ["INFO start", "40%|####   | 4/10"]),
        ("a\n\n## Steps to reproduce\n", "headings", ["Steps to reproduce"]),
        ("", "title", ""),
    ],
)
def test_parts(text: str, field: str, value: object) -> None:
    assert getattr(read_report(text), field) == value


def test_a_notebooks_arrow_gives_the_frame_its_line() -> None:
    frame = read_report(IPYTHON).frames[0]
    assert (frame.file, frame.line, frame.function, frame.source) == (
        "~/trainlib/loop.py",
        42,
        "fit",
        "self.run(model)",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MARKDOWN, True),
        (DENCHMARK, True),
        ("KeyError when I resume\n\nI think the state of the saver is lost.", True),
        ("RuntimeError: no such layer\n\nThis happens when I call fit with a list.", True),
        ("Epoch 1/3\n\nloss: 0.3", False),
        ('Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1', False),
        ("$ python train.py\n\nUsing the GPU is not possible if it is in use\n", False),
        ("", False),
    ],
)
def test_reports_are_told_from_logs(text: str, expected: bool) -> None:
    assert is_report(text.split("\n")) is expected


def test_no_recorded_log_is_taken_for_a_report() -> None:
    logs = sorted(FIXTURES.glob("*/log.txt"))
    assert len(logs) > 100
    taken = [
        log.parent.name
        for log in logs
        if is_report([line.text for line in read_log(log.read_bytes()).lines])
    ]
    assert taken == []


@given(st.text(alphabet="aZ_.(:=#`<>-|/\\\"'\n 0[]", max_size=400))
def test_reading_never_raises(text: str) -> None:
    report = read_report(text)
    assert len(report.frames) <= 200
    assert is_report(text.split("\n")) in {True, False}
