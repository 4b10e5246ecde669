"""What the objects of one read share: interned texts, labels and pod templates, and how strict the read is."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from kueuectl import quantity, times
from kueuectl.api import wire
from kueuectl.model.selectors import Labels
from kueuectl.model.workloads import Amounts, NanoList, PodTemplate

T = TypeVar("T", bound=Hashable)

# kubectl writes the whole object in here once more; nothing decides by it and it may be large.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_DATE_LENGTH = len("2026-11-29T17:00")
_PLAIN_LENGTH = len("2026-11-29T17:00:00Z")
# Pod specs that are kept as bytes to be recognized again; a dump of all different ones must not be held twice.
_MAX_TEMPLATES = 4096


class Pool:
    """Shares equal values between objects. `strict` reads as the API server keeps objects, else as they are."""

    __slots__ = ("_minutes", "_templates", "_values", "strict")

    def __init__(self, *, strict: bool = True) -> None:
        self.strict = strict
        self._values: dict[Hashable, Hashable] = {}
        self._templates: dict[bytes, PodTemplate] = {}
        self._minutes: dict[str, int] = {}

    def share(self, value: T) -> T:
        """The first value seen that equals this one."""
        return self._values.setdefault(value, value)  # type: ignore[return-value]

    def text(self, value: str | None) -> str:
        """The shared text; "" for none."""
        return self._values.setdefault(value, value) if value else ""  # type: ignore[return-value]

    def optional(self, value: str | None) -> str | None:
        """The shared text; None for none or empty."""
        return self._values.setdefault(value, value) if value else None  # type: ignore[return-value]

    def template(self, raw: bytes) -> PodTemplate | None:
        """The template that these bytes were decoded to, if they were seen."""
        return self._templates.get(raw)

    def keep_template(self, raw: bytes, template: PodTemplate) -> PodTemplate:
        """Remember what the bytes were decoded to; the shared template."""
        if len(self._templates) >= _MAX_TEMPLATES:
            self._templates.clear()
        template = self.share(template)
        self._templates[raw] = template
        return template

    def labels(self, pairs: wire.StringMap | None) -> Labels:
        """Sorted pairs, shared."""
        if not pairs:
            return ()
        return self.share(tuple(sorted([(self.text(key), self.text(value)) for key, value in pairs.items()])))

    def annotations(self, pairs: wire.StringMap | None) -> Labels:
        """Sorted pairs without what kubectl applied."""
        if not pairs:
            return ()
        pairs.pop(LAST_APPLIED, None)
        return self.labels(pairs)

    def time(self, text: str | None) -> int | None:
        """Nanoseconds since the epoch; None for none. Raises InputError on what is no time."""
        if not text:
            return None
        if len(text) != _PLAIN_LENGTH or text[19] != "Z" or not text[17:19].isdigit() or text[17] > "5":
            return times.parse(text)
        head = text[:_DATE_LENGTH]
        minute = self._minutes.get(head)
        if minute is None:
            minute = self._minutes[head] = times.parse(f"{head}:00Z")
        if text[16] != ":":
            return times.parse(text)
        return minute + int(text[17:19]) * times.SECOND

    def nanos(self, values: wire.Quantities | None) -> NanoList:
        """Sorted (resource, nano-units) pairs, shared."""
        if not values:
            return ()
        return self.share(tuple(sorted([(self.text(name), nano(value)) for name, value in values.items()])))

    def amounts(self, values: wire.Quantities | None) -> Amounts:
        """Sorted (resource, amount) pairs, shared."""
        if not values:
            return ()
        pairs = [(self.text(name), quantity.amount(name, nano(value))) for name, value in values.items()]
        return self.share(tuple(sorted(pairs)))


def nano(value: str | int | float | None) -> int:
    """Nano-units of a quantity as it stands in JSON: a text, or a number; none is 0."""
    if value is None:
        return 0
    return quantity.parse(value if isinstance(value, str) else repr(value))


def amount(resource: str, value: str | int | float | None) -> int:
    """The amount of a quantity as it stands in JSON."""
    return quantity.amount(resource, nano(value))


def optional_amount(resource: str, value: str | int | float | None) -> int | None:
    """The amount of a quantity that may be missing."""
    return None if value is None else amount(resource, value)
