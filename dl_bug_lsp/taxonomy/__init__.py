"""What kind of failure it is: category, bug type, origin, whether a retry can help, and advice."""

from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.bug_types import BUG_TYPES, bug_type
from dl_bug_lsp.taxonomy.categories import Category, categories, category
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.taxonomy.origins import origin, retry_may_help
from dl_bug_lsp.taxonomy.report_model import bug_type_of_report, origin_of_report

__all__ = [
    "BUG_TYPES",
    "Category",
    "advice",
    "bug_type",
    "bug_type_of_report",
    "categories",
    "category",
    "classify",
    "origin",
    "origin_of_report",
    "retry_may_help",
]
