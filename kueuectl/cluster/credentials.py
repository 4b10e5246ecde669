"""What a kubeconfig's user is known by: a token, certificate or password, or a program that hands them out.

The program speaks the ExecCredential protocol (Kubernetes docs: client-go credential plugins). Nothing here is ever
printed: errors name the program and its exit code, and quote its own words with everything secret-like taken out.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

from kueuectl.cluster.failures import PluginError, clean, without_userinfo
from kueuectl.cluster.kubeconfig import Block, Target, block_of, text_of
from kueuectl.errors import KueuectlError

_PROTOCOLS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_CLUSTER_FIELDS = ("server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url")
_CHECK_TOKEN_FILE = "check tokenFile in the kubeconfig"
_CLUSTER_EXTENSION = "client.authentication.k8s.io/exec"


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """A client certificate and its key: files' paths, or base64 data, which come first. Empty texts are absent."""

    path: str = ""
    data: str = ""
    key_path: str = ""
    key_data: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """What goes with a request; empty texts are absent.

    `is_renewable`: a program handed them out, so a 401 may mean that they ran out and it should be asked again.
    """

    certificate: Certificate = Certificate()
    token: str = ""
    username: str = ""
    password: str = ""
    is_renewable: bool = False

    def secrets(self) -> tuple[str, ...]:
        """All that must not be shown."""
        return tuple(text for text in (self.token, self.password, self.certificate.key_data) if text)


def of_target(target: Target) -> Credentials:
    """The credentials of the target's user; runs its program where it has one.

    Over plain http there are none, as for kubectl. Raises PluginError where the program fails, KueuectlError for a
    file that can't be read and for a way to log in that no longer exists.
    """
    user = target.user
    if target.server.startswith("http://"):
        return Credentials()
    certificate = Certificate(
        path=text_of(user, "client-certificate"),
        data=text_of(user, "client-certificate-data"),
        key_path=text_of(user, "client-key"),
        key_data=text_of(user, "client-key-data"),
    )
    if text_of(user, "tokenFile"):
        return Credentials(certificate, token=_token_from_file(text_of(user, "tokenFile")))
    if text_of(user, "token"):
        return Credentials(certificate, token=_header_safe(text_of(user, "token"), "the token"))
    if text_of(user, "username"):
        return Credentials(certificate, username=text_of(user, "username"), password=text_of(user, "password"))
    if block_of(user, "exec"):
        return _from_program(block_of(user, "exec"), target, certificate)
    if block_of(user, "auth-provider"):
        return Credentials(certificate, token=_from_provider(block_of(user, "auth-provider")))
    return Credentials(certificate)


def _token_from_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not text"
        raise KueuectlError(f"can't read the token file {path}: {why}", hint=_CHECK_TOKEN_FILE) from None
    if not token:
        raise KueuectlError(f"the token file {path} is empty", hint=_CHECK_TOKEN_FILE)
    return _header_safe(token, f"the token in {path}")


def _header_safe(token: str, what: str) -> str:
    """A token that fits into a header. The HTTP library would refuse it too, but quote it."""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise KueuectlError(f"{what} holds characters that no token has", hint="was it cut, or joined from two?")
    return token


def _from_provider(provider: Block) -> str:
    """The id token of the built-in OIDC provider while it lasts. Refreshing would have to rewrite the kubeconfig."""
    name = text_of(provider, "name")
    if name != "oidc":
        raise KueuectlError(
            f"the kubeconfig logs in by the auth provider {clean(name)!r}, which kubectl dropped too",
            hint="use an exec credential plugin of your cloud instead",
        )
    token = text_of(block_of(provider, "config"), "id-token")
    if not token:
        raise KueuectlError("the kubeconfig's oidc provider has no id-token", hint="log in with your OIDC helper first")
    return _header_safe(token, "the id-token")


def _from_program(block: Block, target: Target, certificate: Certificate) -> Credentials:
    version = text_of(block, "apiVersion")
    if version not in _PROTOCOLS:
        raise PluginError(
            f"the credential plugin's apiVersion {clean(version)!r} is not supported",
            hint=f"set it to {_PROTOCOLS[0]} in the kubeconfig, or update the plugin",
        )
    name = text_of(block, "command")
    output = _run(block, target, version)
    try:
        answer = json.loads(output)
    except ValueError:
        raise PluginError(f"the credential plugin {clean(name)} did not answer with JSON") from None
    status = block_of(answer, "status") if isinstance(answer, dict) else {}
    if isinstance(answer, dict) and answer.get("apiVersion") != version:
        raise PluginError(f"the credential plugin {clean(name)} answers in another apiVersion than {version}")
    token = text_of(status, "token")
    pem, key = text_of(status, "clientCertificateData"), text_of(status, "clientKeyData")
    if not token and not (pem and key):
        raise PluginError(f"the credential plugin {clean(name)} answered with neither a token nor a certificate")
    if pem and key:
        certificate = Certificate(data=_base64(pem), key_data=_base64(key))
    token = _header_safe(token, "the plugin's token") if token else ""
    return Credentials(certificate, token=token, is_renewable=True)


