"""Programs that open pictures and sounds: the sizes that the files have, and what is refused."""

from __future__ import annotations

import struct
import wave
from pathlib import Path

import pytest
from followed_programs import followed, shown

PROGRAM = """import numpy as np
import soundfile
import torchaudio
import torchvision.transforms.functional as F
from PIL import Image
from torchvision import transforms as T
picture = Image.open("a.png")
width, height = picture.size
cells = np.asarray(picture)
gray = np.array(picture.convert("L"))
small = F.to_tensor(picture.convert("RGB").resize((10, 20)))
cut = np.asarray(picture.crop((2, 3, 12, 8)))
padded = F.to_tensor(F.pad(picture, (1, 2, 3, 4)))
part, rate = soundfile.read("a.wav", start=100, stop=250)
whole, _ = torchaudio.load("a.wav")
chain = T.Compose([T.ToTensor()])(Image.open("/data/unknown.png"))"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    size = struct.pack(">I4sIIBBBBB", 13, b"IHDR", 37, 21, 8, 6, 0, 0, 0)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + size)
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(bytes(1_000))
    return tmp_path


def test_pictures_and_sounds_have_the_sizes_of_their_files(folder: Path) -> None:
    _, names = followed(folder, PROGRAM, {})
    assert (names["width"].data, names["height"].data) == (37, 21)
    assert shown(names["cells"]) == ((21, 37, 4), "uint8")
    assert shown(names["gray"]) == ((21, 37), "uint8")
    assert shown(names["small"]) == ((3, 20, 10), "float32")
    assert shown(names["cut"]) == ((5, 10, 4), "uint8")
    assert shown(names["padded"]) == ((4, 27, 41), "float32")
    assert shown(names["part"]) == ((150,), "float64")
    assert names["rate"].data == 8_000
    assert shown(names["whole"]) == ((1, 500), "float32")
    assert shown(names["chain"]) == ((None, None, None), "float32")


@pytest.mark.parametrize("expression", ["picture.shape", "picture.unsqueeze(0)"])
def test_what_only_tensors_have_is_refused(folder: Path, expression: str) -> None:
    program = f"from PIL import Image\npicture = Image.open('a.png')\nvalue = {expression}"
    interpreter, _ = followed(folder, program, {})
    assert [place[1] for place, _ in interpreter.elsewhere] == [3]


GROUPS = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=3)
model = parser.add_argument_group("model")
model.add_argument("--hidden-size", type=int, default=64)
args = parser.parse_args([])
by_group = {}
for group in parser._action_groups:
    by_group[group.title] = {a.dest: getattr(args, a.dest, None) for a in group._group_actions}
hidden = by_group["model"]["hidden_size"]
seed = by_group["options"]["seed"]
flags = parser._actions[2].option_strings"""


def test_options_are_sorted_by_their_groups(tmp_path: Path) -> None:
    _, names = followed(tmp_path, GROUPS, {})
    assert names["hidden"].data == 64
    assert names["seed"].data == 3
    assert shown(names["flags"]) == ["--hidden-size"]


PARTS = """import unknown_package
x = unknown_package.make()
if x.size() != 3 or 2 > 1:
    first = "taken"
else:
    first = "left"
if x.ok and 1 > 2:
    second = "taken"
else:
    second = "left\""""


def test_one_part_decides_a_test_of_which_another_is_not_known(tmp_path: Path) -> None:
    _, names = followed(tmp_path, PARTS, {})
    assert (names["first"].data, names["second"].data) == ("taken", "left")
