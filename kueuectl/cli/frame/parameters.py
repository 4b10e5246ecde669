"""Arguments and options that several commands share, as annotations."""

from __future__ import annotations

from typing import Annotated

import typer

Selector = Annotated[
    str | None,
    typer.Option("-l", "--selector", metavar="SELECTOR", help="Keep objects whose labels match, as key=value,!other."),
]
FieldSelector = Annotated[
    str | None,
    typer.Option("--field-selector", metavar="SELECTOR", help="Keep objects by metadata.name or metadata.namespace."),
]
ClusterQueue = Annotated[
    str | None,
    typer.Option("-c", "--clusterqueue", metavar="CLUSTERQUEUE", help="Keep what belongs to this ClusterQueue."),
]
LocalQueue = Annotated[
    str | None,
    typer.Option("-q", "--localqueue", metavar="LOCALQUEUE", help="Keep what belongs to this LocalQueue."),
]
Active = Annotated[
    list[str] | None,
    typer.Option("--active", metavar="BOOL", help="Keep queues that are active (true) or inactive (false)."),
]
