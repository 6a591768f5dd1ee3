"""What a hover tells of a place: as Markdown, or as plain text."""

from __future__ import annotations

import json
from urllib.parse import quote

from dl_bug_lsp.server.commands.arguments import DISMISS, NEXT, OPEN_LOG, PREVIOUS, place_argument
from dl_bug_lsp.server.failures.diagnostics import standing_line
from dl_bug_lsp.server.failures.pages import page_uri
from dl_bug_lsp.server.failures.publication import REASONS, Place, Publication, by_score
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, shorten
from dl_bug_lsp.views.markdown import advice_lines, block, evidence_lines, plain, sentence
from dl_bug_lsp.views.words import message_lines

MESSAGE_LINES = 4
OTHERS = 4
LONGEST_WHY = 300


def _head(publication: Publication, place: Place) -> tuple[str, str]:
    name = words.category_name(place.failure)
    of = publication.last_rank(place.failure)
    return name, words.standing(place.failure, place.suspect, of)


def markdown(
    publication: Publication, place: Place, *, command_links: bool, shows_diagnostics: bool = False
) -> str:
    """Return what is told of a place as Markdown; only our own words become links.

    ``shows_diagnostics``: what the diagnostic says stands beside it already and is left out.
    """
    failure = place.failure
    name, rank = _head(publication, place)
    parts: list[str] = []
    if not shows_diagnostics:
        parts += [f"**{plain(name)}**, {rank}", block(message_lines(failure)[:MESSAGE_LINES])]
        if not failure.reliable:
            parts.append(f"*{words.UNRELIABLE}*")
        parts += [sentence(text) for text in words.reservations(failure)]
    if publication.standing is not None and failure.primary:
        parts.append(standing_line(publication.standing, links=True))
    reasons = evidence_lines(by_score(place.suspect)[REASONS if shows_diagnostics else 0 :])
    if reasons:
        parts.append("\n".join(f"- {reason}" for reason in reasons))
    if failure.advice:
        parts.append("**What usually helps**\n\n" + "\n".join(advice_lines(failure)))
    others = _others(publication, place)
    if others:
        shares = [words.share(other.failure, other.suspect) for other in others]
        links = [f"- {_link(o)} ({share})" for o, share in zip(others, shares, strict=True)]
        parts.append("**Other places**\n\n" + "\n".join(links))
    page = page_uri(failure.category.id)
    foot = [f"[About {plain(name)}](<{page}>)"] if page else []
    if command_links:
        foot += _commands(publication, place)
    if foot:
        parts.append(" · ".join(foot))
    return "\n\n".join(parts)


def _others(publication: Publication, place: Place) -> list[Place]:
    same = [p for p in publication.shown() if p.failure is place.failure and p is not place]
    return sorted(same, key=lambda other: other.suspect.rank)[:OTHERS]


def _link(place: Place) -> str:
    line = place.mark.line
    target = f"{place.uri.partition('#')[0]}#L{line}" if "#" not in place.uri else place.uri
    target = quote(target, safe=":/%#?=&+,;@!$'*~.-_")
    return f"[{place.suspect.rank}. {plain(f'{place.suspect.file}:{line}')}](<{target}>)"


def _commands(publication: Publication, place: Place) -> list[str]:
    """Return links that run commands, for clients that said that they follow them."""
    argument = quote(json.dumps([place_argument(publication, place)]), safe="")
    named = (("Next", NEXT), ("Previous", PREVIOUS), ("Open the log", OPEN_LOG))
    links = [f"[{title}](command:{name}?{argument})" for title, name in named]
    return [*links, f"[Dismiss](command:{DISMISS}?{argument})"]


def plain_text(publication: Publication, place: Place) -> str:
    """Return what is told of a place for clients without Markdown."""
    name, rank = _head(publication, place)
    out = [f"{name}, {rank}", *message_lines(place.failure)[:MESSAGE_LINES]]
    if not place.failure.reliable:
        out.append(words.UNRELIABLE)
    out.extend(escape(text) for text in words.reservations(place.failure))
    if publication.standing is not None and place.failure.primary:
        out.append(standing_line(publication.standing, links=False))
    for evidence in by_score(place.suspect):
        why = shorten(escape(evidence.why), LONGEST_WHY)
        out.append(f"- {why}")
    out.extend(f"- {escape(advice.cause)} {escape(advice.fix)}" for advice in place.failure.advice)
    return "\n".join(out)
