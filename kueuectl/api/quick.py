"""Constructors of frozen dataclasses for the hot path.

A frozen dataclass sets each field through `object.__setattr__`, which looks its slot up by name again and again: for a
workload that takes as long as decoding it. Here an instance of a twin class with the same slots is filled by plain
assignment, and then becomes one of the frozen class, which Python allows as their layout is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def constructor(cls: Callable[P, T]) -> Callable[P, T]:
    """What makes the same instances as a frozen dataclass with slots does. Its fields have plain defaults or none."""
    names, parameters, assignments = [], [], ""
    scope: dict[str, Any] = {"_cls": cls}
    for field in fields(cls):  # type: ignore[arg-type]
        names.append(field.name)
        parameters.append(field.name)
        if field.default is not MISSING:
            scope[f"_default_{field.name}"] = field.default
            parameters[-1] += f"=_default_{field.name}"
        assignments += f"    _self.{field.name} = {field.name}\n"
    # Only the names of our own fields are in the text.
    exec(f"def __init__(_self, {', '.join(parameters)}):\n{assignments}    _self.__class__ = _cls\n", scope)
    twin: Any = type(f"_{cls.__name__}", (), {"__slots__": tuple(names), "__init__": scope["__init__"]})
    made: Callable[P, T] = twin
    return made
