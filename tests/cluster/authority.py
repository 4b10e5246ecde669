"""Certificates for tests: made when a session begins, good for a day."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_HOUR = datetime.timedelta(hours=1)


@dataclass(frozen=True)
class Certificates:
    """PEM files; `serving` and `client` hold their key too, `client_key` is the client's alone."""

    trusted: Path
    stranger: Path
    serving: Path
    client: Path
    client_key: Path


class Authority:
    """A certificate authority; skips the test where the package cryptography is missing."""

    def __init__(self, name: str) -> None:
        pytest.importorskip("cryptography", reason="TLS tests need the package cryptography (extra dev)")
        self._name = name
        self._key = _new_key()
        self.pem = _sign(self, name, self._key, hosts=(), organization="")

    def issue(self, common: str, *, hosts: Sequence[str] = (), organization: str = "") -> tuple[bytes, bytes]:
        """A certificate for serving and for clients, and its key, both PEM."""
        key = _new_key()
        return _sign(self, common, key, hosts=hosts, organization=organization), _pem(key)


def new_key() -> bytes:
    """A private key alone, PEM."""
    return _pem(_new_key())


def issue(folder: Path) -> Certificates:
    """What the transport's tests need, in a folder."""
    ours, other = Authority("ours"), Authority("other")
    serving, serving_key = ours.issue("server", hosts=["127.0.0.1"])
    client, client_key = ours.issue("client")

    def write(stem: str, *parts: bytes) -> Path:
        path = folder / f"{stem}.pem"
        path.write_bytes(b"".join(parts))
        return path

    return Certificates(
        trusted=write("trusted", ours.pem),
        stranger=write("stranger", other.pem),
        serving=write("serving", serving, serving_key),
        client=write("client", client, client_key),
        client_key=write("client-key", client_key),
    )


def _new_key():  # type: ignore[no-untyped-def]
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _pem(key) -> bytes:  # type: ignore[no-untyped-def]
    from cryptography.hazmat.primitives import serialization

    form, none = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, none)


def _sign(by: Authority, common: str, key, *, hosts: Sequence[str], organization: str) -> bytes:  # type: ignore[no-untyped-def]
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.x509.oid import NameOID

    def name(text: str, group: str = "") -> x509.Name:
        parts = [x509.NameAttribute(NameOID.COMMON_NAME, text)]
        parts += [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
        return x509.Name(parts)

    now = datetime.datetime.now(datetime.UTC)
    is_root = key is by._key
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(common, organization))
        .issuer_name(name(by._name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _HOUR)
        .not_valid_after(now + 24 * _HOUR)
        .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
    )
    if hosts:
        names: list[x509.GeneralName] = [
            x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host) for host in hosts
        ]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(by._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
