"""The VS Code extension's manifest says what the server's tables say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.server import commands

CLIENT = Path(__file__).parents[2] / "client-vscode"
OLDEST_NODE = 18
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
        for name, value in vars(commands).items()
        if isinstance(value, str) and value.startswith("dlBug.") and name != "SHOW_SUSPECT"
    }
    assert servers
    assert own & servers == set()
    assert commands.SHOW_SUSPECT in own


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


LOCK: dict[str, Any] = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))


def test_no_lock_names_a_host() -> None:
    assert [name for name, one in LOCK["packages"].items() if "resolved" in one] == []


@pytest.mark.parametrize("kind", ["dependencies", "devDependencies"])
def test_lock_is_that_of_the_manifest(kind: str) -> None:
    assert LOCK["packages"][""][kind] == MANIFEST[kind]


def test_pictures_of_readme_and_walkthrough_are_there() -> None:
    readme = (CLIENT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"!\[[^]]+\]\(([^)]+)\)", readme))
    steps = [one for walk in MANIFEST["contributes"]["walkthroughs"] for one in walk["steps"]]
    named |= {one["media"]["image"] for one in steps}
    assert [name for name in named if not (CLIENT / name).is_file()] == []
    unused = {f"images/{one.name}" for one in (CLIENT / "images").glob("*.png")} - named
    assert unused == {MANIFEST["icon"]}


def test_types_and_unit_tests_of_the_extension() -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("Node.js and npm are not installed: the extension's unit tests need them")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"Node.js {version.strip()} is older than {OLDEST_NODE}")
    install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    if not (CLIENT / "node_modules" / ".ready").exists():
        installed = subprocess.run(install, cwd=CLIENT, capture_output=True, text=True, check=False)
        if installed.returncode != 0:
            pytest.skip(f"npm ci could not install what they need: {installed.stderr[-500:]}")
        (CLIENT / "node_modules" / ".ready").touch()
    ran = subprocess.run(
        [npm, "test", "--silent"], cwd=CLIENT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
