"""What the server is and what we may do there: the facts that `doctor` shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kueuectl.cluster import kinds
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import clean
from kueuectl.cluster.installation import NAMESPACE
from kueuectl.cluster.kinds import KUEUE_GROUP, Kind
from kueuectl.cluster.parallel import side_by_side
from kueuectl.cluster.transport import Request
from kueuectl.errors import UnreachableError

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_JOB = Kind("Job", "jobs", "batch", ("v1",), "a job can't be explained by its own name", is_namespaced=True)


@dataclass(frozen=True, slots=True)
class Access:
    """Whether one verb on one kind is allowed; namespace "" is all of them, `without` what is unknown otherwise."""

    verb: str
    resource: str
    namespace: str
    allowed: bool
    reason: str = ""
    without: str = ""


@dataclass(frozen=True, slots=True)
class _Question:
    verb: str
    kind: Kind
    namespace: str = ""


def server_version(client: Client) -> str:
    """The API server's version: "v1.36.3"."""
    try:
        value = json.loads(client.get("/version", what="ask for the server's version"))
    except ValueError:
        value = None
    version = value.get("gitVersion") if isinstance(value, dict) else None
    if not isinstance(version, str):
        raise UnreachableError(f"{client.server} does not answer as an API server does", hint="check the address")
    return clean(version, limit=60)


def kueue_api_versions(client: Client) -> tuple[str, ...]:
    """The versions of Kueue's API that are served and understood, the one that is read first; none: no Kueue."""
    return client.discovery.versions(KUEUE_GROUP)


def what_is_allowed(client: Client, *, namespace: str = "") -> tuple[Access, ...]:
    """All that reading needs, asked of the server one by one (SelfSubjectAccessReview), in a fixed order.

    `namespace` is where workloads and queues are asked for instead of in all namespaces.
    """
    questions = list(_questions(namespace))
    tasks: list[Callable[[], Access]] = [lambda one=one: _ask(client, one) for one in questions]  # type: ignore[misc]
    return tuple(side_by_side(tasks, stop=client.stop))


def _questions(namespace: str) -> Iterable[_Question]:
    for kind in sorted(kinds.STATE_KINDS, key=lambda kind: (kind.group != KUEUE_GROUP, kind.name)):
        yield _Question("list", kind, namespace if kind.is_namespaced else "")
    yield _Question("get", _JOB, namespace)
    yield _Question("list", kinds.POD, namespace)
    yield _Question("list", kinds.DEPLOYMENT, NAMESPACE)
    yield _Question("get", kinds.CONFIG_MAP, NAMESPACE)


def _ask(client: Client, question: _Question) -> Access:
    kind = question.kind
    attributes = {"verb": question.verb, "group": kind.group, "resource": kind.plural, "namespace": question.namespace}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
    }
    what = f"ask whether it may {question.verb} {kind.plural}"
    body = client.send(Request("POST", _REVIEWS, what, body=json.dumps(review).encode()))
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    status = answer.get("status") if isinstance(answer, dict) else None
    status = status if isinstance(status, dict) else {}
    return Access(
        verb=question.verb,
        resource=kind.resource,
        namespace=question.namespace,
        allowed=status.get("allowed") is True,
        reason=clean(str(status.get("reason") or "")),
        without=kind.without,
    )
