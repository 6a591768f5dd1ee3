"""What a rule of diagnosis measured, and small questions that rules share."""

from __future__ import annotations

from dataclasses import dataclass

from dl_bug_lsp.monitoring.diagnosis_facts import RunFacts, Site, site
from dl_bug_lsp.monitoring.values import Layer


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule measured.

    ``amount`` is compared with the rule's threshold; ``step`` is where it began (0: before the
    first), ``layer`` the dotted name of the layer, ``why`` a sentence for people, ``sites`` the
    lines, the likeliest first, ``hint`` what to look for there (an argument's name, or empty).
    """

    rule: str
    amount: float
    why: str
    step: int = 0
    layer: str = ""
    sites: tuple[Site, ...] = ()
    hint: str = ""


def unique(*sites: Site | None) -> tuple[Site, ...]:
    """Return the places that are known, each once."""
    return tuple(dict.fromkeys(s for s in sites if s is not None))


def loss_site(facts: RunFacts) -> Site | None:
    """Return the line that calls the training's loss function."""
    call = facts.training_loss
    return site(call.file, call.line) if call is not None else None


def label(layer: Layer) -> str:
    """Return a layer's name for a sentence."""
    return f"`{layer.name or layer.function or layer.type}`"
