"""How a user is known to the server, seen from the server's side; and that nothing secret is ever shown."""

from __future__ import annotations

import base64
import json
import logging
import stat
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kueuectl.cluster import read
from kueuectl.cluster.client import Client
from kueuectl.cluster.options import ConnectionOptions
from kueuectl.errors import KueuectlError, UsageError
from tests.cluster.authority import Certificates
from tests.cluster.conftest import TOKEN, write_kubeconfig
from tests.cluster.fake import FakeServer, Fault, running
from tests.cluster.objects import fill

Connect = Callable[..., Client]


@pytest.fixture
def kubeconfig(tmp_path: Path, secure_server: FakeServer, certificates: Certificates) -> Callable[..., str]:
    """Writes a kubeconfig for the secure server with the given user."""

    def write(user: object, **cluster: object) -> str:
        trusted = {"certificate-authority": str(certificates.trusted), **cluster}
        return write_kubeconfig(tmp_path / "kube/config", server=secure_server.url, user=user, cluster=trusted)

    return write


def plugin(folder: Path, body: str, *, name: str = "plugin") -> Path:
    """An executable credential plugin in the folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport json, os, sys\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def exec_block(command: str, **rest: object) -> dict[str, object]:
    """A user that is known by a program."""
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": command, **rest}}


ANSWER = 'print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": %s}))'


def version(one: Client) -> bytes:
    return one.get("/version", what="ask for the version")


def test_token(kubeconfig: Callable[..., str], connect: Connect) -> None:
    assert b"v1.36.3" in version(connect(kubeconfig=kubeconfig({"token": TOKEN})))


def test_token_flag_beats_the_file(kubeconfig: Callable[..., str], connect: Connect) -> None:
    version(connect(kubeconfig=kubeconfig({"token": "an-old-one"}), token=TOKEN))


def test_token_file_is_trimmed_and_beats_the_token(
    kubeconfig: Callable[..., str], connect: Connect, tmp_path: Path
) -> None:
    (tmp_path / "kube").mkdir()
    (tmp_path / "kube/token").write_text(f"{TOKEN}\n")
    version(connect(kubeconfig=kubeconfig({"token": "an-old-one", "tokenFile": "token"})))


def test_password(kubeconfig: Callable[..., str], connect: Connect, secure_server: FakeServer) -> None:
    secure_server.tokens = {"Basic " + base64.b64encode(b"jane:pa55w0rd").decode()}
    version(connect(kubeconfig=kubeconfig({"username": "jane", "password": "pa55w0rd"})))


def test_client_certificate_from_files_and_inline(certificates: Certificates, connect: Connect, tmp_path: Path) -> None:
    inline = {
        f"{key}-data": base64.b64encode(path.read_bytes()).decode()
        for key, path in (("client-certificate", certificates.client), ("client-key", certificates.client_key))
    }
    files = {"client-certificate": str(certificates.client), "client-key": str(certificates.client_key)}
    authority = {"certificate-authority-data": base64.b64encode(certificates.trusted.read_bytes()).decode()}
    with running(fill(FakeServer()), certificate=certificates.serving, client_ca=certificates.trusted) as fake:
        for user in (inline, files):
            path = write_kubeconfig(tmp_path / "config", server=fake.url, user=user, cluster=authority)
            version(connect(kubeconfig=path))
        path = write_kubeconfig(tmp_path / "config", server=fake.url, cluster=authority)
        with pytest.raises(KueuectlError):
            version(connect(kubeconfig=path))


def test_key_files_are_private_and_go_away(
    certificates: Certificates, kubeconfig: Callable[..., str], connect: Connect
) -> None:
    user = {
        "client-certificate-data": base64.b64encode(certificates.client.read_bytes()).decode(),
        "client-key-data": base64.b64encode(certificates.client_key.read_bytes()).decode(),
    }
    one = connect(kubeconfig=kubeconfig(user))
    folder = Path(one._transport._folder.name)
    assert {path.name: oct(path.stat().st_mode)[-3:] for path in folder.iterdir()} == {
        "client-certificate.pem": "600",
        "client-key.pem": "600",
    }
    one.close()
    assert not folder.exists()


def test_plugin_beside_the_kubeconfig_gets_what_it_needs(
    kubeconfig: Callable[..., str], connect: Connect, tmp_path: Path, secure_server: FakeServer
) -> None:
    plugin(
        tmp_path / "kube/bin",
        "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n"
        "open(os.environ['OUT'], 'w').write(json.dumps([sys.argv[1:], info]))\n" + ANSWER % f'{{"token": "{TOKEN}"}}',
    )
    out = tmp_path / "out"
    user = exec_block(
        "bin/plugin", args=["--region", "eu"], env=[{"name": "OUT", "value": str(out)}], provideClusterInfo=True
    )
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "kube"}}
    version(connect(kubeconfig=kubeconfig(user, extensions=[extension])))
    argv, info = json.loads(out.read_text())
    assert argv == ["--region", "eu"]
    assert info["kind"] == "ExecCredential"
    assert info["spec"]["interactive"] is False
    assert info["spec"]["cluster"]["server"] == secure_server.url
    assert info["spec"]["cluster"]["config"] == {"audience": "kube"}
    assert base64.b64decode(info["spec"]["cluster"]["certificate-authority-data"]).startswith(b"-----BEGIN")


def test_plugin_is_asked_again_once_when_its_token_ran_out(
    kubeconfig: Callable[..., str], connect: Connect, tmp_path: Path, secure_server: FakeServer
) -> None:
    counter = tmp_path / "counter"
    body = (
        f"n = os.path.getsize({str(counter)!r})\n"
        f"open({str(counter)!r}, 'a').write('x')\n" + ANSWER % "{'token': 'token-number-%d' % n}"
    )
    counter.write_text("")
    secure_server.tokens = {"token-number-0"}
    one = connect(kubeconfig=kubeconfig(exec_block(str(plugin(tmp_path, body)))))
    version(one)
    secure_server.tokens = {"token-number-1"}
    read.read_state(one)
    assert counter.read_text() == "xx"
    secure_server.tokens = set()
    with pytest.raises(KueuectlError, match="does not accept"):
        version(one)
    assert counter.read_text() == "xxx"


def test_plugin_that_gives_a_certificate(certificates: Certificates, connect: Connect, tmp_path: Path) -> None:
    status = {
        "clientCertificateData": certificates.client.read_text(),
        "clientKeyData": certificates.client_key.read_text(),
    }
    program = plugin(tmp_path, ANSWER % repr(status))
    authority = {"certificate-authority": str(certificates.trusted)}
    with running(fill(FakeServer()), certificate=certificates.serving, client_ca=certificates.trusted) as fake:
        user = exec_block(str(program))
        version(connect(kubeconfig=write_kubeconfig(tmp_path / "c", server=fake.url, user=user, cluster=authority)))


@dataclass(frozen=True)
class Failing:
    """A user block whose credentials can't be had; {plugin} is a program with that body."""

    id: str
    user: dict[str, object]
    want: tuple[str, ...]
    body: str = ""


