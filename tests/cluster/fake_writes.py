"""How the fake API server stores what is written: versions, uids, preconditions, dry runs, merge patches."""

from __future__ import annotations

import json
import re
from typing import Any

from kueuectl.api import patches

Doc = dict[str, Any]
METHODS = ("POST", "PUT", "PATCH", "DELETE")
_PATH = re.compile(r"(/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?(?:/(status|scale))?")


class Store:
    """Writes into collections of objects, which are lists by path."""

    def __init__(self, objects: dict[str, list[Doc]]) -> None:
        self._objects = objects
        self._version = 1000
        # What was stored, not only tried: method, path, and the object after it.
        self.done: list[tuple[str, str, Doc]] = []

    def answer(self, method: str, path: str, query: dict[str, str], body: bytes) -> tuple[int, Doc]:
        """Status and body; nothing is stored with dryRun."""
        match = _PATH.fullmatch(path)
        if match is None:
            return _status(404, f"the server could not find {path}")
        root, namespace, plural, name, part = match.groups()
        found = self._objects.setdefault(f"{root}/{plural}", [])
        sent = json.loads(body) if body else {}
        resource = f"{plural}.{root.split('/')[2]}" if root.startswith("/apis") else plural
        if method == "POST":
            name = sent["metadata"]["name"]
        here = [
            one for one in found if one["metadata"]["name"] == name and one["metadata"].get("namespace") == namespace
        ]
        if method != "POST" and not here:
            return _status(404, f'{resource} "{name}" not found', reason="NotFound")
        if method == "POST" and here:
            return _status(409, f'{resource} "{name}" already exists', reason="AlreadyExists")
        refused = self._refusal(method, sent, here, f'{resource} "{name}"')
        if refused is not None:
            return refused
        after = self._after(method, sent, here[0] if here else None, root=root, namespace=namespace, part=part)
        # As the API server does: where a DELETE has options in its body, those of the query are not looked at.
        is_trial = sent.get("dryRun") == ["All"] if method == "DELETE" and sent else query.get("dryRun") == "All"
        if not is_trial:
            self._store(method, found, here, after)
            self.done.append((method, path, after))
        return (201 if method == "POST" else 200), after

    def _refusal(self, method: str, sent: Any, here: list[Doc], named: str) -> tuple[int, Doc] | None:
        if method == "DELETE":
            wanted = (sent.get("preconditions") or {}).get("uid")
            if wanted and wanted != here[0]["metadata"].get("uid"):
                return _status(409, f"Operation cannot be fulfilled on {named}: Precondition failed", reason="Conflict")
        elif method in ("PATCH", "PUT") and isinstance(sent, dict):
            wanted = sent.get("metadata", {}).get("resourceVersion")
            if wanted and wanted != here[0]["metadata"].get("resourceVersion"):
                problem = "the object has been modified; please apply your changes to the latest version and try again"
                return _status(409, f"Operation cannot be fulfilled on {named}: {problem}", reason="Conflict")
        return None

    def _after(
        self, method: str, sent: Any, before: Doc | None, *, root: str, namespace: str | None, part: str | None
    ) -> Doc:
        if method == "DELETE":
            return {"kind": "Status", "apiVersion": "v1", "status": "Success"}
        self._version += 1
        if before is None:
            after = dict(sent)
            identity = {"uid": f"made-{self._version}", "creationTimestamp": "2026-11-29T12:00:00Z", "generation": 1}
            after["metadata"] = {**sent["metadata"], **identity}
            if namespace:
                after["metadata"]["namespace"] = namespace
        elif method == "PUT":
            after = dict(sent)
        else:
            after = _patched(before, sent, part)
        after.setdefault("apiVersion", root.removeprefix("/apis/").removeprefix("/api/"))
        after.setdefault("kind", "Object")
        after["metadata"] = {**after["metadata"], "resourceVersion": str(self._version)}
        return after

    def _store(self, method: str, found: list[Doc], here: list[Doc], after: Doc) -> None:
        if here:
            place = found.index(here[0])
            found[place : place + 1] = [] if method == "DELETE" else [after]
        else:
            found.append(after)


def _patched(before: Doc, sent: Any, part: str | None) -> Doc:
    if isinstance(sent, list):
        raise AssertionError("the fake takes merge patches only")
    if part == "status":
        sent = {key: value for key, value in sent.items() if key in ("status", "metadata")}
    else:
        sent = {key: value for key, value in sent.items() if key != "status"}
    after: Doc = patches.merged(before, sent)
    return after


def _status(code: int, message: str, *, reason: str = "") -> tuple[int, Doc]:
    return code, {"kind": "Status", "apiVersion": "v1", "message": message, "reason": reason, "code": code}
