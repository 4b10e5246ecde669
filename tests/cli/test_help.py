"""Every command has help, examples and a page, and what was generated from them is fresh."""

from __future__ import annotations

import inspect
import re
import shlex

import pytest

from kueuectl.cli import _fast, _pages, generate
from kueuectl.cli.frame import contents
from kueuectl.cli.frame.flags import CHOICES, DYNAMIC, FILES, GLOBAL_FLAGS, Flags
from tests.cli.harness import cli

PATHS = [path for path, _ in contents.walk()]
COMMANDS = [(path, entry) for path, entry in contents.walk() if not entry.is_group]


def ids(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) and all(isinstance(part, str) for part in value) else ""


@pytest.mark.parametrize(("path", "entry"), COMMANDS, ids=ids)
def test_help_of_commands(path: tuple[str, ...], entry: contents.Entry) -> None:
    command, _ = generate.context_of(path, "kueuectl")
    text = inspect.cleandoc(command.help)
    first = text.splitlines()[0]
    assert first == entry.summary + ".", "the table of contents repeats the first line"
    assert len(first) < 60
    examples = re.findall(r"^  (\S.*)$", text.partition("\b\nExamples:\n")[2], re.MULTILINE)
    assert len(examples) == 2, "two examples behind a \\b line"
    assert all("kueuectl " in example for example in examples)


@pytest.mark.parametrize(("path", "entry"), COMMANDS, ids=ids)
def test_help_of_parameters(path: tuple[str, ...], entry: contents.Entry) -> None:
    command, context = generate.context_of(path, "kueuectl")
    for param in command.get_params(context):
        assert param.help, param.name
        assert re.fullmatch(r"[A-Za-z-][^\n]*\.", param.help), f"one sentence: {param.help}"
        assert ". " not in param.help, f"one sentence: {param.help}"
        metavar = param.metavar
        if metavar is None:
            assert param.is_flag, f"{param.name} needs a metavar"
            continue
        bare = metavar.strip("[].")
        assert bare == bare.upper()


@pytest.mark.parametrize(("path", "entry"), COMMANDS, ids=ids)
def test_examples_on_shipped_scenarios_work(path: tuple[str, ...], entry: contents.Entry) -> None:
    command, _ = generate.context_of(path, "kueuectl")
    for line in re.findall(r"^ *kueuectl (.* example:\S+.*)$", command.help, re.MULTILINE):
        result = cli(*shlex.split(line))
        assert result.code == 0, f"{line}: {result.err}"


@pytest.mark.parametrize("path", PATHS, ids=ids)
def test_groups_have_examples(path: tuple[str, ...]) -> None:
    assert generate.help_of(path).count("\n    kueuectl ") + generate.help_of(path).count("(kueuectl ") >= 2


def test_what_is_generated_is_fresh() -> None:
    assert generate.stale() == [], "run python -m kueuectl.cli.generate"


@pytest.mark.parametrize("program", ["kueuectl", "kubectl kueue"])
@pytest.mark.parametrize("path", PATHS, ids=ids)
def test_the_fast_path_prints_the_live_help(
    path: tuple[str, ...], program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _fast.answer([*path, "--help"], program) == 0
    fast = capsys.readouterr().out
    assert fast == cli(*path, "--help", program=program).out == generate.help_of(path, program)


def test_the_fast_path_prints_the_live_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert _fast.answer(["version", "--client"], "kueuectl") == 0
    assert capsys.readouterr().out == cli("version", "--client").out


@pytest.mark.parametrize(
    "line",
    ["", "list", "list wl -h", "-n x list cq --help", "list cq -o json --help", "list --from=x cq -h", "-A --help"],
)
def test_help_that_the_fast_path_answers(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _fast.answer(line.split(), "kueuectl") == 0
    assert capsys.readouterr().out == cli(*line.split()).out


@pytest.mark.parametrize(
    "line",
    [
        "list cq",
        "version",
        "list cq --nope --help",
        "nope --help",
        "list -n",
        "list cq x --help",
        "version --client -o json",
    ],
)
def test_what_the_fast_path_leaves_to_the_program(line: str) -> None:
    assert _fast.answer(line.split(), "kueuectl") is None


def test_program_names() -> None:
    want = {
        "kueuectl": "kueuectl",
        "/usr/bin/kubectl-kueue": "kubectl kueue",
        "C:\\bin\\kubectl-kueue.exe": "kubectl kueue",
        "/x/kubectl-foo_bar": "kubectl foo-bar",
        "__main__.py": "kueuectl",
    }
    assert {path: _fast.program(path) for path in want} == want


def test_every_global_flag_has_a_field() -> None:
    fields = set(vars(Flags()))
    assert {flag.field for flag in GLOBAL_FLAGS} == fields
    for flag in GLOBAL_FLAGS:
        assert flag.help.endswith(".")
        assert flag.metavar == flag.metavar.upper()


def test_options_lists_all_global_flags() -> None:
    shown = cli("options").out
    for name in _pages.GLOBAL_FLAGS:
        assert name in shown or name in ("-h", "--help")


def test_metavars_complete_as_they_should() -> None:
    assert not set(CHOICES) & set(DYNAMIC)
    assert not set(FILES) & set(DYNAMIC)
