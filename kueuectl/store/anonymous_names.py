"""Names of an anonymized dump: they say nothing, and stand in the same order as the ones that they replace.

Rules.

1. Within a category equal names stay equal and different ones different, and the new ones sort as the old ones did:
   Kueue breaks ties by name and by UID.
2. Namespaces sort with a '/' behind them too, as in the key namespace/name: one that continues another one ("team-a"
   and "team") does so afterwards.
3. Names that mean something to Kueue stay as they are: anchors. Others stay before or behind them.
4. The numbers in the names are drawn from a seed: they don't tell how many names there are.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

UID = "uid"
NAMESPACE = "namespace"
NODE = "node"
VALUE = "value"
HOSTNAME = "kubernetes.io/hostname"
NAMESPACE_LABEL = "kubernetes.io/metadata.name"

# By category: what names start with.
_PREFIXES: Mapping[str, str] = {
    "clusterQueue": "cq",
    "cohort": "cohort",
    "flavor": "flavor",
    "localQueue": "lq",
    "workload": "wl",
    "owner": "job",
    "check": "check",
    "controller": "example.com/controller",
    "topology": "topology",
    "label": "label",
    "priorityClass": "podclass",
    "runtimeClass": "runtime",
    "limitRange": "limits",
    "deviceClass": "device",
    "claim": "claim",
    "gate": "example.com/gate",
    "cluster": "cluster",
    "kind": "Kind",
    "constraint": "constraint",
    "workloadPriorityClass": "priority",
    "podSet": "pods",
    "parameters": "parameters",
    NAMESPACE: "ns",
    NODE: "node",
    VALUE: "value",
}
# Names with a meaning, and what those before them start with.
_ANCHORS: Mapping[str, tuple[str, str]] = {
    "podSet": ("main", "group"),
    "workloadPriorityClass": ("default", "class"),
    "localQueue": ("default", "a-lq"),
}
_KEY_CATEGORIES: Mapping[str, str] = {HOSTNAME: NODE, NAMESPACE_LABEL: NAMESPACE}
# Label keys and resources that everybody has; what stands before the '/' or behind a '.' in front of it.
_PUBLIC = (
    "kubernetes.io",
    "k8s.io",
    "x-k8s.io",
    "nvidia.com",
    "amd.com",
    "intel.com",
    "google.com",
    "amazonaws.com",
    "azure.com",
    "karpenter.sh",
    "habana.ai",
)


class Names:
    """Collects names on a first walk over all objects; after `settle` it gives the new ones."""

    def __init__(self, *, seed: int) -> None:
        self._seed = seed
        self._seen: dict[str, set[str]] = {}
        self._values: dict[str, set[str]] = {}
        self._used: set[str] = set()
        self._numbers: set[str] = set()
        self._maps: dict[str, dict[str, str]] | None = None
        # Resources whose names are not known everywhere; names of resources stay.
        self.private_resources: set[str] = set()

    def text(self, category: str, text: str) -> str:
        """The new name; "" stays."""
        if not text:
            return text
        if self._maps is None:
            self._seen.setdefault(category, set()).add(text)
            return text
        return self._maps[category][text]

    def key(self, key: str) -> str:
        """The new key of a label or taint; well-known ones stay."""
        return key if is_public(key) else self.text("label", key)

    def use(self, key: str, *, as_number: bool = False) -> None:
        """Something looks at the values of this label, or compares them as numbers."""
        self._used.add(key)
        if as_number:
            self._numbers.add(key)

    def is_used(self, key: str) -> bool:
        """Whether something looks at the label."""
        return key in self._used or self._maps is None

    def value(self, key: str, value: str) -> str:
        """The new value of a label or taint. Numbers stay where they are compared as such."""
        if self._maps is None:
            self._values.setdefault(key, set()).add(value)
            return value
        if key in self._numbers or not value:
            return value
        return self.text(_KEY_CATEGORIES.get(key, VALUE), value)

    def resource(self, name: str) -> str:
        """Resources keep their names: prefixes, units and what counts as a GPU depend on them."""
        if "/" in name and not is_public(name):
            self.private_resources.add(name)
        return name

    def settle(self) -> None:
        """Choose the new names. What was not seen before has none."""
        for key, values in self._values.items():
            if key in self._used and key not in self._numbers:
                self._seen.setdefault(_KEY_CATEGORIES.get(key, VALUE), set()).update(values - {""})
        self._maps = {category: self._map(category, found) for category, found in sorted(self._seen.items())}

    def _map(self, category: str, found: Iterable[str]) -> dict[str, str]:
        names = sorted(found)
        draw = random.Random(f"{self._seed}/{category}")
        if category == UID:
            numbers = sorted(draw.sample(range(1, 16**8), len(names)))
            return {
                name: f"{number:08x}-0000-4000-8000-000000000000" for name, number in zip(names, numbers, strict=True)
            }
        if category == NAMESPACE:
            return _nested(names, draw)
        anchor, before = _ANCHORS.get(category, ("", ""))
        numbered = _numbered([name for name in names if name != anchor], draw)
        made = {name: f"{before if name < anchor else _PREFIXES[category]}-{number}" for name, number in numbered}
        return made | {name: name for name in names if name == anchor}

    def mapping(self) -> dict[str, dict[str, str]]:
        """Old names to new ones by category, sorted: what leads back from an answer to the cluster."""
        return {category: dict(sorted(found.items())) for category, found in sorted((self._maps or {}).items())}


def _numbered(names: list[str], draw: random.Random) -> list[tuple[str, str]]:
    """The names with numbers of one length, ascending."""
    digits = max(3, len(str(len(names) * 10)))
    numbers = sorted(draw.sample(range(10**digits), len(names)))
    return [(name, f"{number:0{digits}d}") for name, number in zip(names, numbers, strict=True)]


def _nested(names: list[str], draw: random.Random) -> dict[str, str]:
    """Rule 2. Names are sorted, so one comes right after those that it continues."""
    children: dict[str, list[str]] = {}
    above: list[str] = []
    for name in names:
        while above and not name.startswith(f"{above[-1]}-"):
            above.pop()
        children.setdefault(above[-1] if above else "", []).append(name)
        above.append(name)
    made: dict[str, str] = {}
    for parent in ["", *names]:
        for name, number in _numbered(children.get(parent, []), draw):
            made[name] = f"{made[parent]}-{number}" if parent else f"{_PREFIXES[NAMESPACE]}-{number}"
    return made


def is_public(name: str) -> bool:
    """Whether the key of a label or the name of a resource belongs to a project that everybody knows."""
    domain, slash, _ = name.rpartition("/")
    return bool(slash) and any(domain == public or domain.endswith(f".{public}") for public in _PUBLIC)
