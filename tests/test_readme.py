"""README and docs: what they tell to run works, what they show is what comes out, what they link to is there.

Blocks after `<!-- output: COMMAND -->` are what the command prints, with `| lines A-B` a part of it. With
KUEUECTL_UPDATE_GOLDEN=1 they are written anew. Commands that read a cluster are only run up to the missing cluster.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from kueuectl.analysis import explanation
from kueuectl.cli.frame.contents import ROOT as CONTENTS
from kueuectl.store import examples
from tests.cli.harness import Result, cli

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
# docs/commands is generated from the help texts, and tested with them.
PAGES = [README, *sorted(path for path in (ROOT / "docs").rglob("*.md") if "commands" not in path.parts)]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
UPDATE = bool(os.environ.get("KUEUECTL_UPDATE_GOLDEN"))

_BLOCK = re.compile(
    r"<!-- output: (?P<command>kueuectl [^|\n]*?)(?: \| lines (?P<lines>\d+-\d*))? -->\n```text\n(?P<text>.*?)```", re.S
)
_FENCED = re.compile(r"```sh\n(.*?)```", re.S)
_INLINE = re.compile(r"`(kueuectl [^`]*)`")
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_PLACEHOLDER = re.compile(r"\b[A-Z][A-Z/]{3,}\b|\.\.\.")
_MAIN_JOB = re.compile(r"^python3 -m venv \.venv && \.venv/bin/pip install -q \. && (\.venv/bin/kueuectl .*)$", re.M)
_TESTS = re.compile(r"^python3 -m venv \.venv && \.venv/bin/pip install -q -e '\.\[dev\]' && \.venv/bin/pytest$", re.M)
UNREACHABLE = 5


def _commands(page: Path) -> Iterator[str]:
    """Every kueuectl command line of a page that can be run: in code blocks, and with a source inside sentences."""
    text = page.read_text("utf-8")
    for block in _FENCED.findall(text):
        for line in block.splitlines():
            found = re.search(r"(?:^|\s|/)(kueuectl .*)$", line.partition(" #")[0])
            if found:
                yield found.group(1).strip()
    for line in _INLINE.findall(text):
        if "--from" in line or "--for" in line:
            yield " ".join(line.split())
    for found in _BLOCK.finditer(text):
        yield found["command"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the dumps and manifests that examples in the pages name."""
    dump = yaml.load(examples.find("preemption").files[0].read_text("utf-8"), Loader=yaml.CSafeLoader)
    for name in ("dump.json", "cluster.json"):
        (tmp_path / name).write_text(json.dumps(dump, default=str), "utf-8")
    config = examples.find("fair-weights").config
    assert config is not None
    (tmp_path / "kueue.yaml").write_text(config.read_text("utf-8"), "utf-8")
    (tmp_path / "queues").mkdir()
    queues = [item for item in dump["items"] if item["kind"] in ("ClusterQueue", "ResourceFlavor")]
    (tmp_path / "queues" / "all.json").write_text(json.dumps({**dump, "items": queues}, default=str), "utf-8")
    monkeypatch.chdir(tmp_path)


@cache
def _run(command: str) -> Result:
    return cli(*shlex.split(command)[1:])


@pytest.mark.parametrize("name", NAMES)
def test_every_command_that_a_page_names_works(name: str) -> None:
    for command in _commands(ROOT / name):
        if _PLACEHOLDER.search(command):
            continue
        result = cli(*shlex.split(command)[1:])
        is_offline = "--from" in command
        assert result.code in ((0,) if is_offline else (0, UNREACHABLE)), f"{command}: {result.code} {result.err}"


@pytest.mark.parametrize("name", NAMES)
def test_every_command_that_a_sentence_mentions_exists(name: str) -> None:
    for line in _INLINE.findall((ROOT / name).read_text("utf-8")):
        entry = CONTENTS
        for word in line.split()[1:]:
            if not entry.is_group or word.startswith("-") or _PLACEHOLDER.search(word):
                break
            child = entry.child(word.partition("/")[0])
            assert child is not None, line
            entry = child


