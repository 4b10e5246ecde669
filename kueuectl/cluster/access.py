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

VIEWER, OPERATOR, ADMIN = "viewer", "operator", "admin"
_EVICTING = ("apply", "preempt --apply", "rebalance --apply")


@dataclass(frozen=True, slots=True)
class Need:
    """A verb on a kind (of a subresource), the commands that can't do without it, and the least role that has it."""

    verb: str
    kind: Kind
    commands: tuple[str, ...]
    role: str
    subresource: str = ""

    @property
    def resource(self) -> str:
        """plural.group, with /subresource where there is one, as RBAC rules have it."""
        part = f"/{self.subresource}" if self.subresource else ""
        return f"{self.kind.plural}{part}.{self.kind.group}" if self.kind.group else f"{self.kind.plural}{part}"


# What writing takes. Reading takes a list of each kind of a state; what it lacks then is told kind by kind.
WRITES = (
    Need("patch", kinds.WORKLOAD, ("stop workload", "resume workload", "hold", "release"), OPERATOR),
    Need("patch", kinds.WORKLOAD, _EVICTING, OPERATOR, subresource="status"),
    Need("patch", kinds.LOCAL_QUEUE, ("stop localqueue", "resume localqueue"), OPERATOR),
    Need("patch", _JOB, ("move", "prioritize"), OPERATOR),
    Need("delete", _JOB, ("delete workload",), OPERATOR),
    Need("delete", kinds.WORKLOAD, ("delete workload",), OPERATOR),
    Need("patch", kinds.CLUSTER_QUEUE, ("stop clusterqueue", "resume clusterqueue", "patch", "edit"), ADMIN),
    Need("create", kinds.CLUSTER_QUEUE, ("create clusterqueue",), ADMIN),
    Need("create", kinds.LOCAL_QUEUE, ("create localqueue",), ADMIN),
    Need("create", kinds.RESOURCE_FLAVOR, ("create resourceflavor",), ADMIN),
    Need("create", kinds.COHORT, ("create cohort",), ADMIN),
    Need("patch", kinds.COHORT, ("patch", "edit"), ADMIN),
    Need("patch", kinds.RESOURCE_FLAVOR, ("patch", "edit"), ADMIN),
    Need("delete", kinds.CLUSTER_QUEUE, ("delete",), ADMIN),
    Need("delete", kinds.LOCAL_QUEUE, ("delete",), ADMIN),
    Need("delete", kinds.RESOURCE_FLAVOR, ("delete",), ADMIN),
    Need("delete", kinds.COHORT, ("delete",), ADMIN),
)


@dataclass(frozen=True, slots=True)
class Access:
    """Whether one verb on one kind is allowed; namespace "" is all of them, `without` what is unknown otherwise.

    `commands` are those that can't write without it; none for what is read.
    """

    verb: str
    resource: str
    namespace: str
    allowed: bool
    reason: str = ""
    without: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Question:
    verb: str
    kind: Kind
    namespace: str = ""
    need: Need | None = None


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
    """All that reading and writing need, asked of the server one by one (SelfSubjectAccessReview), in a fixed order.

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
    for need in WRITES:
        yield _Question(need.verb, need.kind, namespace if need.kind.is_namespaced else "", need)


def _ask(client: Client, question: _Question) -> Access:
    kind = question.kind
    attributes = {"verb": question.verb, "group": kind.group, "resource": kind.plural, "namespace": question.namespace}
    need = question.need
    if need is not None:
        attributes["subresource"] = need.subresource
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
        resource=kind.resource if need is None else need.resource,
        namespace=question.namespace,
        allowed=status.get("allowed") is True,
        reason=clean(str(status.get("reason") or "")),
        without=kind.without if need is None else "",
        commands=() if need is None else need.commands,
    )
