"""One request over the wire. The only module that touches urllib3, which is imported on first use.

Foreign errors end here: a request gives an answer of any status, or raises LostError (it may help to send it again) or
another KueuectlError (it won't). A redirect is an answer like any other: following it could carry credentials to
another host.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import ssl
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from kueuectl import __version__
from kueuectl.cluster import credentials
from kueuectl.cluster.credentials import Credentials
from kueuectl.cluster.failures import clean, without_userinfo
from kueuectl.cluster.kubeconfig import Target, block_of, text_of
from kueuectl.errors import KueuectlError, UnreachableError, UsageError

if TYPE_CHECKING:
    import urllib3

# The API server gives up on an ordinary request after 60 s by itself: longer silence is a connection that is broken.
_SILENCE = 75.0
_CONNECT = 15.0
# Of the decompressed body. A page of 500 large workloads has some 20 MB: what is beyond this is no list of Kubernetes.
_LARGEST_BODY = 1 << 30
_LONGEST = 1e8
_CHUNK = 1 << 18
_CONNECTIONS = 8


class LostError(UnreachableError):
    """The connection broke before a whole answer came."""


class SlowError(UnreachableError):
    """No whole answer came in time."""


class DamagedError(UnreachableError):
    """An answer came, and nothing can be made of it."""


class RefusedError(LostError):
    """No connection came about: nothing listens, or the name is unknown."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """Seconds to connect, of silence, and for the whole request (None: no limit)."""

    connect: float = _CONNECT
    silence: float | None = _SILENCE
    whole: float | None = None

    @classmethod
    def of_flag(cls, seconds: float | None) -> Timeout:
        """Of --request-timeout: None was not given, 0 is no limit."""
        if seconds is None:
            return cls()
        # Years are as good as no limit, and more than a socket takes.
        seconds = min(seconds, _LONGEST)
        return cls(seconds, seconds, seconds) if seconds else cls(silence=None)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked. The path has its query in it; `what` says it in words, for errors ("list workloads").

    `is_repeatable`: a request of a writing method that changes nothing (dryRun), so that it may be sent again.
    """

    method: str
    path: str
    what: str
    body: bytes | None = field(default=None, repr=False)
    content_type: str = "application/json"
    accept: str = "application/json"
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What came back: any status, the whole body, decompressed, and the two headers that matter."""

    status: int
    body: bytes = field(repr=False)
    date: str | None = None
    retry_after: str | None = None


class Transport:
    """A pool of connections to one API server as one user, kept open between requests. Threads may share it."""

    def __init__(self, target: Target, timeout: Timeout) -> None:
        self.server = without_userinfo(target.server)
        self._timeout = timeout
        self._folder = tempfile.TemporaryDirectory(prefix="kueuectl-")
        try:
            held = credentials.of_target(target)
            self.is_renewable = held.is_renewable
            self.secrets = (*held.secrets(), *credentials.target_secrets(target))
            self._pool, self._headers = _open(target, held, Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise

    def close(self) -> None:
        """Close the connections and delete the key files that were written for them."""
        self._pool.clear()
        self._folder.cleanup()

    def send(self, request: Request) -> RawAnswer:
        """Try a request once."""
        import urllib3

        whole = self._timeout.whole
        deadline = None if whole is None else time.monotonic() + whole
        try:
            response = self._pool.request(
                request.method,
                self.server + request.path,
                body=request.body,
                headers=self._headers_of(request),
                redirect=False,
                retries=False,
                preload_content=False,
                timeout=urllib3.Timeout(connect=self._timeout.connect, read=self._timeout.silence),
            )
            try:
                body = self._read(response, deadline)
            except BaseException:
                response.close()
                raise
            response.release_conn()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            # `from None`: the foreign error holds the request.
            raise self._translated(error, request) from None
        return RawAnswer(response.status, body, response.headers.get("Date"), response.headers.get("Retry-After"))

    def _headers_of(self, request: Request) -> urllib3.HTTPHeaderDict:
        headers = self._headers.copy()
        headers["Accept"] = request.accept
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        return headers

    def _read(self, response: urllib3.BaseHTTPResponse, deadline: float | None) -> bytes:
        """The whole body. Read as it comes, since a timeout of the socket alone lets a trickle go on for ever."""
        read = getattr(response, "read1", response.read)
        chunks: list[bytes] = []
        size = 0
        while chunk := read(_CHUNK):
            size += len(chunk)
            if size > _LARGEST_BODY:
                raise DamagedError(f"{self.server} sent more than {_LARGEST_BODY >> 20} MiB in one answer")
            if deadline is not None and time.monotonic() > deadline:
                raise self._too_slow()
            chunks.append(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _too_slow(self) -> KueuectlError:
        seconds = self._timeout.whole or self._timeout.silence
        return SlowError(
            f"{self.server} did not answer within {seconds:g} s", hint="raise --request-timeout (0 is no limit)"
        )

    def _translated(self, error: Exception, request: Request) -> KueuectlError:
        """One of our errors for one of the HTTP library's."""
        from urllib3 import exceptions as foreign

        server = self.server
        if isinstance(error, (foreign.SSLError, ssl.SSLError)):
            return _tls_error(error, server)
        if isinstance(error, foreign.ProxyError):
            why = self._clean(_reason(error.original_error))
            return UnreachableError(
                f"can't reach {server} through the proxy: {why}",
                hint="check HTTPS_PROXY, NO_PROXY and proxy-url in the kubeconfig",
            )
        if isinstance(error, foreign.NewConnectionError):
            hint = "check the address, the VPN, and that the cluster runs: kubectl cluster-info"
            return RefusedError(f"can't reach {server}: {self._clean(_reason(error))}", hint=hint)
        if isinstance(error, foreign.ConnectTimeoutError):
            return UnreachableError(
                f"no connection to {server} within {self._timeout.connect:g} s",
                hint="check the address, the VPN and the firewall, or raise --request-timeout",
            )
        if isinstance(error, (foreign.ReadTimeoutError, TimeoutError)):
            return self._too_slow()
        if isinstance(error, foreign.DecodeError):
            return DamagedError(f"{server} sent a damaged answer: it does not decompress", hint="try again")
        if isinstance(error, foreign.LocationValueError):
            return KueuectlError(f"{clean(server)!r} is not an address", hint="check --server or the kubeconfig")
        return LostError(f"the connection to {server} broke while it was asked to {request.what}", hint="try again")

    def _clean(self, text: str) -> str:
        return clean(text, self.secrets, limit=160)


