"""The shipped examples are found, by file and by folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuectl.errors import InputError
from kueuectl.store import examples
from kueuectl.store.load import load


@pytest.mark.parametrize("name", examples.names())
def test_every_example_has_a_title_a_time_and_a_state(name: str) -> None:
    assert examples.find(name).title
    found = load([f"example:{name}"], clock=lambda: pytest.fail("the example does not say its time"))
    assert found.state.cluster_queues


def test_an_example_may_be_a_folder_with_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "examples" / "two"
    folder.mkdir(parents=True)
    (folder / "2.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n")
    (folder / "1.yaml").write_text("# What it shows\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
    (folder / "notes.txt").write_text("not read")
    config = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
    (tmp_path / "examples" / "two.config.yaml").write_text(config)
    monkeypatch.setattr(examples.resources, "files", lambda _: tmp_path)
    assert examples.names() == ("two",)
    assert examples.find("two").title == "What it shows"
    found = load(["example:two"], clock=lambda: 1)
    assert list(found.state.namespaces) == ["a", "b"]
    assert found.settings.fair_sharing is not None
    assert found.settings.source == "example:two.config.yaml"


def test_an_example_that_there_is_not_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="there is no example 'x'") as caught:
        examples.find("x")
    assert "four-tenants" in caught.value.hint
