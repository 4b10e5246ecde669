"""The syntax of names, label keys and label values in Kubernetes."""

from __future__ import annotations

import re

_SUBDOMAIN = re.compile(
    r"[a-z0-9](?:[-a-z0-9]{0,251}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,251}[a-z0-9])?){0,126}", re.ASCII
)
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII)
_MAX_SUBDOMAIN = 253


def is_subdomain(text: str) -> bool:
    """Whether the text may name most objects: lower case, digits, '-' and '.', at most 253 characters."""
    return len(text) <= _MAX_SUBDOMAIN and _SUBDOMAIN.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Whether the text may name a namespace: lower case, digits and '-', at most 63 characters."""
    return _LABEL.fullmatch(text) is not None


def key_problem(key: str) -> str:
    """What is wrong with the key of a label, taint or resource; "" for nothing."""
    prefix, slash, name = key.rpartition("/")
    if slash and not is_subdomain(prefix):
        return f"{key[:60]!r} is not a valid key: the part before '/' has to be a lower case domain name"
    if not _NAME.fullmatch(name):
        return f"{key[:60]!r} is not a valid key: letters, digits, '-', '_' and '.', at most 63 of them"
    return ""


def value_problem(value: str) -> str:
    """What is wrong with the value of a label or taint; "" for nothing."""
    if value and not _NAME.fullmatch(value):
        return f"{value[:60]!r} is not a valid label value: letters, digits, '-', '_' and '.', at most 63 of them"
    return ""
