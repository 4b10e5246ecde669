"""Answers that need nothing but a generated table: help, `version --client` and the completion of words.

Imports next to nothing: this runs before Typer is loaded, and instead of it. Whatever it is not sure about it leaves
to Typer (`None`). The table, `_pages.py`, is generated from the live commands and compared with them by a test.
"""

from __future__ import annotations

import sys

# Directives of the completion protocol of kubectl: what the shell may do beside showing the candidates.
_FILES, _NO_SPACE, _NO_FILES = 0, 2, 4

_HELP = ("-h", "--help")


def program(path: str) -> str:
    """What the user typed to start this: `kubectl kueue` for a plugin's executable, else `kueuectl`."""
    name = path.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    if name.startswith("kubectl-"):
        return "kubectl " + name[len("kubectl-") :].replace("_", "-")
    return "kueuectl"


def answer(argv: list[str], name: str) -> int | None:
    """Answer a command line and return its exit code, or None if it takes the whole program."""
    if argv[:1] == ["__complete"]:
        return complete(argv[1:])
    if argv == ["version", "--client"]:
        from kueuectl import KUEUE_TARGET, __version__

        return _write(f"Client Version: v{__version__}\nKueue Target: {KUEUE_TARGET}\n")
    # Without a word for help only a group asks for a page, and it stands alone.
    if len(argv) > 1 and not any(word in _HELP for word in argv):
        return None
    page = _page(argv)
    return None if page is None else _write(page.replace("kueuectl ", name + " "))


def _page(argv: list[str]) -> str | None:
    """The help page that the words ask for, if they certainly do."""
    from kueuectl.cli import _pages

    path, wants_value, asks = "", False, False
    for word in argv:
        if wants_value:
            wants_value = False
        elif word in _HELP:
            asks = True
        elif word.startswith("-"):
            name, equals, _ = word.partition("=")
            known = _pages.FLAGS[path].get(name) or _pages.GLOBAL_FLAGS.get(name)
            if known is None:
                return None
            wants_value = bool(known[0]) and not equals
        else:
            child = _pages.WORDS.get(path, {}).get(word)
            if child is None:
                return None
            path = child
    if wants_value or not (asks or path in _pages.WORDS):
        return None
    return _pages.PAGES[path]


def _write(text: str) -> int:
    """Write an answer; a reader that is gone is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def complete(words: list[str]) -> int:
    """Print candidates for the last word: a line each, `word<TAB>description`, then `:directive`."""
    found, directive = _candidates(words or [""])
    lines = [f"{word}\t{about}" if about else word for word, about in found]
    return _write("".join(f"{line}\n" for line in (*lines, f":{directive}")))


def _candidates(words: list[str]) -> tuple[list[tuple[str, str]], int]:
    from kueuectl.cli import _pages

    path, metavar, flag = "", "", ""
    given: list[tuple[str, str]] = []
    places: list[str] = []
    bare = False
    for word in words[:-1]:
        if metavar:
            given.append((flag, word))
            metavar = ""
        elif bare or not word.startswith("-") or word == "-":
            child = None if places or bare else _pages.WORDS.get(path, {}).get(word.lower())
            if child is None:
                places.append(word)
            else:
                path = child
        elif word == "--":
            bare = True
        else:
            flag, equals, value = word.partition("=")
            metavar = _metavar(path, flag)
            if equals:
                given.append((flag, value))
                metavar = ""
    last = words[-1]
    if metavar:
        return _values(metavar, last, given=given, places=places)
    if last.startswith("-") and not bare:
        name, equals, value = last.partition("=")
        if equals:
            return _values(_metavar(path, name), value, given=given, places=places)
        known = {**_pages.FLAGS[path], **_pages.GLOBAL_FLAGS}
        return [(name, about) for name, (_, about) in known.items() if name.startswith(last)], _NO_FILES
    if path in _pages.SHOWN:
        if places:
            return [], _NO_FILES
        wanted = last.lower()
        return [(name, about) for name, about in _pages.SHOWN[path] if name.startswith(wanted)], _NO_FILES
    return _values(_pages.ARGUMENTS[path], last, given=given, places=places)


def _metavar(path: str, flag: str) -> str:
    """What a flag takes; "" for a switch, and for what is no flag."""
    from kueuectl.cli import _pages

    known = _pages.FLAGS[path].get(flag) or _pages.GLOBAL_FLAGS.get(flag)
    return known[0] if known else ""


def _values(
    metavar: str, start: str, *, given: list[tuple[str, str]], places: list[str]
) -> tuple[list[tuple[str, str]], int]:
    """Candidates for a value: fixed words from the table, names from the state, or the shell's own files."""
    from kueuectl.cli import _pages

    kinds = _pages.OBJECTS.get(metavar)
    if kinds is not None and not places and "/" not in start:
        return [(f"{kind}/", "") for kind in kinds if kind.startswith(start.lower())], _NO_FILES | _NO_SPACE
    choices = _pages.CHOICES.get(metavar)
    if choices is not None:
        found = [(word, "") for word in choices if word.startswith(start)]
        return found, _NO_FILES | (_NO_SPACE if len(found) == 1 and found[0][0].endswith("=") else 0)
    if metavar in _pages.FILES and not start.startswith("example:"):
        return [], _FILES
    if metavar not in (*_pages.DYNAMIC, *_pages.OBJECTS, "PATH"):
        return [], _NO_FILES
    from kueuectl.cli.frame import names

    return names.candidates(metavar, start, given=given, places=places), _NO_FILES
