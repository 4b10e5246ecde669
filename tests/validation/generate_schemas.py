"""Writes kueuectl/api/validation/_schemas.py from API definitions: Kueue's own, and those of the jobs that it manages.

    python -m tests.validation.generate_schemas KUEUE FILE...

KUEUE is the folder with the CustomResourceDefinitions of a release of Kueue. FILE is one of a kind of job, or an
OpenAPI document (version 3, JSON) of Kubernetes for its own kinds: apps/v1 and batch/v1.

Only what validates is taken: types, bounds, patterns, enumerations, keys of lists and required fields. Equal types are
one, named after the field that they are first met in. Of jobs, pod templates are left out: pod specs are checked as
those of a Workload, wherever they stand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).resolve().parents[2] / "kueuectl" / "api" / "validation" / "_schemas.py"
SKIPPED = ("MultiKueueCluster", "MultiKueueConfig", "ProvisioningRequestConfig")
TOP = ("apiVersion", "kind", "metadata", "status")
BUILT_IN = ("Deployment", "StatefulSet", "Job")
# Large parts of jobs on which nothing depends.
UNCHECKED = frozenset(
    {
        *("affinity", "env", "envFrom", "securityContext", "volumeMounts", "volumes"),
        *("autoscalerOptions", "gcsFaultToleranceOptions", "headService", "serveService"),
        *("elasticPolicy", "selector", "volumeClaimPolicies", "volumeClaimTemplates"),
    }
)
INTEGERS = {"int32": "int32", "int64": "int64"}


class Schemas:
    """Types by name, and scalars with bounds by number."""

    def __init__(self) -> None:
        # Whether pod templates and what is in UNCHECKED are left out.
        self.is_short = False
        self.types: dict[str, dict[str, str]] = {}
        self.required: dict[str, tuple[str, ...]] = {}
        self.scalars: list[dict[str, Any]] = []
        self.known: dict[str, str] = {}

    def of(self, schema: dict[str, Any], name: str) -> str:
        """The notation of a schema: see kueuectl/api/validation/schema.py."""
        if schema.get("x-kubernetes-int-or-string"):
            return "quantity" if "pattern" in schema else "port"
        kind = schema.get("type")
        if kind == "object" and "properties" in schema:
            return self.object(schema, name)
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            most = schema.get("maxProperties", "")
            return f"{self.of(schema['additionalProperties'], name)}{{{most}}}"
        if kind == "array":
            return self.of(schema["items"], singular(name)) + self.list_suffix(schema)
        if kind in ("string", "integer", "boolean", "number"):
            return self.scalar(schema)
        return "any"

    def field(self, schema: dict[str, Any], name: str) -> str:
        """The notation of the schema of a field."""
        if self.is_short and (name in UNCHECKED or is_pod_template(schema)):
            return "any"
        return self.of(schema, name)

    def list_suffix(self, schema: dict[str, Any]) -> str:
        """[least..most;keys], parts left out where there are none."""
        keys = ",".join(schema.get("x-kubernetes-list-map-keys", ()))
        if schema.get("x-kubernetes-list-type") == "set":
            keys = "set"
        bounds = f"{schema.get('minItems', '')}..{schema.get('maxItems', '')}"
        return f"[{'' if bounds == '..' else bounds}{';' + keys if keys else ''}]"

    def scalar(self, schema: dict[str, Any]) -> str:
        """A plain type, or @number for one with bounds."""
        kind = schema["type"]
        names = ("minimum", "maximum", "minLength", "maxLength", "pattern", "enum")
        bounds = {name: schema[name] for name in names if name in schema}
        if kind == "integer":
            kind = INTEGERS.get(schema.get("format", ""), "int64")
        if schema.get("format") == "date-time":
            kind = "time"
        if not bounds:
            return str(kind)
        found = {"type": kind, **bounds}
        if found not in self.scalars:
            self.scalars.append(found)
        return f"@{self.scalars.index(found)}"

    def object(self, schema: dict[str, Any], name: str) -> str:
        """The name of an object type."""
        fields = {key: self.field(value, key) for key, value in sorted(schema["properties"].items())}
        # The API server fills in defaults before it looks whether something is missing.
        given = schema["properties"]
        wanted = [key for key in schema.get("required", ()) if key in fields and "default" not in given[key]]
        required = tuple(key for key in wanted if not (self.is_short and key in UNCHECKED))
        key = json.dumps([fields, required])
        if key not in self.known:
            chosen = unique(name[:1].upper() + name[1:], self.types)
            self.known[key] = chosen
            self.types[chosen] = fields
            self.required[chosen] = required
        return self.known[key]


def is_pod_template(schema: dict[str, Any]) -> bool:
    """Whether a schema is that of a pod template."""
    spec = schema.get("properties", {}).get("spec", {})
    return "containers" in spec.get("properties", {})


def resolved(schema: Any, known: dict[str, Any]) -> Any:
    """A schema of an OpenAPI document without references."""
    if isinstance(schema, list):
        return [resolved(entry, known) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    whole = [*schema.get("allOf", ()), *([schema] if "$ref" in schema else [])]
    for part in whole:
        name = part["$ref"].rpartition("/")[2]
        if name.endswith("IntOrString"):
            return {"x-kubernetes-int-or-string": True}
        if name.endswith("Quantity"):
            return {"x-kubernetes-int-or-string": True, "pattern": "quantity"}
        return resolved(known[name], known)
    return {key: resolved(value, known) for key, value in schema.items()}


def definitions(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What a file defines: apiVersion, kind, schema."""
    if path.suffix == ".json":
        known = json.loads(path.read_text("utf-8"))["components"]["schemas"]
        for schema in known.values():
            for entry in schema.get("x-kubernetes-group-version-kind", ()):
                if entry["kind"] in BUILT_IN and entry["group"] in ("apps", "batch") and entry["version"] == "v1":
                    yield f"{entry['group']}/v1", entry["kind"], resolved(schema, known)
        return
    spec = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)["spec"]
    for version in spec["versions"]:
        yield f"{spec['group']}/{version['name']}", spec["names"]["kind"], version["schema"]["openAPIV3Schema"]


