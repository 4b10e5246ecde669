"""The scenarios that are shipped with the package: `--from example:NAME`.

An example is `examples/NAME.yaml` or a folder `examples/NAME`, and its Configuration `examples/NAME.config.yaml` if it
needs one. The first line of the file (or of the folder's first file) is a comment that says what it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from kueuectl.errors import InputError

_FOLDER = "examples"
_SUFFIX = ".yaml"
_CONFIG = ".config.yaml"


@dataclass(frozen=True, slots=True)
class Example:
    """A shipped scenario: its files in order, and its Configuration."""

    name: str
    files: tuple[Traversable, ...]
    config: Traversable | None = None

    @property
    def title(self) -> str:
        """What it shows, in one line; "" when its first line is no comment."""
        line = self.files[0].read_text(encoding="utf-8").partition("\n")[0]
        return line.lstrip("# ").strip() if line.startswith("#") else ""


def names() -> tuple[str, ...]:
    """Names of all examples, sorted."""
    return tuple(sorted(_all()))


def find(name: str) -> Example:
    """The example of that name; raises InputError that lists those there are."""
    found = _all().get(name)
    if found is None:
        raise InputError(f"there is no example {name[:60]!r}", hint=f"examples: {', '.join(names()) or 'none'}")
    return found


def _all() -> dict[str, Example]:
    folder = resources.files(__package__) / _FOLDER
    if not folder.is_dir():
        return {}
    entries = {entry.name: entry for entry in folder.iterdir() if not entry.name.startswith((".", "_"))}
    found = {}
    for entry_name, entry in entries.items():
        if entry.is_dir():
            name, files = entry_name, tuple(sorted(_files(entry), key=lambda file: file.name))
        elif entry_name.endswith(_SUFFIX) and not entry_name.endswith(_CONFIG):
            name, files = entry_name.removesuffix(_SUFFIX), (entry,)
        else:
            continue
        if files:
            found[name] = Example(name, files, entries.get(name + _CONFIG))
    return found


def _files(folder: Traversable) -> list[Traversable]:
    return [entry for entry in folder.iterdir() if entry.name.endswith((_SUFFIX, ".yml", ".json"))]
