"""Complaints of command-line and config libraries about how the program was started."""

# ruff: noqa: E501  (one row a line: a table is read across)

from dl_bug_lsp.tracebacks.complaints.values import Complaint, Weight, row

_F = Weight.FATAL
_HYDRA_END = r"^Set the environment variable HYDRA_FULL_ERROR"

ROWS: tuple[Complaint, ...] = (
    row("argparse", r"^(?P<file>[\w./\\-]{1,256}(?: [\w-]{1,64}){0,3}): error: (?P<message>.+)$", _F, back=r"^usage: "),
    row("click", r"^Error: (?P<message>.+)$", _F, back=r"^Usage: |^Try '.*' for help"),
    row("typer", r"^[╭+][─-]+ (?:Error|Parsing error|Required options|Value error) [─-]+", _F, until=r"^[╰+][─-]+", back=r"^Usage: |^ ?Usage: "),
    row("absl", r"^FATAL Flags parsing error:\s?(?P<message>.*)$", _F, until=r"^Pass --help"),
    row("fire", r"^ERROR: (?P<message>Could not consume arg: .+|The function received no value for the required argument: .+)$", _F),
    row("jsonargparse", r"^error: (?P<message>(?:Parser key|Validation failed|No action for|Key |Option |Unrecognized arguments).*)$", _F, back=r"^usage: "),
    row("hydra", r"^(?P<message>Could not override '.+|Error merging override .+|Error parsing override .+|Could not append to config\..+|Cannot find primary config .+|Primary config (?:module|directory) .+not found.*|Missing mandatory value.*|You must specify '.+', e\.g.*|Multiple values for .+|Could not delete from config.*|In '.+': (?:Could not (?:find|load|override)|Validation error|ConfigKeyError|Override|Not found|Overrides? ).*|Error (?:loading|composing) .+|Interpolation (?:key|resolution) .+)$", _F, until=_HYDRA_END),
    row("omegaconf", r"^(?P<message>omegaconf\.errors\.\w+: .+)$", _F, until=_HYDRA_END),
    row("pytest", r"^(?:FAILED|ERROR) (?P<file>\S+\.py)(?:::(?P<test>\S+))? - (?P<message>.+)$", Weight.SHELL),
    row("docopt", r"^Usage:$", Weight.HINT),
    row("torchrun", r"^(?P<message>torchrun: error: .+)$", _F),
)  # fmt: skip