FAILING = (
    Failing(
        "the plugin exits with an error",
        exec_block("{plugin}"),
        ("plugin failed with exit code 3: no session [31m for jane", "log in again"),
        "sys.stderr.write('no session\\x1b[31m for jane\\n'); sys.exit(3)",
    ),
    Failing(
        "the plugin says its secrets when it fails",
        exec_block("{plugin}", env=[{"name": "CLIENT_SECRET", "value": TOKEN}]),
        ("exit code 1: secret is [hidden], header Bearer [hidden]",),
        f"sys.exit('secret is ' + os.environ['CLIENT_SECRET'] + ', header Bearer {TOKEN}')",
    ),
    Failing("the plugin prints no JSON", exec_block("{plugin}"), ("did not answer with JSON",), f"print('{TOKEN}')"),
    Failing(
        "the plugin answers in another version",
        exec_block("{plugin}"),
        ("answers in another apiVersion",),
        f"print(json.dumps({{'apiVersion': 'v9', 'status': {{'token': '{TOKEN}'}}}}))",
    ),
    Failing("the plugin gives nothing", exec_block("{plugin}"), ("neither a token nor a certificate",), ANSWER % "{}"),
    Failing(
        "the plugin is not installed",
        exec_block("no-such-plugin", installHint="get it at\nthe usual place"),
        ("'no-such-plugin' is not installed", "get it at the usual place"),
    ),
    Failing("the plugin's path is wrong", exec_block("./gone"), ("can't run", "No such file or directory")),
    Failing(
        "the plugin needs a terminal",
        exec_block("{plugin}", interactiveMode="Always"),
        ("needs a terminal",),
        ANSWER % f'{{"token": "{TOKEN}"}}',
    ),
    Failing(
        "an old protocol",
        {"exec": {"apiVersion": "client.authentication.k8s.io/v1alpha1", "command": "x"}},
        ("v1alpha1' is not supported",),
    ),
    Failing(
        "an auth provider that is gone",
        {"auth-provider": {"name": "gcp", "config": {"access-token": TOKEN}}},
        ("auth provider 'gcp'", "exec credential plugin"),
    ),
    Failing("a token file that is gone", {"tokenFile": "gone"}, ("can't read the token file", "No such file")),
    Failing("a token of two lines", {"token": f"{TOKEN}\nx"}, ("holds characters that no token has",)),
    Failing(
        "data that is no base64",
        {"token": TOKEN, "client-certificate-data": "%%%", "client-key-data": "%%%"},
        ("client-certificate-data in the kubeconfig is not base64",),
    ),
    Failing(
        "a certificate file that is gone",
        {"client-certificate": "gone.pem", "client-key": "gone.pem"},
        ("there is no file", "check client-certificate"),
    ),
    Failing(
        "a certificate without its key",
        {"token": TOKEN, "client-certificate": "{plugin}"},
        ("no TLS connection to https://127.0.0.1", "client certificate and key"),
    ),
)


