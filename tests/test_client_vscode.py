"""The VS Code extension's manifest says what the server's tables say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from dl_bug_lsp.server.commands import arguments

CLIENT = Path(__file__).parent.parent / "client-vscode"
MANIFEST: dict[str, Any] = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))


def test_settings_and_categories_are_those_of_the_tables() -> None:
    script = CLIENT / "scripts" / "manifest.py"
    ran = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_no_command_of_the_extension_has_a_name_of_the_servers() -> None:
    own = {one["command"] for one in MANIFEST["contributes"]["commands"]}
    servers = {
        value
        for name, value in vars(arguments).items()
        if isinstance(value, str) and value.startswith("dlBug.") and name != "SHOW_SUSPECT"
    }
    assert servers
    assert own & servers == set()
    assert arguments.SHOW_SUSPECT in own


def test_menus_and_keys_name_commands_that_there_are() -> None:
    contributes = MANIFEST["contributes"]
    own = {one["command"] for one in contributes["commands"]}
    used = {item["command"] for items in contributes["menus"].values() for item in items}
    used |= {one["command"] for one in contributes["keybindings"]}
    texts = [one["contents"] for one in contributes["viewsWelcome"]]
    texts += [one["description"] for walk in contributes["walkthroughs"] for one in walk["steps"]]
    linked = set(re.findall(r"\(command:(dlBug\.\w+)\)", " ".join(texts)))
    assert used | linked <= own


def test_every_command_is_registered() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (CLIENT / "src").rglob("*.ts"))
    commands = [one["command"] for one in MANIFEST["contributes"]["commands"]]
    assert [name for name in commands if f'"{name}"' not in sources] == []


def test_no_lock_names_a_host() -> None:
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, one in lock["packages"].items() if "resolved" in one] == []
