"""Writes the manifest's settings and ``src/generated.ts`` from the server's tables.

``--check`` writes nothing and exits with 1 where they differ. Run it with an interpreter that has
``dl_bug_lsp``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dl_bug_lsp import __version__
from dl_bug_lsp.settings.table import SECTION, SETTINGS, Kind, Setting
from dl_bug_lsp.taxonomy.categories import categories

CLIENT = Path(__file__).resolve().parent.parent
MANIFEST = CLIENT / "package.json"
GENERATED = CLIENT / "src" / "generated.ts"

GROUPS = {
    "Ranking": ("top", "topFiles", "pathMap"),
    "Marks": (
        "maxDiagnostics",
        "minScore",
        "warningFrom",
        "informationFrom",
        "codeLens",
        "hover",
        "keepFailures",
    ),
    "Logs": ("logs.watch", "logs.include", "logs.exclude", "logs.polling"),
    "Before a Run": ("check.when", "check.ignore", "check.exclude", "check.strict"),
    "Tests": ("spectrum.watch", "spectrum.lenses", "spectrum.junit"),
    "Cluster": ("triageFolder",),
}
"""Which of the server's settings stand under which heading; new ones stand under ``OTHERS``."""
OTHERS = "Others"

TYPES: dict[Kind, dict[str, Any]] = {
    Kind.COUNT: {"type": "integer"},
    Kind.SHARE: {"type": "number", "minimum": 0, "maximum": 1},
    Kind.FLAG: {"type": "boolean"},
    Kind.GLOBS: {"type": "array", "items": {"type": "string"}},
    Kind.CHOICE: {"type": "string"},
    Kind.MAPPING: {"type": "object", "additionalProperties": {"type": "string"}},
    Kind.TEXT: {"type": "string"},
}


def own_settings() -> dict[str, dict[str, Any]]:
    """Return the extension's own settings by heading; the server does not know them."""
    return {
        "Capture": {
            "capture.terminal": flag(
                True, "Localize commands of the integrated terminal that fail.", "window"
            ),
            "capture.tasks": flag(True, "Localize tasks that fail.", "window"),
            "capture.debug": flag(
                True, "Localize exceptions that stop a Python debug session.", "window"
            ),
            "capture.notebook": flag(
                True, "Localize notebook cells that end in an error.", "window"
            ),
            "capture.ignoredCategories": {
                "type": "array",
                "items": {
                    "type": "string",
                    "enum": [one.id for one in categories()],
                    "enumDescriptions": [one.name for one in categories()],
                },
                "uniqueItems": True,
                "default": [],
                "scope": "window",
                "markdownDescription": "Captured failures of these categories are not shown; what"
                " is localized by hand always is.",
            },
        },
        "Seeing": {
            "heatMap": flag(
                False, "Colour lines by their suspiciousness (also: *DL Bug: Toggle Heat Map*)."
            ),
        },
        "Assistants": {
            "secondOpinion": flag(
                False,
                "Offer *DL Bug: Ask for a Second Opinion*: the editor's own language model reorders"
                " the first places. It is sent the failure's compact context, when you ask.",
                "window",
            ),
        },
        "Server": {
            "interpreter": {
                "type": "string",
                "default": "",
                "scope": "machine-overridable",
                "markdownDescription": "The Python interpreter that runs the server. Empty: it is"
                " found by `#dlBug.importStrategy#`.",
            },
            "importStrategy": {
                "type": "string",
                "enum": ["fromEnvironment", "useBundled"],
                "enumDescriptions": [
                    "The selected interpreter, the folder's environment, then PATH, then the"
                    " extension's own environment.",
                    "The extension's own environment alone.",
                ],
                "default": "fromEnvironment",
                "scope": "machine-overridable",
                "markdownDescription": "Where the server is looked for.",
            },
            "trace.server": {
                "type": "string",
                "enum": ["off", "messages", "verbose"],
                "default": "off",
                "scope": "window",
                "markdownDescription": "Which messages between editor and server"
                " the channel *DL Bug Trace* shows.",
            },
        },
    }


def flag(default: bool, words: str, scope: str = "resource") -> dict[str, Any]:
    """Return a setting that is true or false."""
    return {"type": "boolean", "default": default, "scope": scope, "markdownDescription": words}


def of_server(setting: Setting) -> dict[str, Any]:
    """Return a setting of the server's as the manifest describes it."""
    kind = dict(TYPES[setting.kind])
    if setting.kind is Kind.COUNT:
        kind["minimum"] = setting.least
    default = setting.default
    if default is None:
        kind["type"] = [kind["type"], "null"]
    words = f"{setting.meaning[0].upper()}{setting.meaning[1:]}."
    if not setting.of_user:
        words += f" In `pyproject.toml`: `{setting.project_key}` in `[tool.dl-bug-lsp]`."
    return {
        **kind,
        "default": default,
        "scope": "machine" if setting.of_user else "resource",
        "markdownDescription": words,
    }


def configuration() -> list[dict[str, Any]]:
    """Return ``contributes.configuration``: one entry a heading."""
    of = {key: name for name, keys in GROUPS.items() for key in keys}
    groups: dict[str, dict[str, Any]] = {}
    own = own_settings()
    for name in ("Capture", "Seeing", "Assistants"):
        groups[name] = own[name]
    for setting in SETTINGS:
        groups.setdefault(of.get(setting.key, OTHERS), {})[setting.key] = of_server(setting)
    groups["Server"] = own["Server"]
    return [
        {
            "title": name,
            "properties": {
                f"{SECTION}.{key}": {**value, "order": order}
                for order, (key, value) in enumerate(properties.items())
            },
        }
        for name, properties in groups.items()
    ]


def generated() -> str:
    """Return the text of ``src/generated.ts``."""
    keys = json.dumps([setting.key for setting in SETTINGS])
    names = json.dumps({one.id: one.name for one in categories()}, indent=2)
    return (
        "/** Generated by scripts/manifest.py from the server's tables: do not edit. */\n\n"
        f"export const SERVER_SETTINGS: readonly string[] = {keys};\n\n"
        f"export const CATEGORIES: Readonly<Record<string, string>> = {names};\n"
    )


def manifest() -> str:
    """Return the manifest with what is generated put in; all else is as it was."""
    found = json.loads(MANIFEST.read_text(encoding="utf-8"))
    found["version"] = __version__
    found["contributes"]["configuration"] = configuration()
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write both files, or compare them; return the exit code."""
    drifted = []
    for place, text in ((MANIFEST, manifest()), (GENERATED, generated())):
        if place.read_text(encoding="utf-8") != text:
            drifted.append(place.name)
            if "--check" not in arguments:
                place.write_text(text, encoding="utf-8")
    if drifted and "--check" in arguments:
        print(f"{', '.join(drifted)}: run client-vscode/scripts/manifest.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
