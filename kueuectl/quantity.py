"""Kubernetes quantities as exact integers.

A quantity is an int in nano-units ("1" is 1_000_000_000, "250m" is 250_000_000): Kubernetes keeps no finer step and
rounds what is finer away from zero, so an int is exact. An *amount* is what quota is counted in: millicores for cpu,
base units for every other resource, rounded up and saturated to 64 bits as Kueue does.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from kueuectl.errors import QuantityError

NANO = 1_000_000_000
MILLI = 1_000_000
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

CPU = "cpu"

_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL_EXPONENT = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SYNTAX = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,18})?", re.ASCII)
_MAX_LENGTH = 128
_MAX_EXPONENT = 40
# What a quantity holds at most: the infinite-precision form of Kubernetes is capped there too.
_MAX_NANO = INT64_MAX * NANO * 1024


@lru_cache(maxsize=4096)
def parse(text: str) -> int:
    """Nano-units of a quantity text; raises QuantityError when it isn't one."""
    match = _SYNTAX.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None:
        raise QuantityError(f"{text[:40]!r} is not a quantity", hint="write it as 500m, 2, 1.5 or 16Gi")
    sign, number, suffix = match.group(1), match.group(2), match.group(3) or ""
    whole, _, fraction = number.partition(".")
    digits = int(whole + fraction or "0")
    if suffix in _BINARY:
        numerator, exponent = digits * _BINARY[suffix], 9 - len(fraction)
    elif suffix in _DECIMAL_EXPONENT:
        numerator, exponent = digits, 9 - len(fraction) + _DECIMAL_EXPONENT[suffix]
    else:
        power = int(suffix[1:])
        numerator, exponent = digits, 9 - len(fraction) + max(-_MAX_EXPONENT * 4, min(power, _MAX_EXPONENT))
    value = numerator * _ten(exponent) if exponent >= 0 else -(-numerator // _ten(min(-exponent, _MAX_EXPONENT * 5)))
    value = min(value, _MAX_NANO)
    return -value if sign == "-" else value


def saturate(value: int) -> int:
    """The nearest 64-bit integer."""
    return INT64_MAX if value > INT64_MAX else INT64_MIN if value < INT64_MIN else value


def amount(resource: str, nano: int) -> int:
    """Millicores (cpu) or base units (all else) of nano-units; rounded up (away from zero), saturated."""
    step = MILLI if resource == CPU else NANO
    value = -(-nano // step) if nano >= 0 else nano // step
    return saturate(value)


def parse_amount(resource: str, text: str) -> int:
    """The amount that a quantity text stands for."""
    return amount(resource, parse(text))


def to_nano(resource: str, value: int) -> int:
    """Nano-units of an amount."""
    return value * (MILLI if resource == CPU else NANO)


def is_binary(resource: str) -> bool:
    """Whether amounts of the resource are written with Ki, Mi, Gi."""
    return resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")


def format_amount(resource: str, value: int, *, binary: Collection[str] = ()) -> str:
    """An amount in the form that Kueue writes: 1500m, 36Gi, 8; `binary` names further resources that count bytes."""
    if resource == CPU:
        return format_nano(value * MILLI)
    return format_nano(value * NANO, binary=is_binary(resource) or resource in binary)


def format_nano(nano: int, *, binary: bool = False) -> str:
    """Nano-units in canonical form: the largest suffix that leaves an integer.

    With `binary` that is Ki to Ei, as long as the value is a multiple of 1024; other values are written like the rest.
    """
    sign, rest = ("-", -nano) if nano < 0 else ("", nano)
    if rest == 0:
        return "0"
    if binary and rest % (1024 * NANO) == 0:
        units = rest // NANO
        suffix = ""
        for name, factor in _BINARY.items():
            if units % factor:
                break
            suffix = name
        return f"{sign}{units // _BINARY[suffix] if suffix else units}{suffix}"
    best = "n"
    for name, exponent in _DECIMAL_EXPONENT.items():
        if rest % 10 ** (9 + exponent):
            break
        best = name
    return f"{sign}{rest // 10 ** (9 + _DECIMAL_EXPONENT[best])}{best}"


def to_float(nano: int) -> float:
    """The nearest float, as for weights."""
    return nano / NANO


def multiply(nano: int, factor: float) -> int:
    """Nano-units times a float, cut at the ninth decimal; the float counts as the shortest decimal that names it.

    As admission fair sharing decays usage (KEP-4136): a product with the binary fraction differs for large amounts.
    """
    mantissa, _, power = repr(factor).partition("e")
    whole, _, fraction = mantissa.partition(".")
    product = nano * int(whole + fraction)
    exponent = int(power or "0") - len(fraction)
    if exponent >= 0:
        return product * _ten(exponent)
    size = abs(product) // _ten(-exponent)
    return -size if product < 0 else size


def _ten(power: int) -> int:
    """10 to a power that is not negative."""
    return int(10**power)