@pytest.mark.parametrize("name", NAMES)
def test_what_a_page_shows_is_what_comes_out(name: str) -> None:
    page = ROOT / name
    text = page.read_text("utf-8")
    if UPDATE:
        text = _BLOCK.sub(
            lambda found: found[0].replace(f"```text\n{found['text']}```", f"```text\n{_shown(found)}```"), text
        )
        page.write_text(text, "utf-8")
    for found in _BLOCK.finditer(text):
        assert found["text"] == _shown(found), f"{found['command']}: run again with KUEUECTL_UPDATE_GOLDEN=1"


def _shown(found: re.Match[str]) -> str:
    result = _run(found["command"])
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    if found["lines"]:
        first, _, last = found["lines"].partition("-")
        lines = lines[int(first) - 1 : int(last) if last else None]
    return "".join(line.rstrip() + "\n" for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_page_links_to_is_there(name: str) -> None:
    page = ROOT / name
    for target in _LINK.findall(page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_readme_has_exactly_two_commands_that_set_everything_up() -> None:
    text = README.read_text("utf-8")
    assert text.count("python3 -m venv") == 2
    assert len(_MAIN_JOB.findall(text)) == 1
    assert len(_TESTS.findall(text)) == 1


def test_ci_runs_the_test_command_of_the_readme() -> None:
    command = _TESTS.findall(README.read_text("utf-8"))[0]
    script = ROOT / ".ci" / "run"
    assert command in script.read_text("utf-8")
    assert os.access(script, os.X_OK)


def test_the_readme_names_every_command() -> None:
    table = README.read_text("utf-8").partition("\n## Commands\n")[2].partition("\n## ")[0]
    missing = [child.name for child in CONTENTS.children if not re.search(rf"`{child.name}\b", table)]
    assert not missing


def test_the_pages_have_every_word_that_scripts_may_meet() -> None:
    pages = {
        "verdicts.md": (explanation.Code, explanation.WarningCode),
        "explain.md": (explanation.StepName, explanation.StepState, explanation.ChangeKind, explanation.LimitKind),
    }
    for page, vocabularies in pages.items():
        text = (ROOT / "docs" / page).read_text("utf-8")
        missing = [str(word) for words in vocabularies for word in words if f"`{word}`" not in text]
        assert not missing, page


@pytest.mark.parametrize("name", examples.names())
def test_an_example_says_what_it_shows_and_how_to_see_it(name: str) -> None:
    example = examples.find(name)
    header = example.files[0].read_text("utf-8").split("\napiVersion")[0]
    commands = [line.lstrip("# ") for line in header.splitlines() if line.startswith("#   kueuectl ")]
    assert example.title
    assert commands
    for command in commands:
        result = cli(*shlex.split(command)[1:])
        assert result.code == 0, result.err
        assert f"--from example:{name}" in command


@pytest.mark.parametrize("name", examples.names())
def test_an_example_loads_without_a_warning_and_explains_each_workload(name: str) -> None:
    source = ["--from", f"example:{name}"]
    listed = cli("list", "workload", "-o", "json", *source)
    assert (listed.code, listed.err) == (0, "")
    for item in json.loads(listed.out)["items"]:
        meta = item["metadata"]
        told = cli("explain", "workload", meta["name"], "-n", meta["namespace"], "-o", "json", *source)
        assert (told.code, told.err) == (0, ""), meta["name"]
        assert json.loads(told.out)["verdict"]["code"] != "UNKNOWN"


@pytest.mark.parametrize("name", examples.names())
def test_an_owner_in_an_example_leads_to_its_workload(name: str) -> None:
    source = ["--from", f"example:{name}"]
    for item in json.loads(cli("list", "workload", "-o", "json", *source).out)["items"]:
        meta = item["metadata"]
        for owner in meta.get("ownerReferences", ()):
            told = cli("explain", owner["kind"].lower(), owner["name"], "-n", meta["namespace"], "-o", "json", *source)
            assert told.code == 0, told.err
            assert json.loads(told.out)["object"]["name"] == meta["name"]
