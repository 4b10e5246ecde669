"""An intended request that changes one object. Data only: who sends it, and when, is decided elsewhere."""

from __future__ import annotations

from typing import Any

from kueuectl.model.values import Struct

CREATE = "create"
PATCH = "patch"
DELETE = "delete"

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class Target(Struct, frozen=True):
    """The object: its kind as the API spells it, the API group ("" is core), the plural ("" is looked up)."""

    kind: str
    group: str
    plural: str
    name: str
    namespace: str = ""

    @property
    def is_namespaced(self) -> bool:
        """Whether it lives in a namespace."""
        return bool(self.namespace)

    @property
    def where(self) -> str:
        """namespace/name, or the name."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Write(Struct, frozen=True):
    """One change of one object.

    `body` is the whole object of a CREATE, the patch of a PATCH, the options of a DELETE. A PATCH with
    `resource_version`, and a DELETE with `uid`, are refused by the server once the object is another one. `patch_type`
    is a media type. `version` "" is the best served one.
    """

    verb: str
    target: Target
    body: dict[str, Any] | list[Any]
    uid: str = ""
    resource_version: str = ""
    subresource: str = ""
    patch_type: str = MERGE
    version: str = ""
