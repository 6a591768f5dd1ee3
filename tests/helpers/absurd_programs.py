"""Programs of a size that no one writes by hand, by name."""

from __future__ import annotations


def chain(count: int, line: str) -> str:
    """Return ``count - 1`` lines in which the n-th refers to the one before it."""
    return "".join(line.format(n=n, before=n - 1) + "\n" for n in range(1, count))


LOADERS = "from torch.utils.data import DataLoader\nv0 = [1]\n"
PARTIALS = "from functools import partial\ndef v0(*a):\n    return 1\n"
NESTED = "".join("    " * n + f"def f{n}():\n" for n in range(80)) + "    " * 80 + "return 1\n"
CALLERS = "".join(f"def f{n}(x):\n    return f{n + 1}(x) + f{n + 1}(x + 1)\n" for n in range(60))
GENERATED = "".join(
    f"def op_{n}(x, w={n}):\n    y = x * {n} + w\n    return {f'op_{n + 1}(y)' if n % 9 else 'y'}\n"
    for n in range(2000)
)

LARGE = {
    "a long sum": "probe(" + " + ".join(["1"] * 900) + ")\n",
    "an absurd sum": "probe(" + " + ".join(["1"] * 20_000) + ")\n",
    "an absurd text": "x = '" + "a" * 2_000_000 + "'\nprobe(x + x)\n",
    "a long chain of calls": "probe(x" + ".f(1)" * 600 + ")\n",
    "deep parentheses": "probe(" + "(" * 150 + "1" + ")" * 150 + ")\n",
    "deep lists": "probe(" + "[" * 90 + "1" + "]" * 90 + ")\n",
    "nested lambdas": "probe(" + "lambda: " * 80 + "1)\n",
    "nested functions": NESTED + "probe(f0())\n",
    "a decorator of a long sum": (
        "@wrap(" + " + ".join(["1"] * 900) + ")\ndef f(n):\n    return n\nprobe(f(3))\n"
    ),
    "a base of long calls": "class A(b" + ".c()" * 400 + "):\n    pass\nprobe(A().x)\n",
    "a long dict": "d = {" + ", ".join(f"'k{n}': {n}" for n in range(9000)) + "}\nprobe(d['k7'])\n",
    "a long list": "d = [" + "1, " * 20_000 + "]\nprobe(sum(d))\n",
    "names in a chain": "v0 = 1\n" + chain(3000, "v{n} = v{before}") + "probe(v2999)\n",
    "arithmetic in a chain": "v0 = 1\n" + chain(2000, "v{n} = v{before} * 2") + "probe(v1999)\n",
    "tables in a chain": (
        "v0 = {}\n" + chain(2000, "v{n} = {{**v{before}, 'k{n}': 1}}") + "probe(v1999['none'])\n"
    ),
    "functions in a chain": (
        "def f0():\n    return 1\n"
        + chain(1500, "def f{n}():\n    return f{before}()")
        + "probe(f1499())\n"
    ),
    "classes in a chain": (
        "class C0:\n    x = 1\n"
        + chain(1500, "class C{n}(C{before}):\n    pass")
        + "probe(C1499().x)\nprobe(C1499.x)\nprobe(C1499().f())\n"
    ),
    "attributes in a chain": "class A:\n    pass\nprobe(A()" + ".a" * 400 + ")\n",
    "loaders in a chain": (
        LOADERS + chain(1000, "v{n} = DataLoader(v{before})") + "for b in v999:\n    probe(b)\n"
    ),
    "partials in a chain": PARTIALS
    + chain(1000, "v{n} = partial(v{before}, {n})")
    + "probe(v999())\n",
    "many branches": "x = 0\n" + chain(2000, "if c:\n    x = x + {n}") + "probe(x)\n",
    "one function, many callers": "def f(n):\n    return probe(n)\n" + chain(3000, "f({n})"),
    "many callers of many callers": CALLERS + "probe(f0(1))\n",
    "many appends": "x = []\n" + chain(3000, "x.append({n})") + "probe(x[2])\n",
    "generated functions": GENERATED + "probe(op_1(3))\n",
}
RE_EXPORTS = {
    "m0.py": "X = 1\n",
    **{f"m{n}.py": f"from m{n - 1} import X\n" for n in range(1, 300)},
    "main.py": "from m299 import X\nprobe(X)\n",
}
