"""How fields of objects are anonymized: kept, renamed, or taken apart. `anonymous_kinds` puts them together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from kueuectl.store.anonymous_names import NAMESPACE, NODE, UID, Names, is_public

Rule = Callable[[Any, Names], Any]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{0,63}", re.ASCII)
_UIDS = re.compile(r"(.* a workload \(UID: )([^,)]*)(?:(, JobUID: )([^)]*))?(\))(?: due to ([A-Za-z ]+))?")
_PATHS = re.compile(r"preemptor path: (\S+); preemptee path: (\S+)")
_ACCOMMODATE = ("Preempted to accommodate", "Evicted to accommodate", "Replaced to accommodate")
_UNKNOWN = "UNKNOWN"
# Groups whose kinds everybody knows.
GROUPS = ("", "apps", "batch", "ray.io", "kubeflow.org", "trainer.kubeflow.org", "workload.codeflare.dev")
_COMPARED = ("Gt", "Lt")


def keep(value: Any, names: Names) -> Any:
    """As it is."""
    return value


def word(value: Any, names: Names) -> Any:
    """A word of an API in CamelCase; anything else is dropped."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def named(category: str) -> Rule:
    """A name."""
    return lambda value, names: names.text(category, value) if isinstance(value, str) else None


def fields(**rules: Rule) -> Rule:
    """An object with these fields."""

    def apply(value: Any, names: Names) -> Any:
        if not isinstance(value, dict):
            return None
        made = {}
        for key, rule in rules.items():
            if value.get(key) is not None:
                inner = rule(value[key], names)
                if inner is not None:
                    made[key] = inner
        return made

    return apply


def each(rule: Rule) -> Rule:
    """A list."""
    return lambda value, names: [rule(entry, names) for entry in value] if isinstance(value, list) else None


def quantities(value: Any, names: Names) -> Any:
    """Resources with amounts, or with other plain values."""
    return {names.resource(name): amount for name, amount in value.items()} if isinstance(value, dict) else None


def selecting(value: Any, names: Names) -> Any:
    """Labels that are asked for."""
    if not isinstance(value, dict):
        return None
    for key in value:
        names.use(key)
    return {names.key(key): names.value(key, text or "") for key, text in value.items()}


def selected(value: Any, names: Names) -> Any:
    """Labels that something may ask for; the others are dropped."""
    if not isinstance(value, dict):
        return None
    return {names.key(key): names.value(key, text or "") for key, text in value.items() if names.is_used(key)}


def special(**rules: Rule) -> Rule:
    """Labels or annotations of Kueue, by the part of their key behind the '/'."""

    def apply(value: Any, names: Names) -> Any:
        if not isinstance(value, dict):
            return None
        made = {}
        for key, text in value.items():
            rule = rules.get(key.removeprefix("kueue.x-k8s.io/").replace("-", "_"))
            if rule is not None and key.startswith("kueue.x-k8s.io/") and text:
                made[key] = rule(text, names)
        return made or None

    return apply


def label_key(value: Any, names: Names) -> Any:
    """A label key that something looks at."""
    names.use(value)
    return names.key(value)


def requirement(value: Any, names: Names) -> Any:
    """An expression of a selector."""
    key, operator = value.get("key") or "", value.get("operator")
    names.use(key, as_number=operator in _COMPARED)
    made = {"key": names.key(key), "operator": operator}
    if value.get("values") is not None:
        made["values"] = [names.value(key, text) for text in value["values"]]
    return made


def field_requirement(value: Any, names: Names) -> Any:
    """metadata.name is the only field of nodes that is asked for."""
    values = [names.text(NODE, text) for text in value.get("values") or ()]
    return {"key": value.get("key"), "operator": value.get("operator"), "values": values}


def taint(value: Any, names: Names) -> Any:
    """A taint."""
    key = value.get("key") or ""
    names.use(key)
    made = {"key": names.key(key), "effect": value.get("effect"), "value": names.value(key, value.get("value") or "")}
    return {name: text for name, text in made.items() if text}


