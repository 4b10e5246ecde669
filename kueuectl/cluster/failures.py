"""What went wrong on the way to the API server, in the words of the error tree.

Rules. Text of a server or plugin is cut, stripped of control characters, and cleared of every secret that the client
holds. An answer's body is quoted only where it is a Status of Kubernetes (its message) or, cut short, plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from kueuectl.errors import ConflictError, KueuectlError, NotFoundError, UnreachableError

_QUOTED = 300
# Of what a server says about a write: the whole list of what is wrong with it.
_QUOTED_REFUSAL = 4000
_HIDDEN = "[hidden]"
# What credentials look like in text of others: a header that was echoed, a JSON Web Token.
_SECRET_LIKE = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*")


class ForbiddenError(UnreachableError):
    """RBAC (or an admission webhook) refuses the request."""


class UnauthorizedError(UnreachableError):
    """The API server does not accept the credentials."""


class ExpiredError(UnreachableError):
    """A continue token is too old (410): the list must start again."""


class MissingError(NotFoundError):
    """The API server answers 404: no such object, or no such resource."""


class FaultyError(UnreachableError):
    """The API server answers with a fault of its own (5xx): what was asked for may have happened."""


class InvalidError(KueuectlError):
    """The API server, or a webhook behind it, refuses what was to be written."""


class PluginError(KueuectlError):
    """The program that hands out credentials failed."""


def clean(text: str, secrets: Iterable[str] = (), *, limit: int = _QUOTED) -> str:
    """One line of foreign text that is safe to print: no control characters, no secret, at most `limit` characters."""
    # Cut first, with room for a secret that would otherwise be cut in half and no longer be found.
    text = text[: 50 * limit]
    for secret in secrets:
        if secret:
            text = text.replace(secret, _HIDDEN)
    text = _SECRET_LIKE.sub(_HIDDEN, text)
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def without_userinfo(url: str) -> str:
    """A URL without the user and password that it may carry."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def message_of(body: bytes, secrets: Iterable[str] = (), *, limit: int = _QUOTED) -> str:
    """What an error's body says: the message of a Status, else its beginning as text."""
    text = body[:100_000].decode("utf-8", "replace")
    try:
        status = json.loads(text)
    except ValueError:
        return clean(text, secrets, limit=120)
    message = status.get("message") if isinstance(status, dict) else None
    return clean(message, secrets, limit=limit) if isinstance(message, str) else ""


def of_write(status: int, body: bytes, *, what: str, server: str, secrets: Iterable[str] = ()) -> KueuectlError:
    """The error for a refused write, in the words of the server where it says which object and why."""
    said = message_of(body, secrets, limit=_QUOTED_REFUSAL)
    if said and status == 403:
        # A webhook's refusal has the same status as a missing role.
        hint = "" if "denied the request" in said else "kueuectl doctor shows which verbs are missing"
        return ForbiddenError(said, hint=hint)
    if said and status == 404:
        return MissingError(said)
    if said and status == 409:
        return ConflictError(said, hint="" if "already exists" in said else "read it again, then repeat the command")
    if said and 400 <= status < 500 and status not in (401, 410, 429):
        return InvalidError(said)
    if status in (409, 412):
        return ConflictError(f"can't {what}: the object was changed by somebody else ({status})")
    return of_status(status, body, what=what, server=server, secrets=secrets)


def of_status(status: int, body: bytes, *, what: str, server: str, secrets: Iterable[str] = ()) -> KueuectlError:
    """The error for an answer that is not a success; `what` is the request in words ("list workloads")."""
    said = message_of(body, secrets)
    tail = f": {said}" if said else ""
    if status == 401:
        return UnauthorizedError(
            f"{server} does not accept the credentials (401){tail}",
            hint="log in again, or choose another --context or --user; credentials are not sent over plain http",
        )
    if status == 403:
        return ForbiddenError(
            f"not allowed to {what} (403){tail}",
            hint="ask for a role that may get and list it; kueuectl doctor shows all that is needed",
        )
    if status == 404:
        return MissingError(f"can't {what}: not found (404){tail}")
    if status == 410:
        return ExpiredError(f"can't {what}: the list changed too much while it was read (410){tail}", hint="try again")
    if status == 429:
        return UnreachableError(f"{server} is throttling requests (429){tail}", hint="try again in a minute")
    if 300 <= status < 400:
        return UnreachableError(
            f"{server} answers with a redirect ({status}), which is not followed",
            hint="is this the address of an API server? A login page or a proxy may stand in between",
        )
    if status >= 500:
        hint = "the API server or something behind it is in trouble: try again later"
        return FaultyError(f"can't {what}: {server} answers {status}{tail}", hint=hint)
    return UnreachableError(f"can't {what}: {server} answers {status}{tail}")
