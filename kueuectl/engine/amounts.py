"""Amounts as the engine counts them: ints, millicores for cpu and base units for all else, saturated to 64 bits."""

from __future__ import annotations

from collections.abc import Mapping

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
INT32_MAX = 2**31 - 1

NANO = 1_000_000_000
MILLI = 1_000_000
CPU = "cpu"


def saturate(value: int) -> int:
    """The nearest 64-bit integer."""
    return INT64_MAX if value > INT64_MAX else INT64_MIN if value < INT64_MIN else value


def of_nano(resource: str, nano: int, *, per_unit: int = NANO) -> int:
    """The amount of an exact quantity, rounded up (away from zero) and saturated.

    The quantity counts in steps of 1/per_unit of the base unit; nano-units without it.
    """
    step = per_unit // 1000 if resource == CPU else per_unit
    value = -(-nano // step) if nano >= 0 else nano // step
    return saturate(value)


def count_in(requests: Mapping[str, int], capacity: Mapping[str, int]) -> int:
    """How many pods with these requests fit into a capacity: between 0 and 2^31 - 1. See `limiting`."""
    return limiting(requests, capacity)[0]


def limiting(requests: Mapping[str, int], capacity: Mapping[str, int]) -> tuple[int, str]:
    """How many pods fit, and the resource that ends it ("" when nothing is asked for).

    A request of zero never counts; a resource that the capacity lacks has none of it. Ties: the first by name.
    """
    best, name = INT32_MAX, ""
    for resource in sorted(requests):
        request = requests[resource]
        if request <= 0:
            continue
        fits = min(max(capacity.get(resource, 0), 0) // request, INT32_MAX)
        if fits < best or not name:
            best, name = fits, resource
    return best, name
