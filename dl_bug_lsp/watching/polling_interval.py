"""How often logs are looked at: the more recently they grew the more often, within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from dl_bug_lsp.watching.followed import FollowedLog

AGES = (60.0, 3600.0, 86_400.0, float("inf"))
"""Seconds since a log last grew, by tier."""
PERIODS = (0.04, 0.1, 1.0, 5.0)
"""Seconds between two looks at the logs of a tier, at least."""
SHARES = (0.1, 0.02, 0.005, 0.005)
"""The share of a processor's time that looking at a tier may take; many logs wait longer."""


@dataclass(slots=True)
class PollingInterval:
    """Logs in tiers by the age of their last growth. Times are seconds of a monotonic clock."""

    tiers: tuple[dict[str, FollowedLog], ...] = field(
        default_factory=lambda: tuple({} for _ in AGES)
    )
    due: list[float] = field(default_factory=lambda: [0.0] * len(AGES))

    def put(self, log: FollowedLog, now: float) -> None:
        """Put a log into the tier of its age."""
        self.drop(log.file)
        age = now - log.hot_at
        tier = next(number for number, most in enumerate(AGES) if age <= most)
        if not self.tiers[tier]:
            self.due[tier] = min(self.due[tier], now + PERIODS[tier])
        self.tiers[tier][log.file] = log

    def drop(self, file: str) -> None:
        """Take a log out."""
        for tier in self.tiers:
            tier.pop(file, None)

    def ready(self, now: float) -> list[int]:
        """Return the tiers whose logs are to be looked at."""
        return [n for n, tier in enumerate(self.tiers) if tier and self.due[n] <= now]

    def looked(self, tier: int, now: float, cost: float) -> None:
        """Set when a tier is due again, after a look at it that took ``cost`` seconds."""
        self.due[tier] = now + max(PERIODS[tier], cost / SHARES[tier])

    def cool(self, tier: int, now: float) -> None:
        """Move the logs of a tier that are too old for it into the next ones."""
        cold = [log for log in self.tiers[tier].values() if now - log.hot_at > AGES[tier]]
        for log in cold:
            self.put(log, now)

    def next_due(self) -> float | None:
        """Return when the next tier is due, None where nothing is watched."""
        dues = [due for due, tier in zip(self.due, self.tiers, strict=True) if tier]
        return min(dues, default=None)
