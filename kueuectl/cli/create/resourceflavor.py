"""`kueuectl create resourceflavor`."""

from __future__ import annotations

from typing import Annotated

import typer

from kueuectl.api import new_objects
from kueuectl.cli.frame import creating, kinds, writing
from kueuectl.cli.frame.writing import DryRun


def command(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new ResourceFlavor.")],
    labels: Annotated[
        list[str] | None,
        typer.Option("--node-labels", metavar="LABELS", help="Labels of its nodes, as key=value,other=value."),
    ] = None,
    taints: Annotated[
        list[str] | None,
        typer.Option("--node-taints", metavar="TAINTS", help="Taints of its nodes, as key=value:effect,key:effect."),
    ] = None,
    tolerations: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerations",
            metavar="TOLERATIONS",
            help="What its pods tolerate beside their own, as key=value:effect,key:effect,key=value,key,:effect.",
        ),
    ] = None,
    dry_run: DryRun = "none",
) -> None:
    """Create a ResourceFlavor.

    \b
    Examples:
      kueuectl create resourceflavor spot --node-labels pool=spot --node-taints spot=true:NoSchedule
      kueuectl create rf arm --node-labels kubernetes.io/arch=arm64 --tolerations arch=arm64,:PreferNoSchedule
    """
    mode = writing.mode(dry_run)
    item = new_objects.resource_flavor(
        name,
        labels=new_objects.pairs(labels or (), flag="--node-labels"),
        taints=new_objects.taints(taints or ()),
        tolerations=new_objects.tolerations(tolerations or ()),
    )
    creating.create(ctx.obj, kinds.RESOURCE_FLAVOR, item, mode=mode)
