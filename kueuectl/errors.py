"""The error tree: one class per thing that the user can do about it, exit code on the class."""

from __future__ import annotations


class KueuectlError(Exception):
    """Something failed that the user can read about: what happened, to which object, what to do next."""

    exit_code = 1

    def __init__(self, problem: str, *, hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        return self.problem


class UsageError(KueuectlError):
    """The command line is wrong."""

    exit_code = 2


class NotFoundError(KueuectlError):
    """The named object does not exist in the state that was read."""

    exit_code = 3


class ConflictError(KueuectlError):
    """The cluster changed since it was read, or a plan is stale."""

    exit_code = 4


class UnreachableError(KueuectlError):
    """The API server can't be reached, or refuses."""

    exit_code = 5


class QuantityError(KueuectlError):
    """A text is not a Kubernetes quantity."""


class InputError(KueuectlError):
    """A dump or manifest is wrong: says in which file, object and field.

    `source` is a file name or "<stdin>"; `object` reads "Kind namespace/name"; `path` is a field path as the API
    server writes it (`spec.resourceGroups[0].flavors[1].resources[0].nominalQuota`). Each may be empty.
    """

    def __init__(self, problem: str, *, source: str = "", obj: str = "", path: str = "", hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.source = source
        self.object = obj
        self.path = path

    def __str__(self) -> str:
        where = [part for part in (self.source, self.object, self.path) if part]
        return ": ".join([*where, self.problem])
