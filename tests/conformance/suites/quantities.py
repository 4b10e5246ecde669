"""quantity-*: syntax, rounding, limits and writing of quantities; requests-*: pods that fit a capacity."""

from __future__ import annotations

from kueuectl import quantity
from kueuectl.engine import amounts
from tests.conformance.case import Case, same
from tests.conformance.registry import suite


@suite("quantity-clamp")
def clamp(case: Case) -> list[str]:
    got = quantity.parse_amount(case.given["resource"], case.given["quantity"])
    return same("amount", got, case.expect["want"])


@suite("quantity-float")
def as_float(case: Case) -> list[str]:
    return same("float", quantity.to_float(quantity.parse(case.given["q"])), case.expect["wantResult"])


@suite("quantity-mul")
def multiply(case: Case) -> list[str]:
    given = case.given.get("rl") or {}
    got = {name: quantity.multiply(quantity.parse(text), case.given["f"]) for name, text in given.items()}
    want = {name: quantity.parse(text) for name, text in (case.expect.get("want") or {}).items()}
    return same("products in nano-units", got, want)


@suite("quantity-round-trip")
def round_trip(case: Case) -> list[str]:
    resource, value = case.given["resource"], case.given["value"]
    # A counter of a device is in bytes when the mapping of its class says so; the cases name such ones "*.memory".
    in_bytes = {resource} if resource.endswith(".memory") else set()
    got = quantity.format_amount(resource, value, binary=in_bytes)
    return same("text", got, case.expect["expected"]) + same("read back", quantity.parse_amount(resource, got), value)


@suite("requests-count-in")
def count_in(case: Case) -> list[str]:
    return same("count", amounts.count_in(case.given["requests"], case.given["capacity"]), case.expect["wantResult"])


@suite("requests-limiting-resource")
def limiting(case: Case) -> list[str]:
    got = amounts.limiting(case.given["requests"], case.given["capacity"])
    return same("count and resource", got, (case.expect["wantCount"], case.expect.get("wantLimitingResource") or ""))
