"""Which cluster, as whom: kubeconfig files and flags, as kubectl takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from kueuectl.cluster import kubeconfig, options, transport
from kueuectl.cluster.kubeconfig import contexts, current_namespace, resolve
from kueuectl.cluster.options import ConnectionOptions
from kueuectl.errors import KueuectlError, UnreachableError, UsageError


def config(*names: str, current: str = "", **cluster: object) -> dict[str, object]:
    """A kubeconfig that has a cluster, a user and a context of each name."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": current,
        "clusters": [{"name": name, "cluster": {"server": f"https://{name}.example", **cluster}} for name in names],
        "users": [{"name": name, "user": {"token": f"token-{name}"}} for name in names],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": name, "namespace": f"ns-{name}"}} for name in names
        ],
    }


@dataclass(frozen=True)
class Case:
    """Files by name, the variable KUBECONFIG (names joined), flags; what comes out."""

    id: str
    files: Mapping[str, object]
    listed: tuple[str, ...] = ("a",)
    flags: Mapping[str, object] = field(default_factory=dict)
    want: Mapping[str, object] = field(default_factory=dict)


CASES = (
    Case("current context", {"a": config("x", "y", current="y")}, want={"context": "y", "server": "https://y.example"}),
    Case(
        "context flag",
        {"a": config("x", "y", current="y")},
        flags={"context": "x"},
        want={"server": "https://x.example"},
    ),
    Case(
        "the first file's current context wins",
        {"a": config("x", current="x"), "b": config("y", current="y")},
        listed=("a", "b"),
        want={"context": "x"},
    ),
    Case(
        "a context of the second file",
        {"a": config("x", current="x"), "b": config("y", current="y")},
        listed=("a", "b"),
        flags={"context": "y"},
        want={"server": "https://y.example", "namespace": "ns-y"},
    ),
    Case(
        "the first file to name a cluster wins",
        {
            "a": {"clusters": [{"name": "x", "cluster": {"server": "https://mine.example"}}]},
            "b": config("x", current="x"),
        },
        listed=("a", "b"),
        want={"server": "https://mine.example", "context": "x"},
    ),
    Case(
        "absent and empty files of the list are passed over",
        {"a": config("x", current="x"), "empty": None},
        listed=("gone", "", "empty", "a"),
        want={"context": "x"},
    ),
    Case(
        "the flag for a file beats the variable",
        {"a": config("x", current="x"), "b": config("y", current="y")},
        flags={"kubeconfig": "b"},
        want={"context": "y"},
    ),
    Case(
        "cluster and user flags",
        {"a": config("x", "y", current="x")},
        flags={"cluster": "y", "user": "y"},
        want={"server": "https://y.example", "user.token": "token-y", "namespace": "ns-x"},
    ),
    Case(
        "server and token flags",
        {"a": config("x", current="x")},
        flags={"server": "https://other.example:6443/", "token": "mine"},
        want={"server": "https://other.example:6443", "user.token": "mine"},
    ),
    Case(
        "a token flag replaces a program",
        {"a": config("x", current="x") | {"users": [{"name": "x", "user": {"exec": {"command": "never"}}}]}},
        flags={"token": "mine"},
        want={"user.token": "mine", "user.exec": None},
    ),
    Case(
        "an authority flag replaces inline data",
        {"a": config("x", current="x", **{"certificate-authority-data": "AAAA"})},
        flags={"certificate_authority": "/ca.pem"},
        want={"cluster.certificate-authority": "/ca.pem", "cluster.certificate-authority-data": None},
    ),
    Case(
        "paths are relative to their file",
        {"sub/a": config("x", current="x", **{"certificate-authority": "ca.pem"})},
        listed=("sub/a",),
        want={"cluster.certificate-authority": "{folder}/sub/ca.pem"},
    ),
    Case(
        "a server alone needs no file",
        {},
        listed=(),
        flags={"server": "127.0.0.1:8001"},
        want={"server": "http://127.0.0.1:8001", "namespace": "default"},
    ),
    Case(
        "without a scheme TLS flags mean https",
        {},
        listed=(),
        flags={"server": "127.0.0.1:6443", "insecure_skip_tls_verify": True},
        want={"server": "https://127.0.0.1:6443"},
    ),
    Case(
        "impersonation from flags",
        {"a": config("x", current="x") | {"users": [{"name": "x", "user": {"as": "old", "as-groups": ["old"]}}]}},
        flags={"as_user": "jane", "as_groups": ("ml",), "as_uid": "7"},
        want={"user.as": "jane", "user.as-groups": ["ml"], "user.as-uid": "7"},
    ),
    Case(
        "a context without a namespace",
        {"a": config("x", current="x") | {"contexts": [{"name": "x", "context": {"cluster": "x"}}]}},
        want={"namespace": "default", "user": {}},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_target(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in case.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("" if content is None else yaml.safe_dump(content))
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(str(tmp_path / name) if name else "" for name in case.listed))
    monkeypatch.chdir(tmp_path)
    target = resolve(ConnectionOptions(**case.flags))  # type: ignore[arg-type]
    for path, value in case.want.items():
        part, _, key = path.partition(".")
        found = getattr(target, part)
        want = value.format(folder=tmp_path) if isinstance(value, str) else value
        assert (found.get(key) if key else found) == want, path


@dataclass(frozen=True)
class Wrong:
    """A file's text and flags that lead nowhere: the class, and what message and hint hold."""

    id: str
    text: str | None
    flags: Mapping[str, object]
    want: tuple[str, ...]
    want_class: type[KueuectlError] = KueuectlError


_TWO = yaml.safe_dump(config("dev", "prod", current="dev"))
WRONG = (
    Wrong("an unknown context", _TWO, {"context": "pord"}, ("no context 'pord'", "contexts there: dev, prod")),
    Wrong("no current context", yaml.safe_dump(config("dev")), {}, ("no current context", "--context", "dev")),
    Wrong("an unknown cluster", _TWO, {"cluster": "c"}, ("'dev' names the cluster 'c'", "clusters there: dev, prod")),
    Wrong("an unknown user", _TWO, {"user": "u"}, ("names the user 'u', which the kubeconfig lacks",)),
    Wrong("not YAML", "a: [\nsecret-token", {}, ("is not YAML, line", "kubectl config view")),
    Wrong("not UTF-8", "\x00\x01", {}, ("is not YAML",)),
    Wrong("a list", "- 1", {}, ("is not a mapping",)),
    Wrong("clusters that are no list", "clusters: {a: b}\n", {}, ("clusters is not a list",)),
    Wrong("a user without a name", "users: [{user: {token: secret-token}}]", {}, ("users[0] needs a name and a user",)),
    Wrong("a cluster without a server", _TWO.replace("server:", "sever:"), {}, ("no server is configured",)),
    Wrong("a server that is no URL", _TWO, {"server": "ftp://x"}, ("neither http nor https",)),
    Wrong("a file that isn't there", None, {"kubeconfig": "gone"}, ("there is no kubeconfig", "check --kubeconfig")),
    Wrong("nothing at all", None, {}, ("there is no kubeconfig", "--from example:NAME"), UnreachableError),
    Wrong(
        "a group without a user",
        _TWO,
        {"as_groups": ("g",)},
        ("--as-group, --as-uid and --as-user-extra need --as",),
        UsageError,
    ),
)


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.id)
def test_wrong_target(case: Wrong, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config"
    if case.text is not None:
        path.write_text(case.text)
        monkeypatch.setenv("KUBECONFIG", str(path))
    with pytest.raises(KueuectlError) as raised:
        resolve(ConnectionOptions(**case.flags))  # type: ignore[arg-type]
    shown = f"{raised.value} {raised.value.hint}"
    for text in case.want:
        assert text in shown
    assert isinstance(raised.value, case.want_class)
    assert raised.value.exit_code == case.want_class.exit_code
    assert "secret-token" not in shown


def test_home_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube/config").write_text(yaml.safe_dump(config("x", "y", current="x")))
    assert resolve(ConnectionOptions()).context == "x"
    assert contexts(ConnectionOptions()) == ("x", "y")
    assert current_namespace(ConnectionOptions(context="y")) == "ns-y"


def test_pod_without_a_kubeconfig_uses_its_service_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (("token", "abc"), ("namespace", "team-a"), ("ca.crt", "-")):
        (tmp_path / name).write_text(content)
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    target = resolve(ConnectionOptions(as_user="jane"))
    assert (target.server, target.namespace) == ("https://[fd00::1]:443", "team-a")
    assert target.user == {
        "tokenFile": str(tmp_path / "token"),
        "as": "jane",
        "as-groups": [],
        "as-uid": "",
        "as-user-extra": {},
    }
    assert target.source == "the pod's service account"


def test_namespace_without_any_configuration() -> None:
    assert current_namespace(ConnectionOptions()) == "default"


@pytest.mark.parametrize(
    ("text", "want"),
    [("0", 0), ("30", 30), ("5s", 5), ("1m", 60), ("1h2m3.5s", 3723.5), ("250ms", 0.25), ("1.5h", 5400), (".5s", 0.5)],
)
def test_duration(text: str, want: float) -> None:
    assert options.parse_duration(text, flag="--request-timeout") == want


@pytest.mark.parametrize("text", ["", "s", "-5", "5 s", "1d", "5sx", "٣", "1e3", "nan", "1" + "0" * 400 + "s"])
def test_wrong_duration(text: str) -> None:
    with pytest.raises(UsageError, match=r"--request-timeout: .* is not a duration"):
        options.parse_duration(text, flag="--request-timeout")


@pytest.mark.parametrize(
    ("server", "exceptions", "want"),
    [
        ("https://api.team.example:6443", "", False),
        ("https://api.team.example:6443", "other.example", False),
        ("https://api.team.example:6443", "team.example", True),
        ("https://api.team.example:6443", ".team.example, x", True),
        ("https://api.team.example:6443", "*.team.example", True),
        ("https://api.team.example:6443", "eam.example", False),
        ("https://api.team.example:6443", "api.team.example:6443", True),
        ("https://api.team.example:6443", "api.team.example:443", False),
        ("https://api.team.example:6443", "*", True),
        ("https://10.1.2.3:6443", "10.0.0.0/8", True),
        ("https://10.1.2.3:6443", "10.1.2.3", True),
        ("https://10.1.2.3:6443", "192.168.0.0/16,10.2.0.0/16", False),
        ("https://[fd00::1]:6443", "fd00::/8", True),
    ],
)
def test_what_no_proxy_names_is_reached_directly(server: str, exceptions: str, want: bool) -> None:
    assert transport.is_bypassed(server, exceptions) is want
