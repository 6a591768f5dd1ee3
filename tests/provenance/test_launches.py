"""Commands of launch files: which script they start, and where their words come from."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.provenance.launches import run_of
from dl_bug_lsp.workspace import Workspace

RECIPE = """#!/bin/bash
python_path=python
sample_rate=16000
tag=first
$python_path train.py --out runs/$tag \\
  --sample_rate $sample_rate
"""


def test_a_launch_file_starts_the_script_beside_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder = tmp_path / "recipes" / name
        folder.mkdir(parents=True)
        (folder / "train.py").write_text("print(1)\n")
    (tmp_path / "recipes" / "a" / "run.sh").write_text(RECIPE)
    workspace = Workspace(tmp_path, cache=False)
    (launch,) = run_of(workspace, (), ("recipes/a/train.py",)).launches
    assert [(word.path, word.text, word.line) for word in launch.words] == [
        (("out",), "runs/first", 5),
        (("sample_rate",), "16000", 3),
    ]
    assert launch.written_at == {1: 6}
    assert not run_of(workspace, (), ("recipes/b/train.py",)).launches


def test_the_command_that_was_typed_goes_before_a_file_with_other_options(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    for name in ("deep", "wide"):
        (tmp_path / f"{name}.yaml").write_text("lr: 0.1\n")
    (tmp_path / "run.sh").write_text("python train.py --model deep --config deep.yaml --folds 4\n")
    workspace = Workspace(tmp_path, cache=False)
    typed = "$ python train.py --model wide --config wide.yaml"
    (launch,) = run_of(workspace, (typed,), ("train.py",)).launches
    assert launch.file == ""
    assert run_of(workspace, (typed,), ("train.py",)).configs == ("wide.yaml",)
    # A script may print what its variables were: it is the same command.
    printed = "+ python train.py --model deep --config deep.yaml --folds 4 --resume last.pt"
    (launch,) = run_of(workspace, (printed,), ("train.py",)).launches
    assert (launch.file, launch.line) == ("run.sh", 1)


def test_a_package_that_is_started_as_a_module_may_be_installed_as_a_program(
    tmp_path: Path,
) -> None:
    (tmp_path / "kit").mkdir()
    for name in ("__init__", "__main__", "cli"):
        (tmp_path / "kit" / f"{name}.py").write_text("print(1)\n")
    (tmp_path / "pyproject.toml").write_text('[project.scripts]\nkit = "kit.cli:main"\n')
    workspace = Workspace(tmp_path, cache=False)
    typed = "$ python -m kit start small.yaml"
    (launch,) = run_of(workspace, (typed,), ("kit/__main__.py", "kit/cli.py")).launches
    assert launch.texts == ("start", "small.yaml")
    (launch,) = run_of(workspace, ("$ kit start small.yaml",), ("kit/cli.py",)).launches
    assert launch.texts == ("start", "small.yaml")


def test_a_config_that_a_variable_leaves_open_is_the_one_that_fits(tmp_path: Path) -> None:
    for name in ("runs/wide/0", "runs/deep", "conf"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("runs/\n")
    (tmp_path / "runs/wide/0/config.yaml").write_text("lr: 0.1\n")
    (tmp_path / "runs/deep/config.yaml").write_text("lr: 0.1\n")
    for name in ("one", "two"):
        (tmp_path / f"conf/{name}.yaml").write_text("lr: 0.1\n")
    (tmp_path / "train.py").write_text("print(1)\n")
    script = tmp_path / "run.sh"
    script.write_text("python train.py --config runs/$1/0/config.yaml fit\n")
    run = run_of(Workspace(tmp_path, cache=False), (), ("train.py",))
    assert run.configs == ("runs/wide/0/config.yaml",)
    script.write_text("python train.py --config conf/${1:-one}.yaml fit\n")
    run = run_of(Workspace(tmp_path, cache=False), (), ("train.py",))
    assert (run.configs, run.guessed) == ((), ("conf/one.yaml", "conf/two.yaml"))


def test_the_word_that_names_a_function_may_stand_behind_options(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    (tmp_path / "run.sh").write_text(
        "python train.py --config a.yaml build\npython train.py --config a.yaml fit\n"
    )
    log = ('  File "/job/train.py", line 3, in fit',)
    (launch,) = run_of(Workspace(tmp_path, cache=False), log, ("train.py",)).launches
    assert launch.line == 2


PRINTING = """
import argparse

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--{option}")
    print(parser.parse_args())
    print("read %d {what}" % 3)
    for epoch in range(3):
        print(f"epoch {{epoch}}: loss {{1 / (epoch + 1):.4f}}")