def singular(name: str) -> str:
    """The name of an entry of a list."""
    return name.removesuffix("s") if not name.endswith("ss") else name


def unique(name: str, taken: dict[str, Any]) -> str:
    """The name, with a number where it is taken."""
    number = 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}{number}"
    return found


def main(argv: list[str]) -> int:
    """Read the definitions, write the module."""
    schemas = Schemas()
    roots: dict[str, str] = {}
    own = sorted(Path(argv[0]).glob("*.yaml"))
    for path in [*own, *map(Path, argv[1:])]:
        schemas.is_short = path not in own
        for api_version, kind, schema in definitions(path):
            if kind in SKIPPED:
                continue
            fields = {key: value for key, value in schema["properties"].items() if key not in TOP}
            required = [key for key in schema.get("required", ()) if key in fields]
            whole = {"type": "object", "properties": fields, "required": required}
            roots[f"{api_version} {kind}"] = schemas.of(whole, kind)
    TARGET.write_text(module(schemas, roots), "utf-8")
    return 0


def module(schemas: Schemas, roots: dict[str, str]) -> str:
    """The source of the module, a type a line."""
    lines = [
        '"""Types of the API, made by tests/validation/generate_schemas.py; the notation is that of `schema`."""',
        "",
        "# ruff: noqa: E501",
        "# fmt: off",
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any",
        "",
        "ROOTS: dict[str, str] = {",
        *(f"    {key!r}: {value!r}," for key, value in roots.items()),
        "}",
        "SCALARS: tuple[dict[str, Any], ...] = (",
        *(f"    {scalar!r}," for scalar in schemas.scalars),
        ")",
        "TYPES: dict[str, dict[str, str]] = {",
        *(f"    {name!r}: {fields!r}," for name, fields in schemas.types.items()),
        "}",
        "REQUIRED: dict[str, tuple[str, ...]] = {",
        *(f"    {name!r}: {fields!r}," for name, fields in schemas.required.items() if fields),
        "}",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
