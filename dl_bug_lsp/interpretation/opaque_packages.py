"""Packages whose own sources cannot be followed where the workspace holds them.

Metaclasses, wrappers of functions and tracing make them up. The models of what they define are used
instead, as for a package that is installed. What they build on top of these, such as layers, is
plain code and is followed.
"""

from __future__ import annotations

from dataclasses import dataclass

from dl_bug_lsp.interpretation.values import Origin


@dataclass(frozen=True, slots=True)
class OpaquePackage:
    """What of a package models stand for.

    ``names`` are definitions at the level of its modules with the dotted names that users import
    them by; ``followed`` are the folders below the package in which code is followed, and ``kept``
    the files in these whose frames are opaque as well.
    """

    names: dict[str, str]
    followed: tuple[str, ...]
    kept: tuple[str, ...] = ()


def _below(package: str, names: str) -> dict[str, str]:
    return {name: f"{package}.{name}" for name in names.split()}


PACKAGES = {
    "equinox": OpaquePackage(
        {
            **_below(
                "equinox",
                "Module field static_field filter_jit filter_grad filter_value_and_grad "
                "filter_vmap filter_pmap filter_checkpoint filter_eval_shape filter partition "
                "combine is_array is_array_like is_inexact_array is_inexact_array_like "
                "apply_updates tree_at tree_inference tree_serialise_leaves "
                "tree_deserialise_leaves error_if",
            ),
            **_below("equinox.nn", "inference_mode make_with_state State"),
        },
        ("nn",),
        ("_stateful.py", "_inference.py"),
    ),
}
"""Packages by their name. Source: the reference of each, and what its modules define."""


def _package(file: str) -> tuple[OpaquePackage, list[str]] | None:
    """Return the package in whose sources a file lies, and its path below the package."""
    parts = file.split("/")
    for at, part in enumerate(parts[:-1]):
        if part in PACKAGES:
            return PACKAGES[part], parts[at + 1 :]
    return None


def stands_for(file: str, name: str) -> str | None:
    """Return the dotted name of the model that stands for a definition, None where it is followed.

    ``file`` is the file of the workspace that defines ``name`` at the level of the module.
    """
    known = _package(file)
    return None if known is None else known[0].names.get(name)


def is_known(file: str) -> bool:
    """Whether a file of the workspace belongs to one of these packages."""
    return _package(file) is not None


def is_opaque(file: str) -> bool:
    """Whether a file of the workspace is one for whose functions models stand."""
    known = _package(file)
    if known is None:
        return False
    package, below = known
    return below[0] not in package.followed or below[-1] in package.kept


def without_opaque(places: tuple[Origin, ...]) -> tuple[Origin, ...]:
    """Return the places of a stack that a followed run comes to; all where it comes to none."""
    return tuple(place for place in places if not is_opaque(place[0])) or places
