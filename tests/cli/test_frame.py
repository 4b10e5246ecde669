"""Exit codes, global flags, colours, and text that must not act on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kueuectl import errors
from kueuectl.cli import app
from kueuectl.cli.frame import contents
from tests.cli.harness import NOW, TEAMS, Result, cli, teams


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("nope", "Error: unknown command 'nope' for 'kueuectl'\nHint: run 'kueuectl --help' for the commands\n"),
        ("--nope", "Error: no such option: --nope"),
        ("list cq --nope", "Error: no such option: --nope"),
        ("queue", "Error: missing argument 'CLUSTERQUEUE'\nHint: run 'kueuectl queue --help'\n"),
        ("options extra", "Error: got unexpected extra argument(s) (extra)"),
        ("options -o json", "Error: options takes no -o\n"),
        ("list wl --from - --kueue-config -", "Error: standard input can be read only once\n"),
        (
            "list cq --from example:preempted --now 2026-W48-7T12:00:00Z",
            "Error: --now: '2026-W48-7T12:00:00Z' is not a",
        ),
        ("list cq --from= --now 2026-11-29T12:00:00Z", "Error: an empty path names nothing\n"),
        ("list cq --now 2026-11-29T12:00:00Z", "Error: --now needs --from: a live cluster has its own time\n"),
        ("options -n", "Error: option '-n' requires an argument"),
        ("options --no-headers=perhaps", "Error: invalid value 'perhaps' for --no-headers\n"),
        ("completion tcsh", "Error: unknown shell 'tcsh'\n"),
        ("top pods", "Error: can't show usage of 'pods'\n"),
    ],
)
def test_usage_errors_exit_with_2(line: str, want: str) -> None:
    result = cli(*line.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(want)


@pytest.mark.parametrize(
    ("raised", "code", "want"),
    [
        (errors.KueuectlError("broken", hint="mend it"), 1, "Error: broken\nHint: mend it\n"),
        (errors.UsageError("wrong"), 2, "Error: wrong\n"),
        (errors.NotFoundError("gone"), 3, "Error: gone\n"),
        (errors.ConflictError("stale"), 4, "Error: stale\n"),
        (errors.UnreachableError("away"), 5, "Error: away\n"),
        (
            errors.InputError("is odd", source="x.yaml", obj="Workload a/b", path="spec.x"),
            1,
            "Error: x.yaml: Workload a/b: spec.x: is odd\n",
        ),
        (errors.KueuectlError("\x1b[31mred\u202e"), 1, "Error: \\x1b[31mred\\u202e\n"),
        (KeyboardInterrupt(), 130, ""),
        (ZeroDivisionError("oh"), 1, "Error: internal error: ZeroDivisionError: oh\n"),
        (MemoryError(), 1, "Error: out of memory\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_exceptions_become_exit_codes(
    raised: BaseException, code: int, want: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def invoke(*args: object) -> None:
        raise raised

    monkeypatch.setattr(app, "_invoke", invoke)
    monkeypatch.setattr(app, "_closed_pipe", lambda: 0)
    result = cli("version")
    assert result.code == code
    assert result.err.startswith(want)
    assert "Traceback" not in result.err


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def invoke(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(app, "_invoke", invoke)
    assert "Traceback" in cli("version", variables={"KUEUECTL_DEBUG": "1"}).err


@pytest.mark.parametrize("flags", [("-A", "list", "cq"), ("list", "-A", "cq"), ("list", "cq", "-A")])
def test_global_flags_stand_anywhere(flags: tuple[str, ...]) -> None:
    assert teams(*flags).code == 0


def test_the_configuration_may_come_from_standard_input() -> None:
    config = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
    for form in ("table", "json"):
        result = teams("shares", "--kueue-config", "-", "-o", form, stdin=config)
        assert (result.code, result.err) == (0, "")


def test_what_is_in_another_namespace_is_said() -> None:
    result = teams("explain", "workload/job-old", "-n", "nowhere")
    assert result.code == 3
    assert result.err.endswith(
        'Error: workloads.kueue.x-k8s.io "job-old" not found\nHint: there is one in namespace team-a\n'
    )


def test_sources_before_and_after_a_command_add_up(tmp_path: Path) -> None:
    more = tmp_path / "more.yaml"
    more.write_text("apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: third}\nspec: {}\n")
    result = cli("--from", str(TEAMS), "list", "rf", "--from", str(more), "--now", NOW, "--no-headers")
    assert [line.split()[0] for line in result.out.splitlines()] == ["on-demand", "spot", "third"]


def test_switches_take_true_and_false_as_kubectl_writes_them() -> None:
    with_headers = teams("list", "cq", "--no-headers=false")
    without = teams("list", "cq", "--no-headers=true")
    assert [line.split() for line in with_headers.out.splitlines()[1:]] == [
        line.split() for line in without.out.splitlines()
    ]


@pytest.mark.parametrize(
    ("flags", "want"),
    [
        (("-o", "go-template={{.kind}} {{.nope}}"), "List <no value>"),
        (("--template", "{{.kind}} {{.nope}}"), "List <no value>"),
        (("-o=template", "--template={{len .items}}"), "4"),
        (("-o", "jsonpath", "--template", "{.kind}"), "List"),
        (("-o", "go-template={{len .items}}", "--allow-missing-template-keys"), "4"),
        (("-o", "go-template={{.nope}}", "--allow-missing-template-keys=T"), "<no value>"),
        (("--allow-missing-template-keys", "-o", "go-template={{.nope}}"), "<no value>"),
        (("--allow-missing-template-keys=false", "-o", "go-template={{.kind}}"), "List"),
        (("--allow-missing-template-keys=0", "-o", "jsonpath={.kind}{.items[?(@.x)]}"), "List"),
    ],
)
def test_templates_are_filled_in(flags: tuple[str, ...], want: str) -> None:
    line = ("list", "clusterqueue", "--from", "example:four-tenants")
    assert cli(*line, *flags) == Result(0, want, "")
    assert cli(*flags, *line) == Result(0, want, "")


def test_a_template_may_be_in_a_file_and_fill_in_our_own_documents(tmp_path: Path) -> None:
    file = tmp_path / "names.tmpl"
    file.write_text('{{/* one a line */}}{{range .items}}{{if eq .kind "ClusterQueue"}}{{.name}}\n{{end}}{{end}}')
    for words in (("-o", f"go-template-file={file}"), ("-o", "templatefile", "--template", str(file))):
        result = cli("shares", "--from", "example:four-tenants", *words)
        assert (result.code, len(result.out.splitlines())) == (0, 4), result


def test_where_nothing_is_found_no_field_is_missing() -> None:
    words = ("-o", "jsonpath={.items[*].metadata.name}", "--allow-missing-template-keys=false")
    result = cli("list", "workload", "-n", "nowhere", "--from", "example:four-tenants", *words)
    assert (result.code, result.out) == (0, "")


def test_short_flags_take_an_equals_sign() -> None:
    assert teams("list", "cq", "-o=name") == teams("list", "cq", "-o", "name") == teams("list", "cq", "-oname")


def test_after_two_dashes_nothing_is_a_flag() -> None:
    result = cli("list", "cq", "--from", str(TEAMS), "--now", NOW, "--", "-o")
    assert result.err == 'Error: clusterqueues.kueue.x-k8s.io "-o" not found\n'


@pytest.mark.parametrize("words", [(), ("list",), ("snapshot",)])
def test_a_group_alone_prints_its_help(words: tuple[str, ...]) -> None:
    result = cli(*words)
    assert result.code == 0
    assert result.out.startswith(" ".join(("Usage: kueuectl", *words)))


def test_as_a_plugin_usage_and_examples_say_kubectl_kueue() -> None:
    result = cli("list", "cq", "--help", program="kubectl kueue")
    assert result.out.startswith("Usage: kubectl kueue list clusterqueue ")
    assert "    kubectl kueue list clusterqueue --active=false\n" in result.out
    assert "kueuectl" not in result.out
    assert "'kubectl kueue list --help'" in cli("list", "nope", program="kubectl kueue").err


def test_a_terminal_gets_colours_and_a_pipe_does_not() -> None:
    assert "\x1b[1m" in teams("list", "cq", is_tty=True).out
    for result in (
        teams("list", "cq"),
        teams("list", "cq", is_tty=True, variables={"NO_COLOR": "1"}),
        teams("list", "cq", is_tty=True, variables={"TERM": "dumb"}),
        teams("list", "cq", variables={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}),
    ):
        assert "\x1b" not in result.out
    assert "\x1b[1m" in teams("list", "cq", variables={"CLICOLOR_FORCE": "1"}).out


def test_on_a_narrow_terminal_lines_are_long_rather_than_cut() -> None:
    narrow = teams("list", "workload", is_tty=True, columns=40)
    assert narrow.out == teams("list", "workload").out


def test_trees_and_bars_are_ascii_where_the_encoding_needs_it() -> None:
    for line in ("tree", "top", "shares"):
        result = teams(line, encoding="latin-1")
        assert result.out.isascii()
    assert "`- cohort research" in teams("tree", encoding="ascii").out


HOSTILE = "x\x1b[2J\u202e[/]\n:bomb:"


@pytest.mark.parametrize("is_tty", [True, False])
@pytest.mark.parametrize("form", ["table", "wide", "json", "yaml", "name", "custom-columns=N:.metadata.labels.l"])
def test_hostile_text_never_reaches_the_screen_as_it_is(tmp_path: Path, form: str, *, is_tty: bool) -> None:
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "evil", "labels": {"l": HOSTILE}},
        "spec": {"nodeLabels": {"k": HOSTILE}},
    }
    dump = tmp_path / "dump.yaml"
    dump.write_text(yaml.safe_dump(flavor))
    result = cli("list", "rf", "--from", str(dump), "--now", NOW, "-o", form, is_tty=is_tty)
    assert result.code == 0, result.err
    for sequence in ("\x1b[2J", "\u202e", "💣"):
        assert sequence not in result.out
    if form != "name":
        assert "[/]" in result.out


@pytest.mark.parametrize(
    "expression",
    ["jsonpath={.items[0].metadata.labels.l}", "go-template={{range .items}}{{.metadata.labels.l}}{{end}}"],
)
def test_templates_are_exact_in_a_pipe_and_safe_on_a_terminal(tmp_path: Path, expression: str) -> None:
    dump = tmp_path / "dump.yaml"
    dump.write_text(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
        'metadata: {name: evil, labels: {l: "a\\e[2Jb"}}\nspec: {}\n'
    )
    line = ("list", "rf", "--from", str(dump), "--now", NOW, "-o", expression)
    assert cli(*line).out == "a\x1b[2Jb"
    assert cli(*line, is_tty=True).out == "a\\x1b[2Jb"


def test_tokens_are_not_shown() -> None:
    result = cli("--token", "secret-token", "list", "cq", "--server", "http://127.0.0.1:1", "--request-timeout", "1s")
    assert result.code == 5
    assert "secret-token" not in result.err + result.out


def python(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kueuectl", *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "KUBECONFIG": os.devnull},
        **options,  # type: ignore[call-overload]
    )


def test_the_process_exits_with_the_code() -> None:
    assert python("list", "nope").returncode == 2
    done = python("list", "cq", "nope", "--from", str(TEAMS), "--now", NOW)
    assert (done.returncode, done.stdout) == (3, "")


def test_a_closed_pipe_is_no_error() -> None:
    line = f"{sys.executable} -m kueuectl list workload --from {TEAMS} --now {NOW} -o yaml"
    shell = f"{line} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.stdout == "apiVersion: v1\n0\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("closed", "line", "want"),
    [
        ("<&-", "list workload --from -", (1, "", "Error: <stdin>: is empty\n")),
        (">&-", "version --client", (0, "", "")),
        (">&-", "list nope", (2, "", "Error: unknown command 'nope'")),
        ("2>&-", "list nope", (2, "", "")),
    ],
)
def test_streams_that_are_closed_before_the_start_are_empty(closed: str, line: str, want: tuple[int, str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m kueuectl {line} {closed}"], capture_output=True, text=True, check=False
    )
    code, out, err = want
    assert (done.returncode, done.stdout) == (code, out), done.stderr
    assert done.stderr.startswith(err) if err else done.stderr == ""


def test_watching_a_dump_is_refused() -> None:
    assert teams("top", "-w") == Result(2, "", "Error: --watch needs a cluster: a dump doesn't change\n")


def test_shares_say_when_they_decide_nothing() -> None:
    assert teams("shares").err.endswith("\nFair sharing is off: shares don't decide anything here.\n")


def test_commands_are_listed_in_order() -> None:
    for _, entry in contents.walk():
        assert [child.name for child in entry.children] == sorted(child.name for child in entry.children)


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("top cq", "clusterqueue.kueue.x-k8s.io/"),
        ("top flavors", "resourceflavor.kueue.x-k8s.io/"),
        ("top workloads", "workload.kueue.x-k8s.io/"),
        ("tree", "cohort.kueue.x-k8s.io/"),
        ("explain workload/job-old", "workload.kueue.x-k8s.io/job-old\n"),
    ],
)
def test_names_can_be_given_to_kubectl(line: str, want: str) -> None:
    result = teams(*line.split(), "-o", "name")
    assert result.code == 0
    assert result.out.startswith(want)
    assert len(set(result.out.splitlines())) == len(result.out.splitlines())


def test_an_answer_about_no_object_has_no_names() -> None:
    result = teams("snapshot", "show", "-o", "name")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("Error: this answer has no names for -o name\nHint: use -o json or -o yaml\n")


@pytest.mark.parametrize("form", ["table", "wide"])
def test_a_message_cannot_pose_as_lines_of_ours(tmp_path: Path, form: str) -> None:
    message = "no quota\nFORGED: run this\n\tFORGED: FITS"
    documents = [doc for doc in yaml.safe_load_all(TEAMS.read_text("utf-8")) if doc]
    for doc in documents:
        for condition in (doc.get("status") or {}).get("conditions", ()):
            condition["message"] = message
    path = tmp_path / "a\nFORGED: b.yaml"
    path.write_text(yaml.safe_dump_all(documents), "utf-8")
    queue = next(doc["metadata"]["name"] for doc in documents if doc["kind"] == "ClusterQueue")
    for line in (
        "explain workload/job-old",
        f"explain cq/{queue}",
        f"queue {queue}",
        "list wl -A",
        "doctor",
        "list no",
    ):
        result = cli(*line.split(), "-o", form, "--from", str(path), "--now", NOW)
        assert not [row for row in (result.out + result.err).splitlines() if row.lstrip().startswith("FORGED")]
