"""API objects as dicts to the model: what tests and small inputs use. Bytes and pages go through `collect`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kueuectl.api import decoding
from kueuectl.api.collect import Collector
from kueuectl.api.decoding import Model
from kueuectl.api.pool import Pool
from kueuectl.model.state import ClusterState


def decode(doc: dict[str, Any], *, source: str = "", strict: bool = True) -> Model | None:
    """The model of an API object; None for a kind that nothing depends on.

    strict reads objects as the API server keeps them: names are checked and defaults filled in. Otherwise they are
    taken as they are: a missing field inside a `preemption` block is "" (unset), names and limits are not checked.
    Raises InputError with the source, the object and the field path.
    """
    raw = decoding.encode(doc, source=source)
    model, _, _ = decoding.decode_bytes(raw, source=source, pool=Pool(strict=strict))
    return model


def decode_state(docs: Iterable[tuple[str, dict[str, Any]]], *, strict: bool = True) -> ClusterState:
    """The state of (source, object) pairs; Lists among them are opened.

    Raises InputError as `decode` does, for an object that comes twice with different contents, and for a cycle of
    cohorts.
    """
    collector = Collector(strict=strict)
    for source, doc in docs:
        collector.add(decoding.encode(doc, source=source), source=source)
    return collector.state()