def _base64(text: str) -> str:
    return base64.standard_b64encode(text.encode()).decode()


def _run(block: Block, target: Target, version: str) -> str:
    name = text_of(block, "command")
    mode = text_of(block, "interactiveMode") or "IfAvailable"
    interactive = mode != "Never" and sys.stdin is not None and sys.stdin.isatty()
    if mode == "Always" and not interactive:
        raise PluginError(f"the credential plugin {clean(name)} needs a terminal", hint="run kueuectl from a terminal")
    arguments = block.get("args")
    argv = [_program(block, target.folder)]
    argv += [str(one) for one in arguments] if isinstance(arguments, list) else []
    try:
        done = subprocess.run(
            argv,
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # On a terminal the plugin may have to talk to the user; else its words go into our error.
            stderr=None if interactive else subprocess.PIPE,
            env=_environment(block, target, version=version, interactive=interactive),
            check=False,
        )
    except OSError as error:
        problem = f"can't run the credential plugin {clean(name)}: {error.strerror}"
        raise PluginError(problem, hint=_install(block)) from None
    if done.returncode:
        said = clean((done.stderr or b"").decode("utf-8", "replace"), target_secrets(target))
        tail = f": {said}" if said else ""
        raise PluginError(
            f"the credential plugin {clean(name)} failed with exit code {done.returncode}{tail}",
            hint="run it by hand, or log in again with your cloud's tool",
        )
    return done.stdout.decode("utf-8", "replace")


def _install(block: Block) -> str:
    return clean(text_of(block, "installHint")) or "install it, or check exec.command in the kubeconfig"


def _program(block: Block, folder: str) -> str:
    """The program's path: as kubectl has it, from PATH, or from the kubeconfig's folder where it has a slash in it."""
    name = text_of(block, "command")
    if os.path.dirname(name):
        return os.path.join(folder, name)
    found = shutil.which(name) if name else None
    if found is None:
        raise PluginError(f"the credential plugin {clean(name)!r} is not installed", hint=_install(block))
    return found


def _environment(block: Block, target: Target, *, version: str, interactive: bool) -> dict[str, str]:
    environment = dict(os.environ)
    entries = block.get("env")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and text_of(entry, "name"):
            environment[text_of(entry, "name")] = text_of(entry, "value")
    spec: dict[str, object] = {"interactive": interactive}
    if block.get("provideClusterInfo"):
        spec["cluster"] = _cluster_info(target)
    info = {"apiVersion": version, "kind": "ExecCredential", "spec": spec}
    environment["KUBERNETES_EXEC_INFO"] = json.dumps(info)
    return environment


def _cluster_info(target: Target) -> dict[str, object]:
    info = {key: target.cluster[key] for key in _CLUSTER_FIELDS if target.cluster.get(key)}
    info["server"] = target.server
    authority = text_of(target.cluster, "certificate-authority")
    if authority and "certificate-authority-data" not in info:
        try:
            with open(authority, "rb") as file:
                info["certificate-authority-data"] = base64.standard_b64encode(file.read()).decode()
        except OSError as error:
            raise KueuectlError(f"can't read the certificate authority {authority}: {error.strerror}") from None
    extensions = target.cluster.get("extensions")
    for one in extensions if isinstance(extensions, list) else ():
        if isinstance(one, dict) and one.get("name") == _CLUSTER_EXTENSION:
            info["config"] = one.get("extension")
    return info


def target_secrets(target: Target) -> tuple[str, ...]:
    """Secrets that the kubeconfig itself holds: they may come back in the words of a plugin or a proxy."""
    held = [text_of(target.user, key) for key in ("token", "password", "client-key-data")]
    block = block_of(target.user, "exec")
    entries = block.get("env")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            held.append(text_of(entry, "value"))
    proxy = text_of(target.cluster, "proxy-url")
    if proxy != without_userinfo(proxy):
        held.append(proxy.split("//", 1)[-1].rpartition("@")[0].partition(":")[2])
    # Short values (an account name, a flag) are words like any other: hiding them would only garble the message.
    return tuple(text for text in held if len(text) >= 8)
