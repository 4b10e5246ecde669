"""Label and field selectors of the command line, for objects that were read already."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kueuectl.errors import UsageError

# Compiled where they are used: most runs have no selector.
_SET = r"\s*(?P<key>[^\s,!=()]+)\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)\s*"
_EQUAL = r"\s*(?P<key>[^\s,!=()]+)\s*(?P<op>==|!=|=)\s*(?P<value>[^\s,!=()]*)\s*"
_EXISTS = r"\s*(?P<op>!?)\s*(?P<key>[^\s,!=()]+)\s*"


class Term(NamedTuple):
    """One requirement: an operator in, notin, exists or missing."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether labels satisfy it; notin also holds where the label is missing, as in Kubernetes."""
        if self.operator == "exists":
            return self.key in labels
        if self.operator == "missing":
            return self.key not in labels
        if self.operator == "in":
            return labels.get(self.key) in self.values
        return self.key not in labels or labels[self.key] not in self.values


def parse(selector: str | None, *, flag: str = "--selector") -> tuple[Term, ...]:
    """The terms of a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. Raises UsageError."""
    terms: list[Term] = []
    at = 0
    source = selector or ""
    while at < len(source):
        rest = source[at:]
        match = re.match(_SET, rest) or re.match(_EQUAL, rest) or re.match(_EXISTS, rest)
        if match is None or (match.end() < len(rest) and rest[match.end()] != ","):
            raise UsageError(f"invalid value {source!r} for {flag}", hint="write it as key=value,other!=value")
        terms.append(_term(match))
        at += match.end() + 1
    return tuple(terms)


def _term(match: re.Match[str]) -> Term:
    found = match.groupdict()
    operator = found["op"]
    if "values" in found:
        return Term(found["key"], operator, tuple(value.strip() for value in found["values"].split(",")))
    if "value" in found:
        return Term(found["key"], "notin" if operator == "!=" else "in", (found["value"],))
    return Term(found["key"], "missing" if operator else "exists")


def matches(terms: tuple[Term, ...], labels: Mapping[str, str]) -> bool:
    """Whether all terms hold."""
    return all(term.holds(labels) for term in terms)


def parse_fields(selector: str | None) -> tuple[Term, ...]:
    """The terms of a field selector on metadata.name and metadata.namespace. Raises UsageError for other fields."""
    terms = parse(selector, flag="--field-selector")
    for term in terms:
        if term.key not in ("metadata.name", "metadata.namespace") or term.operator not in ("in", "notin"):
            raise UsageError(
                f"--field-selector: {term.key!r} is not supported",
                hint="use metadata.name and metadata.namespace with =, == or !=",
            )
    return terms