@pytest.mark.parametrize("case", FAILING, ids=lambda case: case.id)
def test_credentials_that_cannot_be_had(
    case: Failing, kubeconfig: Callable[..., str], connect: Connect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    program = str(plugin(tmp_path, case.body))
    user = json.loads(json.dumps(case.user).replace("{plugin}", program))
    with caplog.at_level(logging.DEBUG), pytest.raises(KueuectlError) as raised:
        version(connect(kubeconfig=kubeconfig(user)))
    shown = f"{raised.value} {raised.value.hint}"
    for text in case.want:
        assert text in shown
    assert shown.isprintable()
    assert_hidden(raised.value, caplog)


def assert_hidden(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    """No secret of these tests is in an error, in what it was raised from, or in a log."""
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error)) + caplog.text
    assert TOKEN not in shown
    assert TOKEN[: len(TOKEN) // 2] not in shown


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault("", 401, body=f"go away, Bearer {TOKEN}".encode()), id="a proxy that echoes the header"),
        pytest.param(Fault("", 400, body=f'{{"message": "bad token {TOKEN}"}}'.encode()), id="a Status that quotes it"),
        pytest.param(Fault("", 500, body=b"x" * 110 + TOKEN.encode()), id="where the body is cut"),
        pytest.param(Fault("", body=f'"{TOKEN}"'.encode()), id="a page of nothing but the token"),
        pytest.param(Fault("", hang_up=True), id="a connection that breaks"),
        pytest.param(Fault("", gzip_garbage=True), id="a body that does not decompress"),
        pytest.param(Fault("", 302, {"Location": f"http://evil.example/?{TOKEN}"}), id="a redirect that holds it"),
        pytest.param(Fault("", wait=1), id="a timeout"),
    ],
)
def test_token_is_in_no_error_and_no_log(
    fault: Fault,
    kubeconfig: Callable[..., str],
    connect: Connect,
    secure_server: FakeServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    secure_server.faults = [fault]
    one = connect(kubeconfig=kubeconfig({"token": TOKEN}), request_timeout="0.5s")
    with caplog.at_level(logging.DEBUG), pytest.raises(KueuectlError) as raised:
        read.read_state(one)
    assert_hidden(raised.value, caplog)
    assert TOKEN not in repr(vars(one))


def test_token_is_in_no_repr() -> None:
    assert TOKEN not in repr(ConnectionOptions(token=TOKEN))


def test_plain_http_gets_no_credentials(server: FakeServer, connect: Connect, tmp_path: Path) -> None:
    version(connect(kubeconfig=write_kubeconfig(tmp_path / "c", server=server.url, user={"token": TOKEN})))
    assert "Authorization" not in server.seen[0].headers


def test_impersonation(server: FakeServer, connect: Connect) -> None:
    version(connect(server=server.url, as_user="jane", as_groups=("ml", "ops"), as_uid="7"))
    assert server.seen[0].headers["Impersonate-User"] == "jane"
    assert server.seen[0].headers["Impersonate-Uid"] == "7"
    assert server.seen[0].groups == ("ml", "ops")


def test_what_else_is_known_of_an_impersonated_user(server: FakeServer, connect: Connect) -> None:
    version(connect(server=server.url, as_user="jane", as_user_extra=("example.com/team=ml", "b=1", "b=2")))
    assert server.seen[0].headers["Impersonate-Extra-example.com%2Fteam"] == "ml"
    with pytest.raises(UsageError, match="is not KEY=VALUE"):
        connect(server=server.url, as_user="jane", as_user_extra=("alone",))


def test_compression_can_be_declined(server: FakeServer, connect: Connect) -> None:
    version(connect(server=server.url, disable_compression=True))
    assert server.seen[0].headers["Accept-Encoding"] == "identity"


def test_impersonated_name_that_breaks_the_header(server: FakeServer, connect: Connect) -> None:
    with pytest.raises(KueuectlError, match="can't be sent in a header"):
        connect(server=server.url, as_user="jane\r\nX-Evil: 1")


@dataclass(frozen=True)
class Proxied:
    """Variables and a proxy-url, and whether requests for http://cluster.example then go to the fake as a proxy."""

    id: str
    variables: dict[str, str]
    proxy_url: str = ""
    want: bool = True


PROXIED = (
    Proxied("proxy-url", {}, "{url}"),
    Proxied("proxy-url beats NO_PROXY", {"NO_PROXY": "cluster.example"}, "{url}"),
    Proxied("a variable", {"HTTP_PROXY": "{url}"}),
    Proxied("a lower-case variable without a scheme", {"http_proxy": "{address}"}),
    Proxied("NO_PROXY with a suffix", {"HTTP_PROXY": "{url}", "NO_PROXY": "other, .example"}, want=False),
    Proxied("the variable of the other scheme", {"HTTPS_PROXY": "{url}"}, want=False),
)


@pytest.mark.parametrize("case", PROXIED, ids=lambda case: case.id)
def test_proxy(
    case: Proxied, server: FakeServer, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = {"url": server.url, "address": server.url.removeprefix("http://")}
    for name, value in case.variables.items():
        monkeypatch.setenv(name, value.format(**facts))
    cluster = {"proxy-url": case.proxy_url.format(**facts)} if case.proxy_url else {}
    path = write_kubeconfig(tmp_path / "c", server="http://cluster.example:9", cluster=cluster)
    one = connect(kubeconfig=path, request_timeout="1s")
    assert (one._transport._pool.proxy is not None) is case.want


def test_proxy_that_is_down_and_its_password(
    connect: Connect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = {"proxy-url": f"http://jane:{TOKEN}@127.0.0.1:9"}
    path = write_kubeconfig(tmp_path / "c", server="https://cluster.example", cluster=cluster)
    with caplog.at_level(logging.DEBUG), pytest.raises(KueuectlError, match="through the proxy") as raised:
        version(connect(kubeconfig=path))
    assert "HTTPS_PROXY" in raised.value.hint
    assert_hidden(raised.value, caplog)


def test_proxy_is_not_used_for_this_machine(
    server: FakeServer, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert b"v1.36.3" in version(connect(server=server.url))
