"""Words without a traceback that end a job: one table a family, one row a complaint."""

from dl_bug_lsp.tracebacks.complaints.reader import TRIGGER, read_complaint

__all__ = ["TRIGGER", "read_complaint"]
