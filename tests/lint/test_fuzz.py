"""Whatever manifests hold: lint, anonymize and diff answer or refuse, and never break down."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.harness import NOW, cli
from tests.lint.build import SOUND, Doc, check, with_changes

JUNK = st.sampled_from(
    [
        None,
        "",
        "x",
        "-1",
        "1e99",
        0,
        -5,
        3.5,
        True,
        [],
        {},
        [None],
        ["a", "a"],
        {"a": "b"},
        "std",
        "one",
        "all",
        "\x1b[2J",
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in a document."""
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places(inner, (*path, index))
    return found


@st.composite
def damaged(draw: st.DrawFn) -> list[Doc]:
    """The sound cluster with a few things replaced, doubled or taken out."""
    docs = copy.deepcopy(with_changes([check("c")]))
    for _ in range(draw(st.integers(1, 4))):
        doc = draw(st.sampled_from(docs))
        *way, last = draw(st.sampled_from([path for path in places(doc) if path]))
        holder: Any = doc
        for step in way:
            holder = holder[step]
        action = draw(st.sampled_from(["replace", "remove", "double"]))
        if action == "replace":
            holder[last] = copy.deepcopy(draw(JUNK))
        elif action == "remove":
            del holder[last]
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
    return docs


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_damaged_manifests(docs: list[Doc]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bad = Path(folder) / "bad.json"
        sound = Path(folder) / "sound.json"
        bad.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": docs}), "utf-8")
        sound.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(SOUND)}), "utf-8")
        for line in (
            ["lint", "-f", str(bad), "--alone"],
            ["lint", "-f", str(bad), "--from", str(sound), "--now", NOW, "-o", "sarif"],
            ["lint", "--from", str(bad), "--now", NOW, "-o", "json"],
            ["snapshot", "diff", str(sound), str(bad)],
            ["snapshot", "anonymize", str(Path(folder) / "out.json"), "--force", "--from", str(bad), "--now", NOW],
        ):
            result = cli(*line, is_tty=True)
            assert "internal error" not in result.err, (line, result.err, docs)
            assert result.code in (0, 1), (line, result.err)
            assert "\x1b[2J" not in result.out + result.err