if __name__ == "__main__":
    main()
"""


def test_the_script_is_known_by_what_it_prints(tmp_path: Path) -> None:
    for name, option, what in (("text", "words", "texts"), ("image", "size", "images")):
        text = PRINTING.format(option=option, what=what)
        (tmp_path / f"{name}.py").write_text(text.lstrip("\n"))
    workspace = Workspace(tmp_path, cache=False)
    rounds = ("epoch 0: loss 1.0000", "epoch 1: loss 0.5000")
    assert run_of(workspace, ("read 3 images", *rounds), ()).script == "image.py"
    assert run_of(workspace, ("Namespace(words='a')", *rounds), ()).script == "text.py"
    # Both may have printed these, and neither printed the third.
    assert run_of(workspace, rounds, ()).script is None
    assert run_of(workspace, ("nothing of that",), ()).script is None


def test_the_title_of_a_bar_tells_the_script(tmp_path: Path) -> None:
    for name in ("Fold", "Trial"):
        bar = f'for i in tqdm(range(3), desc=f"{name} {{1}} of words"):\n'
        end = f'if __name__ == "__main__":\n    print("{name}: all is done")\n'
        (tmp_path / f"{name.lower()}.py").write_text(f"{bar}    pass\n{end}")
    workspace = Workspace(tmp_path, cache=False)
    log = ("Trial 2 of words: 100%|####| 3/3 [00:00<00:00]", "Trial: all is done")
    assert run_of(workspace, log, ()).script == "trial.py"


def test_a_module_that_prints_tells_which_script_uses_it(tmp_path: Path) -> None:
    start = 'import {}\nif __name__ == "__main__":\n    print("start"); {}.run()\n'
    for name, module in (("a", "fit"), ("b", "score")):
        (tmp_path / f"{name}.py").write_text(start.format(module, module))
        printing = f'def run():\n    print("{module} of {{}} rows".format(4))\n'
        (tmp_path / f"{module}.py").write_text(printing)
    workspace = Workspace(tmp_path, cache=False)
    assert run_of(workspace, ("start", "score of 4 rows"), ()).script == "b.py"


def test_a_flag_file_holds_words_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("from absl import flags\n")
    (tmp_path / "small.txt").write_text("# a small run\n--batch_size=64\n--norecord\n")
    workspace = Workspace(tmp_path, cache=False)
    typed = "$ python train.py --flagfile small.txt --seed 3"
    (launch,) = run_of(workspace, (typed,), ("train.py",)).launches
    assert [(word.path, word.text, word.file, word.line) for word in launch.words] == [
        (("batch_size",), "64", "small.txt", 2),
        (("norecord",), "--norecord", "small.txt", 3),
        (("seed",), "3", "", 0),
    ]


def test_a_file_of_arguments_counts_where_the_parser_reads_them(tmp_path: Path) -> None:
    parser = "argparse.ArgumentParser(fromfile_prefix_chars='@')\n"
    (tmp_path / "train.py").write_text(parser)
    (tmp_path / "other.py").write_text("print(1)\n")
    (tmp_path / "args.txt").write_text("--width\n8\n")
    workspace = Workspace(tmp_path, cache=False)
    (launch,) = run_of(workspace, ("$ python train.py @args.txt",), ("train.py",)).launches
    assert [(word.path, word.text, word.line) for word in launch.words] == [(("width",), "8", 1)]
    (launch,) = run_of(workspace, ("$ python other.py @args.txt",), ("other.py",)).launches
    assert [word.text for word in launch.words] == ["@args.txt"]


def test_the_shell_splits_a_variable_of_several_options(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    script = 'SIZES="--width 8 --depth 2"\npython train.py --seed 3 $SIZES --lr 0.1\n'
    (tmp_path / "run.sh").write_text(script)
    workspace = Workspace(tmp_path, cache=False)
    (launch,) = run_of(workspace, (), ("train.py",)).launches
    assert [(word.path, word.text, word.line) for word in launch.words] == [
        (("seed",), "3", 2),
        (("width",), "8", 1),
        (("depth",), "2", 1),
        (("lr",), "0.1", 2),
    ]


def test_what_a_usage_puts_in_brackets_may_be_left_out(tmp_path: Path) -> None:
    text = '"""Train: python train.py [settings.json] --lr 0.1 --sizes [8,16]"""\n'
    (tmp_path / "train.py").write_text(text)
    (launch,) = run_of(Workspace(tmp_path, cache=False), (), ("train.py",)).documented
    assert [(word.path, word.text) for word in launch.words] == [
        (("lr",), "0.1"),
        (("sizes",), "[8,16]"),
    ]


def test_variables_of_a_file_that_a_script_sources_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "train.py").write_text("print(1)\n")
    (tmp_path / "jobs" / "flags.sh").write_text('SIZES="--width 32 --heads 3"\nLR=0.1\n')
    (tmp_path / "jobs" / "run.sh").write_text(
        "source jobs/flags.sh\npython train.py $SIZES --lr $LR\n"
    )
    (launch,) = run_of(Workspace(tmp_path, cache=False), (), ("train.py",)).launches
    assert [(word.path, word.text, word.file, word.line) for word in launch.words] == [
        (("width",), "32", "jobs/flags.sh", 1),
        (("heads",), "3", "jobs/flags.sh", 1),
        (("lr",), "0.1", "jobs/flags.sh", 2),
    ]


def test_a_variable_may_hold_the_command_and_its_first_words(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    (tmp_path / "run.sh").write_text(
        'run="python train.py --config small.yaml"\n$run --width 24\n$run --evaluate\n'
    )
    launches = run_of(Workspace(tmp_path, cache=False), (), ("train.py",)).launches
    assert [
        (launch.line, [(word.path, word.line) for word in launch.words]) for launch in launches
    ] == [
        (2, [(("config",), 1), (("width",), 2)]),
        (3, [(("config",), 1), (("evaluate",), 3)]),
    ]


def test_a_printed_table_of_settings_tells_the_command(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print(1)\n")
    line = "python main.py --model ${1:-small} --data {} --width {}\n"
    others = "".join(line.replace("{}", f"{n}", 2) for n in range(6))
    (tmp_path / "all.sh").write_text(others)
    (tmp_path / "loans.sh").write_text(
        "MODEL=${1:-small}\npython make.py\npython main.py --model $MODEL --data loans --width 64\n"
    )
    (tmp_path / "make.py").write_text("print(1)\n")
    table = ("| name  | value |", "|-------|-------|", "| data  | loans |", "| width | 64    |")
    bare = ("========", " data  | loans", " width | 64   ", "========")
    for log in (table, bare):
        run = run_of(Workspace(tmp_path, cache=False), log, ("main.py",))
        assert [launch.file for launch in run.launches] == ["loans.sh"]
        assert (run.printed["data"], run.printed["width"]) == ("loans", "64")


def test_the_beginning_of_a_log_tells_what_ran_before(tmp_path: Path) -> None:
    (tmp_path / "cfg").mkdir()
    (tmp_path / "make.py").write_text(
        'n = 4\nprint("wrote", n, "rows of birds")\nfor s in "ab":\n    open(f"{s}_p.csv", "w")\n'
    )
    (tmp_path / "other.py").write_text('n = 4\nprint("wrote", n, "rows of cats")\n')
    (tmp_path / "main.py").write_text('import sys\nprint("reading", sys.argv)\nopen(sys.argv[1])\n')
    (tmp_path / "cfg/one.yaml").write_text("train: data/b_p.csv\n")
    (tmp_path / "cfg/two.yaml").write_text("train: data/cats.csv\n")
    workspace = Workspace(tmp_path, cache=False)
    run = run_of(workspace, ("wrote 12 rows of birds", "reading 4"), ("main.py",))
    assert (run.printing, run.guessed) == (("make.py",), ("cfg/one.yaml",))
    shown = ("$ python other.py --n 3", "wrote 12 rows of cats", "$ python main.py cfg/two.yaml")
    run = run_of(workspace, shown, ("main.py",))
    assert ([b.script for b in run.before], run.printing) == (["other.py"], ())
    assert run_of(workspace, ("wrote 3 rows",), ("main.py",)).printing == ()