def _reason(error: BaseException) -> str:
    """The system's word for a failed connection, without the library's objects around it."""
    found = error.__cause__ or error
    return getattr(found, "strerror", None) or str(found)


def _tls_error(error: Exception, server: str) -> KueuectlError:
    cause = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UnreachableError(
            f"the certificate of {server} is not trusted: {clean(cause.verify_message)}",
            hint="name the cluster's authority with --certificate-authority or in the kubeconfig",
        )
    if isinstance(cause, ssl.SSLError) and cause.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        return UnreachableError(f"{server} does not speak TLS", hint="is it http:// instead of https://?")
    if isinstance(cause, ssl.SSLEOFError):
        return LostError(f"the connection to {server} broke during the TLS handshake", hint="try again")
    # Wrong PEM files end here too, with a reason such as NO_CERTIFICATE_OR_CRL_FOUND or KEY_VALUES_MISMATCH.
    reason = getattr(cause, "reason", None) or getattr(cause, "strerror", None) or type(cause).__name__
    return UnreachableError(
        f"no TLS connection to {server}: {clean(str(reason)).replace('_', ' ').lower()}",
        hint="check the certificates that the kubeconfig names: authority, client certificate and key",
    )


def _open(target: Target, held: Credentials, folder: Path) -> tuple[urllib3.PoolManager, urllib3.HTTPHeaderDict]:
    """The pool and the headers of every request."""
    import urllib3

    proxy, exceptions = _proxy(target)
    try:
        options = _tls_options(target, held, folder) | {"maxsize": _CONNECTIONS}
        if not proxy or is_bypassed(target.server, exceptions):
            pool = urllib3.PoolManager(**options)
        else:
            pool = _through(proxy, options)
    except ImportError:
        raise KueuectlError("a SOCKS proxy needs the package PySocks", hint="pip install PySocks") from None
    except (AssertionError, ValueError, urllib3.exceptions.HTTPError):
        raise KueuectlError(f"the proxy {clean(without_userinfo(proxy))!r} is not a proxy's address") from None
    return pool, _headers(target, held)


