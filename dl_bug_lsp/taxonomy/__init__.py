"""What kind of failure it is: category, bug type, origin, whether a retry can help, and advice."""

from dl_bug_lsp.taxonomy.categories import Category, categories, category
from dl_bug_lsp.taxonomy.classify import classify

__all__ = ["Category", "categories", "category", "classify"]
