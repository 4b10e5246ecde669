"""`kueuectl list pods`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kueuectl.cli.frame import kinds, listing, loading, output, selectors
from kueuectl.cli.frame import objects as named
from kueuectl.cli.frame.kinds import Reference
from kueuectl.cli.frame.parameters import FieldSelector, Selector
from kueuectl.cli.frame.run import Run
from kueuectl.report.views import objects, owners, parts


def command(
    ctx: typer.Context,
    owner: Annotated[str, typer.Option("--for", metavar="TYPE/NAME", help="The job, pod or owner whose pods to list.")],
    selector: Selector = None,
    field_selector: FieldSelector = None,
) -> None:
    """List the pods of a job or pod group.

    With --for pod/NAME these are the pods of its group, itself among them.

    \b
    Examples:
      kueuectl list pods --for job/train -n team-a
      kueuectl list po --for jobset.jobset.x-k8s.io/train -o wide
    """
    run = ctx.obj
    run.rereads_input = True
    reference = kinds.reference(owner, flag="--for")
    labels, fields = selectors.parse(selector), selectors.parse_fields(field_selector)
    namespace = loading.namespace(run)
    found = [
        pod
        for pod in _made_for(run, reference, namespace)
        if selectors.matches(labels, parts.labels_of(pod)) and selectors.matches(fields, _fields(pod))
    ]
    empty = listing.empty_message(kinds.POD, namespace)
    if not run.format.is_table:
        output.objects(run, found, empty=empty)
    elif found:
        # The server's clock is known only now that it has answered.
        now = loading.load(run).now
        output.table(run, objects.pods(found, now=now, namespaces=namespace is None))
    else:
        run.note(empty)


def _made_for(run: Run, reference: Reference, namespace: str | None) -> list[dict[str, Any]]:
    """Raw pods of the named object; raises NotFoundError when nothing has heard of it."""
    state = loading.with_owner(run, loading.load(run), reference, namespace=namespace)
    ownership = owners.Ownership(
        state, kind=reference.kind.name, name=reference.name, group=reference.kind.group, namespace=namespace
    )
    found = [pod for pod in loading.raw(run, kinds.POD, namespace=namespace) if ownership.owns_pod(pod)]
    if not found and not ownership.is_known:
        raise named.not_found(reference)
    return found


def _fields(pod: dict[str, object]) -> dict[str, str]:
    metadata = pod.get("metadata")
    found = metadata if isinstance(metadata, dict) else {}
    return {f"metadata.{key}": str(found.get(key) or "") for key in ("name", "namespace")}
