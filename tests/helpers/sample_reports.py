"""Report values written by hand, for the views' tests."""

from __future__ import annotations

from dataclasses import replace

from dl_bug_lsp.logs.log import Process, Span
from dl_bug_lsp.report import (
    Advice,
    CategoryVerdict,
    Conflict,
    ConflictingValue,
    Evidence,
    ExceptionText,
    FailureReport,
    LinePlace,
    Report,
    ReportFrame,
    Suspect,
    SuspectFile,
    Verdict,
)

FILES = {
    "models/head.py": (
        "import torch.nn as nn",
        "",
        "",
        "class Head(nn.Module):",
        "    def __init__(self, hidden):",
        "        super().__init__()",
        "        self.fc = nn.Linear(256, 10)",
        "",
        "    def forward(self, x):",
        "        return self.fc(x)",
    ),
    "train.py": ("from models.head import Head", "", "Head(512)(x)"),
    "configs/my base.yaml": ("model:", "  hidden: 512"),
}


def lines(file: str) -> tuple[str, ...]:
    """Return a sample file's lines, empty where there is no such file."""
    return FILES.get(file, ())


HEAD = Suspect(
    1,
    "models/head.py",
    7,
    7,
    "Head.__init__",
    0.93,
    (
        Evidence("stack_trace", 0.4, "The layer was called at models/head.py:10."),
        Evidence("facts", 0.8, "256 in the message stands here."),
    ),
)
CONFIG = Suspect(
    2,
    "configs/my base.yaml",
    1,
    2,
    None,
    0.31,
    (Evidence("facts", 0.5, "512 in the message is set here."),),
)

FRAMES = (
    ReportFrame("/home/maria/seg/train.py", 5, "<module>", "train.py", 3),
    ReportFrame(
        "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py",
        1553,
        "_wrapped_call_impl",
        None,
        None,
    ),
    ReportFrame(
        "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py",
        1562,
        "_call_impl",
        None,
        None,
    ),
    ReportFrame("/home/maria/seg/models/head.py", 10, "forward", "models/head.py", 10),
    ReportFrame(
        "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py",
        117,
        "forward",
        None,
        None,
    ),
)

MISMATCH = FailureReport(
    id="5f1c",
    primary=True,
    category=CategoryVerdict(
        "tensor_mismatch",
        "deep_learning_specific",
        0.97,
        "mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)",
        "torch.matmul",
    ),
    bug_type=Verdict("model", 0.7),
    origin=Verdict("intrinsic", 0.8),
    exception=ExceptionText(
        "RuntimeError", "mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)"
    ),
    process=Process(1, None),
    retry_may_help=False,
    span=Span(10, 42),
    frames=FRAMES,
    suspects=(HEAD, CONFIG),
    files=(SuspectFile(1, "models/head.py", 0.95), SuspectFile(2, "configs/my base.yaml", 0.3)),
    advice=(Advice("A layer expects another width.", "Make in_features fit the layer before."),),
)

TIMEOUT = FailureReport(
    id="77aa",
    primary=False,
    category=CategoryVerdict("communication_failure", "platform", 0.6, "Connection reset", "nccl"),
    bug_type=Verdict("gpu", 0.5),
    origin=Verdict("extrinsic", 0.9),
    exception=ExceptionText("torch.distributed.DistBackendError", "Connection reset by peer"),
    process=Process(0, "node1"),
    retry_may_help=True,
    span=Span(50, 50),
    frames=(),
    suspects=(),
    files=(),
    advice=(),
)

STAGNATION = replace(
    MISMATCH,
    id="0c0c",
    category=CategoryVerdict(
        "loss_stagnation", "silent", 0.55, "epoch 9 loss 2.3026", "metrics.flat"
    ),
    exception=None,
    process=None,
    frames=(),
)

REPORT = Report("/home/ada/seg net", (TIMEOUT, MISMATCH), ("A box was torn in line 3.",))
SILENT = Report("/home/ada/seg", (STAGNATION,))
EMPTY = Report("/home/ada/seg", ())

HOSTILE_TEXT = (
    "\x1b]0;gone\x07\x1b[2Jboo\r\n::error::x %0A [a](1) \u202egnp\ud800\x9b31m\u2028\x00"
    "<script>alert(1)</script> <img src=x> &lt;b&#62; \u2066[b](command:x) ![c](http://d)"
)
HOSTILE = Report(
    "/home/ada/\ud800",
    (
        replace(
            MISMATCH,
            exception=ExceptionText("E\x1b[31m", HOSTILE_TEXT),
            frames=(ReportFrame("\x1b[2J.py", 0, "\x07", None, None),),
            suspects=(
                replace(HEAD, function="\x1b[1mf", evidence=(Evidence("bm25", 0.5, HOSTILE_TEXT),)),
                replace(HEAD, rank=2, file="\x1b[0m.py", line=99, end_line=99),
            ),
            files=(SuspectFile(1, "a\x1b.py", float("nan")),),
            advice=(Advice(HOSTILE_TEXT, HOSTILE_TEXT),),
            category=replace(MISMATCH.category, evidence=HOSTILE_TEXT, confidence=1.7),
        ),
    ),
    (HOSTILE_TEXT,),
)

BOTH = Conflict(
    (
        ConflictingValue("512", (LinePlace("train.py", 3),), 2),
        ConflictingValue(
            "256", (LinePlace("models/head.py", 7), LinePlace("configs/my base.yaml", 2))
        ),
    ),
    "(worked out from the code, not from the run)",
)
CONFLICT = replace(REPORT, failures=(replace(MISMATCH, conflict=BOTH),))

ALL = {
    "two failures": REPORT,
    "silent": SILENT,
    "empty": EMPTY,
    "hostile": HOSTILE,
    "conflict": CONFLICT,
}
