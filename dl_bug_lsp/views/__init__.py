"""The report for people and machines: text, JSON, SARIF, workflow annotations."""

from dl_bug_lsp.views.github import to_github
from dl_bug_lsp.views.json_view import to_json
from dl_bug_lsp.views.paths import PathStyle
from dl_bug_lsp.views.sarif import to_sarif
from dl_bug_lsp.views.style import PLAIN, Style
from dl_bug_lsp.views.text import render_text

__all__ = ["PLAIN", "PathStyle", "Style", "render_text", "to_github", "to_json", "to_sarif"]
