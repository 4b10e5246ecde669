"""What the objects of one read share: interned texts, labels, quantities and pod templates, and how strict it is.

The dictionaries here fill themselves: a look-up of what was seen before is one step in C, which is what makes fifty
thousand workloads cheap.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

from kueuectl import quantity, times
from kueuectl.api import wire
from kueuectl.errors import InputError
from kueuectl.model.selectors import Labels
from kueuectl.model.workloads import Amounts, NanoList, PodTemplate, PriorityClassRef

T = TypeVar("T", bound=Hashable)

# kubectl writes the whole object in here once more; nothing decides by it and it may be large.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

# The parts of a time as it nearly always is written, 2026-11-29T17:00:00Z, to nanoseconds.
_HOURS = {f"T{hour:02d}:": hour * times.HOUR for hour in range(24)}
_MINUTES = {f"{minute:02d}:": minute * times.MINUTE for minute in range(60)}
_SECONDS = {f"{second:02d}Z": second * times.SECOND for second in range(60)}
# Pod specs that are kept as text to be recognized again; a dump of all different ones must not be held twice.
_MAX_TEMPLATES = 1024


class Texts(dict[str | None, str]):
    """A text to the first one that equals it; None to ""."""

    def __missing__(self, text: str | None) -> str:
        found = self[text] = text or ""
        return found


class _Days(dict[str, int]):
    """A date (2026-11-29) to nanoseconds since the epoch."""

    def __missing__(self, text: str) -> int:
        found = self[text] = times.parse(f"{text}T00:00:00Z")
        return found


class Pool:
    """Shares equal values between objects. `strict` reads as the API server keeps objects, else as they are."""

    __slots__ = (
        "_amounts",
        "_days",
        "_labels",
        "_made",
        "_nanos",
        "_priorities",
        "_templates",
        "_values",
        "namespaces",
        "recent",
        "strict",
        "texts",
    )

    def __init__(self, *, strict: bool = True) -> None:
        self.strict = strict
        self.texts = Texts()
        # Texts that come several times in one object or page, but hardly after it: uids and names of owners, values
        # of labels. The reader of pages empties it.
        self.recent = Texts()
        # Names of namespaces that were checked.
        self.namespaces: set[str | None] = set()
        self._values: dict[Hashable, Hashable] = {}
        self._templates: dict[bytes, PodTemplate] = {}
        self._nanos: dict[Hashable, NanoList] = {}
        self._labels: dict[Hashable, Labels] = {}
        self._made: dict[Hashable, Any] = {}
        self._amounts: dict[Hashable, Amounts] = {}
        self._priorities: dict[tuple[str, str, str], PriorityClassRef] = {}
        self._days = _Days()

    def share(self, value: T) -> T:
        """The first value seen that equals this one."""
        return self._values.setdefault(value, value)  # type: ignore[return-value]

    def text(self, value: str | None) -> str:
        """The shared text; "" for none."""
        return self.texts[value]

    def optional(self, value: str | None) -> str | None:
        """The shared text; None for none or empty."""
        return self.texts[value] if value else None

    def priority_class(self, group: str, kind: str, name: str) -> PriorityClassRef:
        """The shared reference to a priority class."""
        key = (group, kind, name)
        found = self._priorities.get(key)
        if found is None:
            found = self._priorities[key] = PriorityClassRef(*key)
        return found

    def known(self, key: Hashable) -> Any:
        """What was made of these parts before; None for nothing yet. Parts that are shared stand as their id."""
        return self._made.get(key)

    def keep(self, key: Hashable, made: T) -> T:
        """Remember what was made of parts that live as long as the pool."""
        self._made[key] = made
        return made

    def template(self, raw: bytes) -> PodTemplate | None:
        """The template that these bytes were decoded to, if they were seen."""
        return self._templates.get(raw)

    def keep_template(self, raw: bytes, template: PodTemplate) -> PodTemplate:
        """Remember what the bytes were decoded to; the shared template."""
        if len(self._templates) >= _MAX_TEMPLATES:
            self._templates.clear()
        # Never forgotten, so that its id stays its own.
        template = self.share(template)
        self._templates[raw] = template
        return template

    def labels(self, pairs: wire.StringMap | None) -> Labels:
        """Sorted pairs."""
        if not pairs:
            return ()
        texts, recent = self.texts, self.recent
        if len(pairs) == 1:
            ((key, value),) = pairs.items()
            return ((texts[key], recent[value]),)
        if len(pairs) == 2:
            (key, value), (other, second) = pairs.items()
            first, last = (texts[key], recent[value]), (texts[other], recent[second])
            return (first, last) if key < other else (last, first)
        return tuple(sorted([(texts[key], recent[value]) for key, value in pairs.items()]))

    def shared_labels(self, pairs: wire.StringMap | None) -> Labels:
        """Sorted pairs, shared: for labels that many objects have alike."""
        if not pairs:
            return ()
        key = (*pairs.items(),)
        found = self._labels.get(key)
        if found is None:
            found = self._labels[key] = self.share(self.labels(pairs))
        return found

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
        try:
            return self._days[text[:10]] + _HOURS[text[10:14]] + _MINUTES[text[14:17]] + _SECONDS[text[17:]]
        except (KeyError, InputError):
            return times.parse(text)

    def nanos(self, values: wire.Quantities | None) -> NanoList:
        """Sorted (resource, nano-units) pairs, shared."""
        if not values:
            return ()
        # 1 and 1.0 are one key, and one quantity.
        key = (*values.items(),)
        found = self._nanos.get(key)
        if found is None:
            texts = self.texts
            found = tuple(sorted([(texts[name], nano(value)) for name, value in values.items()]))
            found = self._nanos[key] = self.share(found)
        return found

    def amounts(self, values: wire.Quantities | None) -> Amounts:
        """Sorted (resource, amount) pairs, shared."""
        if not values:
            return ()
        key = (*values.items(),)
        found = self._amounts.get(key)
        if found is None:
            texts = self.texts
            found = tuple(sorted([(texts[name], amount(name, value)) for name, value in values.items()]))
            found = self._amounts[key] = self.share(found)
        return found


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
