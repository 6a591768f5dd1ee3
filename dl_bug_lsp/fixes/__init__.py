"""Fixes that are certain: what a failure says is misspelt, renamed or not listed, made right."""

from dl_bug_lsp.fixes.finding import find_fixes
from dl_bug_lsp.fixes.fix_context import Edit, Fix

__all__ = ["Edit", "Fix", "find_fixes"]
