"""Makes docs/heat_map.png: a small project's failing tests, recorded, ranked, seen in a browser.

python docs/make_heat_map_picture.py [--browser chromium] [--output FILE]

Needs the extra 'spectrum', and chromium (or another browser with its options).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = (980, 860)
FILES = {
    "conftest.py": "",
    "prices/totals.py": """\
\"\"\"Totals of an order.\"\"\"

FREE_FROM = 50


def shipping(total):
    if total >= FREE_FROM:
        return 0
    return 5


def discount(total, percent):
    if percent:
        return total - percent
    return total


def pay(items, percent=0):
    total = sum(items)
    reduced = discount(total, percent)
    return reduced + shipping(reduced)
""",
    "tests/test_totals.py": """\
import pytest

from prices.totals import discount, pay, shipping


@pytest.mark.parametrize(("items", "paid"), [([10], 15), ([20, 5], 30), ([60], 60)])
def test_pay(items, paid):
    assert pay(items) == paid


def test_shipping():
    assert (shipping(49), shipping(50)) == (5, 0)


@pytest.mark.parametrize(("percent", "paid"), [(10, 180), (50, 100)])
def test_pay_less(percent, paid):
    assert pay([200], percent) == paid


def test_no_discount():
    assert discount(30, 0) == 30
""",
}


def main() -> int:
    """Make the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browser", default="chromium")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "heat_map.png")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "shop"
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--dl-bug"]
        subprocess.run(tests, cwd=root, check=False)
        page = root / "heat.html"
        report = [
            sys.executable,
            "-m",
            "dl_bug_lsp",
            "spectrum",
            "report",
            "--workspace",
            str(root),
        ]
        subprocess.run([*report, "--format", "html", "--output", str(page)], check=True)
        window = f"--window-size={SIZE[0]},{SIZE[1]}"
        shot = f"--screenshot={arguments.output.resolve()}"
        browser = [arguments.browser, "--headless", "--no-sandbox", "--disable-gpu", window, shot]
        subprocess.run([*browser, page.as_uri()], check=True, stderr=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