def toleration(value: Any, names: Names) -> Any:
    """A toleration."""
    key, operator = value.get("key") or "", value.get("operator")
    if key:
        names.use(key, as_number=operator in _COMPARED)
    text = value.get("value") or ""
    made = {
        "key": names.key(key) if key else "",
        "operator": operator,
        "value": names.value(key, text) if key else "",
        "effect": value.get("effect"),
        "tolerationSeconds": value.get("tolerationSeconds"),
    }
    return {name: inner for name, inner in made.items() if inner not in (None, "")}


def opaque(value: Any, names: Names) -> Any:
    """What is only compared: the same thing gets the same token."""
    if not value:
        return None
    return [{"name": names.text("constraint", msgspec.json.encode(value, order="sorted").decode())}]


def split(rule: Rule) -> Rule:
    """Names with commas between them."""
    return lambda text, names: ",".join(rule(part.strip(), names) for part in text.split(","))


def workload_key(text: Any, names: Names) -> Any:
    """namespace/name of a workload."""
    namespace, _, name = text.rpartition("/")
    return f"{names.text(NAMESPACE, namespace)}/{names.text('workload', name)}"


def gate(text: Any, names: Names) -> Any:
    """The name of a gate; those of well-known controllers stay."""
    return text if is_public(text) else names.text("gate", text)


def controller(text: Any, names: Names) -> Any:
    """The name of a controller; well-known ones stay."""
    return text if is_public(text) else names.text("controller", text)


def api_version(text: Any, names: Names) -> Any:
    """An apiVersion; a group that nobody knows becomes example.com."""
    group, _, version = text.rpartition("/")
    return text if group in GROUPS or is_public(f"{group}/") else f"example.com/{version}"


def _message(condition: Any, names: Names) -> str | None:
    """Of messages only who made a workload go, with UIDs and paths of cohorts."""
    text = condition.get("message") or ""
    match = _UIDS.match(text) if text.startswith(_ACCOMMODATE) else None
    if match is None:
        return None
    lead, uid, middle, job, end, reason = match.groups()
    made = f"{lead}{_uid(uid, names)}{middle or ''}{_uid(job or '', names)}{end}"
    made += f" due to {reason}" if reason else ""
    paths = _PATHS.search(text)
    if paths is not None:
        preemptor, preemptee = (_path(path, names) for path in paths.groups())
        made += f"; preemptor path: {preemptor}; preemptee path: {preemptee}"
    return made


def _uid(text: str, names: Names) -> str:
    return text if text == _UNKNOWN else names.text(UID, text)


def _path(text: str, names: Names) -> str:
    *cohorts, queue = text.strip("/.;,").split("/")
    parts = [names.text("cohort", cohort) for cohort in cohorts]
    return "/" + "/".join([*parts, names.text("clusterQueue", queue)])


def condition(value: Any, names: Names) -> Any:
    """A condition without its message, but for messages that say who made a workload go."""
    made = _CONDITION(value, names)
    message = _message(value, names)
    return {**made, "message": message} if message else made


def owner_reference(value: Any, names: Names) -> Any:
    """A reference to an owner."""
    made = _OWNER_REFERENCE(value, names)
    return {**made, "kind": kind_of(value, names)}


def kind_of(doc: Any, names: Names) -> str:
    """The kind of an owner; that of a group that nobody knows is a name too."""
    kind, version = str(doc.get("kind") or ""), str(doc.get("apiVersion") or "")
    return kind if api_version(version, names) == version else names.text("kind", kind)


_CONDITION = fields(type=keep, status=keep, reason=word, lastTransitionTime=keep, observedGeneration=keep)
_OWNER_REFERENCE = fields(apiVersion=api_version, name=named("owner"), uid=named(UID), controller=keep)
