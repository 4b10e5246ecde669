"""How to reach the API server, as the flags say it. Plain data: cheap to import, nothing is read here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kueuectl.errors import UsageError

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)")
_LONGEST = 30
# Objects in a page of a list, unless told otherwise.
PAGE = 500
_UNIT_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """kubectl's connection flags; an empty text or None is a flag that was not given.

    `request_timeout` is the flag's text (`0`, `30`, `5s`, `1m30s`).
    """

    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""
    server: str = ""
    # Never shown: a repr of the options may end up in a bug report.
    token: str = field(default="", repr=False)
    certificate_authority: str = ""
    insecure_skip_tls_verify: bool | None = None
    tls_server_name: str = ""
    client_certificate: str = ""
    client_key: str = ""
    as_user: str = ""
    as_groups: tuple[str, ...] = ()
    as_uid: str = ""
    # KEY=VALUE each; a key may come several times.
    as_user_extra: tuple[str, ...] = ()
    disable_compression: bool = False
    request_timeout: str = ""
    # How many objects a list asks for at once, as KUEUECTL_LIST_REQUEST_LIMIT says it.
    page_size: str = ""


def parse_page_size(text: str) -> int:
    """How many objects a list asks for at once; 0 is all of them. Raises UsageError for what is no whole number."""
    if not text:
        return PAGE
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise UsageError(
            f"invalid list request limit {text[:_LONGEST]!r}",
            hint="KUEUECTL_LIST_REQUEST_LIMIT is how many objects are asked for at once; 0 is all of them",
        )
    return max(int(text), 0)


def parse_duration(text: str, *, flag: str) -> float:
    """Seconds of a duration as kubectl takes it: a whole number of seconds or Go's notation; 0 is no limit.

    Raises UsageError, with the flag's name, for anything else.
    """
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST:
        return float(text)
    matches = list(_DURATION.finditer(text)) if len(text) <= _LONGEST else []
    if not matches or "".join(match.group() for match in matches) != text:
        raise UsageError(f"{flag}: {text[:40]!r} is not a duration", hint="write it as 5s, 1m30s or 0 for no limit")
    return sum(float(match.group(1)) * _UNIT_SECONDS[match.group(2)] for match in matches)
