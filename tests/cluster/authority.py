"""Certificates for the tests: made when a session begins, good for a day."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Certificates:
    """PEM files; `serving` and `client` hold their key too, `client_key` is the client's alone."""

    trusted: Path
    stranger: Path
    serving: Path
    client: Path
    client_key: Path


def issue(folder: Path) -> Certificates:
    """All of them, in a folder."""
    pytest.importorskip("cryptography", reason="TLS tests need the package cryptography (extra dev)")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def name(common: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])

    def sign(subject: str, key: ec.EllipticCurvePrivateKey, issuer: str, by: ec.EllipticCurvePrivateKey) -> bytes:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=subject == issuer, path_length=None), critical=True)
        )
        if subject != issuer:
            local = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([local]), critical=False)
        return builder.sign(by, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def pem(key: ec.EllipticCurvePrivateKey) -> bytes:
        return key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def write(stem: str, *parts: bytes) -> Path:
        path = folder / f"{stem}.pem"
        path.write_bytes(b"".join(parts))
        return path

    ours, other, serving, client = (ec.generate_private_key(ec.SECP256R1()) for _ in range(4))
    return Certificates(
        trusted=write("trusted", sign("ours", ours, "ours", ours)),
        stranger=write("stranger", sign("other", other, "other", other)),
        serving=write("serving", sign("server", serving, "ours", ours), pem(serving)),
        client=write("client", sign("client", client, "ours", ours), pem(client)),
        client_key=write("client-key", pem(client)),
    )