def _tls_options(target: Target, held: Credentials, folder: Path) -> dict[str, Any]:
    """How the server is checked and who the client is; inline PEM data goes into files of the private folder."""
    import urllib3

    options: dict[str, Any] = {"cert_reqs": ssl.CERT_REQUIRED}
    if target.cluster.get("insecure-skip-tls-verify"):
        options["cert_reqs"] = ssl.CERT_NONE
        # The user asked for it; the library would say so again with every request.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    files = {
        "client-certificate": held.certificate.path,
        "client-certificate-data": held.certificate.data,
        "client-key": held.certificate.key_path,
        "client-key-data": held.certificate.key_data,
    }
    found = {
        "ca_certs": _pem(target.cluster, "certificate-authority", folder),
        "cert_file": _pem(files, "client-certificate", folder),
        "key_file": _pem(files, "client-key", folder),
        "server_hostname": text_of(target.cluster, "tls-server-name"),
    }
    return options | {name: value for name, value in found.items() if value}


def _through(proxy: str, options: dict[str, Any]) -> urllib3.PoolManager:
    """A pool whose connections go through a proxy."""
    import urllib3

    user, _, password = unquote(urlsplit(proxy).netloc.rpartition("@")[0]).partition(":")
    if urlsplit(proxy).scheme.startswith("socks"):
        from urllib3.contrib.socks import SOCKSProxyManager

        return SOCKSProxyManager(without_userinfo(proxy), username=user or None, password=password or None, **options)
    headers = urllib3.make_headers(proxy_basic_auth=f"{user}:{password}") if user else None
    return urllib3.ProxyManager(without_userinfo(proxy), proxy_headers=headers, **options)


def is_bypassed(server: str, exceptions: str) -> bool:
    """Whether NO_PROXY names the server: a host, a domain with all below it, an address or a range, or `*`."""
    parts = urlsplit(server)
    host = parts.hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        address = None
    for rule in (entry.strip().lower() for entry in exceptions.split(",")):
        name, _, port = rule.rpartition(":") if rule.count(":") == 1 else (rule, "", "")
        if port and port != str(parts.port or ""):
            continue
        if name == "*" or (name and (host == name.lstrip("*.") or host.endswith("." + name.lstrip("*.")))):
            return True
        with contextlib.suppress(ValueError):
            if address is not None and address in ip_network(name, strict=False):
                return True
    return False


def _pem(block: Mapping[str, object], key: str, folder: Path) -> str:
    """The path of a PEM file; inline data, which comes first, is written into the private folder. "" for neither."""
    data = text_of(block, f"{key}-data")
    if not data:
        path = text_of(block, key)
        if path and not os.path.isfile(path):
            raise KueuectlError(f"there is no file {path}", hint=f"check {key} in the kubeconfig")
        return path
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise KueuectlError(f"{key}-data in the kubeconfig is not base64") from None
    file = folder / f"{key}.pem"
    file.touch(mode=0o600)
    file.write_bytes(content)
    return str(file)


def _proxy(target: Target) -> tuple[str, str]:
    """The proxy's URL ("" for none) and the hosts without it. proxy-url beats the environment, exceptions and all.

    A proxy from the environment is never used for this machine itself, as in Go.
    """
    explicit = text_of(target.cluster, "proxy-url")
    if explicit:
        return explicit, ""
    parts = urlsplit(target.server)
    if _is_loopback(parts.hostname or ""):
        return "", ""
    names = (f"{parts.scheme.upper()}_PROXY", f"{parts.scheme}_proxy")
    found = next((os.environ[name] for name in names if os.environ.get(name)), "")
    if found and "://" not in found:
        found = f"http://{found}"
    return found, os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _headers(target: Target, held: Credentials) -> urllib3.HTTPHeaderDict:
    import urllib3

    encoding = "identity" if target.cluster.get("disable-compression") else "gzip"
    headers = urllib3.HTTPHeaderDict({"User-Agent": f"kueuectl/{__version__}", "Accept-Encoding": encoding})
    if held.token:
        headers["Authorization"] = f"Bearer {held.token}"
    elif held.username:
        headers.update(urllib3.make_headers(basic_auth=f"{held.username}:{held.password}"))
    for name, value in _impersonation(target):
        if not value.isascii() or not value.isprintable():
            raise UsageError(f"{name}: {clean(value)!r} can't be sent in a header", hint="check --as and --as-group")
        headers.add(name, value)
    return headers


def _impersonation(target: Target) -> list[tuple[str, str]]:
    user = target.user
    found = [("Impersonate-User", text_of(user, "as")), ("Impersonate-Uid", text_of(user, "as-uid"))]
    groups = user.get("as-groups")
    found += [("Impersonate-Group", str(group)) for group in groups] if isinstance(groups, list) else []
    for key, values in block_of(user, "as-user-extra").items():
        name = f"Impersonate-Extra-{quote(key, safe='')}"
        found += [(name, str(value)) for value in values] if isinstance(values, list) else []
    return [(name, value) for name, value in found if value]
