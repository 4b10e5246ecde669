"""The architecture, enforced: who may import whom, what pure means, how large things may get. Reads syntax only."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "kueuectl"

# Package (or module of the top level) -> what it may import of ours. The top level's own names are free for all.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "quantity": {"errors"},
    "times": {"errors"},
    "model": set(),
    "api": {"model", "quantity", "times", "errors"},
    "engine": {"model"},
    "analysis": {"engine", "model"},
    "report": {"analysis", "engine", "model", "quantity", "times", "errors"},
    "cluster": {"api", "model", "times", "errors"},
    "store": {"api", "model", "times", "errors"},
    "cli": {"api", "engine", "analysis", "report", "cluster", "store", "model", "quantity", "times", "errors"},
    "__main__": {"cli"},
    "__init__": set(),
}

# Third-party packages: at the top of a module, and inside functions (which is where what is slow to load belongs).
AT_TOP: dict[str, set[str]] = {
    "model": {"msgspec"},
    "api": {"msgspec"},
    "store": {"msgspec"},
    "cluster": {"msgspec"},
    "cli": {"typer"},
}
INSIDE: dict[str, set[str]] = {
    "report": {"rich", "yaml", "msgspec", "jsonpath_ng"},
    "cluster": {"urllib3", "yaml"},
    "store": {"yaml"},
    "cli": {"typer", "rich"},
}

# Modules that build on a package that is slow to load: they are only imported inside functions.
LAZY: dict[str, set[str]] = {"store/yaml_builder.py": {"yaml"}}

PURE = ("model", "engine", "analysis")
PURE_STDLIB = frozenset(
    {
        "__future__",
        "bisect",
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "heapq",
        "itertools",
        "math",
        "operator",
        "re",
        "typing",
    }
)
IMPURE_CALLS = frozenset({"open", "print", "input", "exec", "eval", "breakpoint", "__import__"})

# Broad handlers beside the one in cli/app.py, and why each is right. Handlers that end in a bare `raise` are free.
BROAD_HANDLERS = {
    "cli/app.py": "the one place where an unexpected error becomes a message and an exit code",
    "cli/frame/names.py": "shell completion must stay silent, whatever goes wrong",
    "cluster/parallel.py": "hands the error of a thread to the one that waits for it",
}

MAX_MODULE_LINES = 500
MAX_FUNCTION_LINES = 60


@dataclass(frozen=True)
class Module:
    """A source file with its syntax tree."""

    name: str
    path: Path
    tree: ast.Module
    lines: int

    @property
    def short(self) -> str:
        """The path below the package."""
        return self.path.relative_to(PACKAGE).as_posix()

    @property
    def layer(self) -> str:
        """The package, or the module itself on the top level."""
        return self.short.split("/", 1)[0].removesuffix(".py")


@dataclass(frozen=True)
class Import:
    """One imported module: where, and when it is loaded."""

    target: str
    line: int
    at_top: bool
    for_types: bool = False


@lru_cache(maxsize=1)
def modules() -> dict[str, Module]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module(name, path, ast.parse(text, filename=str(path)), text.count("\n"))
    return found


def imports(module: Module) -> Iterator[Import]:
    """All imports of a module, those inside functions too."""
    yield from _imports(module.tree.body, at_top=True, for_types=False)


def _imports(body: list[ast.stmt], *, at_top: bool, for_types: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, at_top, for_types)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if full in modules() else base, node.lineno, at_top, for_types)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            types = for_types or (isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"))
            for _, value in ast.iter_fields(node):
                for part in value if isinstance(value, list) else ():
                    if isinstance(part, ast.stmt):
                        yield from _imports([part], at_top=at_top and not inside, for_types=types)
                    elif isinstance(part, ast.ExceptHandler | ast.match_case):
                        yield from _imports(part.body, at_top=at_top and not inside, for_types=types)


def report(faults: list[str]) -> None:
    assert not faults, "\n" + "\n".join(faults)


def test_every_package_has_its_place() -> None:
    layers = {module.layer for module in modules().values()}
    report([f"kueuectl/{layer} is in no row of the import table" for layer in sorted(layers - set(MAY_IMPORT))])


def test_imports_go_downward_only() -> None:
    faults = []
    for module in modules().values():
        allowed = MAY_IMPORT.get(module.layer, set()) | {module.layer}
        for entry in imports(module):
            parts = entry.target.split(".")
            if parts[0] == "kueuectl" and len(parts) > 1 and entry.target in modules() and parts[1] not in allowed:
                faults.append(f"{module.short}:{entry.line}: {module.layer} may not import {entry.target}")
    report(faults)


def test_imports_are_absolute_and_never_starred() -> None:
    faults = []
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom):
                if node.level:
                    faults.append(f"{module.short}:{node.lineno}: relative import")
                if any(alias.name == "*" for alias in node.names):
                    faults.append(f"{module.short}:{node.lineno}: star import")
    report(faults)


def test_third_party_packages_stay_where_they_belong() -> None:
    faults = []
    for module in modules().values():
        at_top = AT_TOP.get(module.layer, set()) | LAZY.get(module.short, set())
        inside = INSIDE.get(module.layer, set())
        for entry in imports(module):
            root = entry.target.split(".")[0]
            if root == "kueuectl" or root in sys.stdlib_module_names or entry.for_types:
                continue
            if root not in at_top | inside:
                faults.append(f"{module.short}:{entry.line}: {module.layer} may not use {root}")
            elif entry.at_top and root not in at_top:
                faults.append(f"{module.short}:{entry.line}: import {root} inside the function that needs it")
    report(faults)


def test_modules_that_are_slow_to_load_are_imported_late() -> None:
    lazy = {f"kueuectl.{name.removesuffix('.py').replace('/', '.')}" for name in LAZY}
    faults = [
        f"{module.short}:{entry.line}: import {entry.target} inside the function that needs it"
        for module in modules().values()
        for entry in imports(module)
        if entry.at_top and not entry.for_types and any(entry.target.startswith(name) for name in lazy)
    ]
    report(faults)


@pytest.mark.parametrize("layer", PURE)
def test_pure_packages_use_pure_modules_only(layer: str) -> None:
    faults = []
    for module in modules().values():
        if module.layer != layer:
            continue
        for entry in imports(module):
            root = entry.target.split(".")[0]
            # The structs of values.py compute nothing: docs/adr/0004.
            if root == "msgspec" and module.short == "model/values.py":
                continue
            if root != "kueuectl" and root not in PURE_STDLIB:
                faults.append(f"{module.short}:{entry.line}: {layer} is pure and may not use {entry.target}")
    report(faults)


@pytest.mark.parametrize("layer", PURE)
def test_pure_packages_do_no_input_or_output(layer: str) -> None:
    faults = []
    for module in modules().values():
        if module.layer != layer:
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
                faults.append(f"{module.short}:{node.lineno}: {node.func.id}() in a pure package")
            if isinstance(node, ast.Global):
                faults.append(f"{module.short}:{node.lineno}: global state in a pure package")
    report(faults)


@pytest.mark.parametrize("layer", PURE)
def test_pure_packages_keep_no_state_between_calls(layer: str) -> None:
    """An empty container on the module level is there to be filled."""
    faults = []
    for module in modules().values():
        if module.layer != layer:
            continue
        for node in module.tree.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            empty = (isinstance(value, ast.List | ast.Set) and not value.elts) or (
                isinstance(value, ast.Dict) and not value.keys
            )
            made = isinstance(value, ast.Call) and ast.unparse(value.func) in ("dict", "list", "set", "defaultdict")
            annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
            # A name that is declared with a read-only type is a constant.
            if (empty or made) and not annotation.startswith(("Mapping", "Sequence", "Summary")):
                faults.append(f"{module.short}:{node.lineno}: state on the module level of a pure package")
    report(faults)


def test_no_import_cycles() -> None:
    """Among what is loaded when a module is; imports for types and inside functions close no cycle at run time."""
    graph = {
        name: sorted(
            {e.target for e in imports(module) if e.at_top and not e.for_types and e.target in modules()} - {name}
        )
        for name, module in modules().items()
    }
    done: set[str] = set()
    for start in sorted(graph):
        cycle = _cycle(graph, start, [], done)
        assert cycle is None, "import cycle: " + " -> ".join(cycle or ())


def _cycle(graph: dict[str, list[str]], name: str, path: list[str], done: set[str]) -> list[str] | None:
    if name in path:
        return [*path[path.index(name) :], name]
    if name in done:
        return None
    for target in graph[name]:
        found = _cycle(graph, target, [*path, name], done)
        if found:
            return found
    done.add(name)
    return None


def test_modules_are_short() -> None:
    long = [module for module in modules().values() if module.lines > MAX_MODULE_LINES]
    report([f"{module.short}: {module.lines} lines, at most {MAX_MODULE_LINES}" for module in long])


def test_functions_are_short() -> None:
    faults = []
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                # The signature is not counted: a command's options are one parameter each.
                length = (node.end_lineno or node.lineno) - node.body[0].lineno + 1
                if length > MAX_FUNCTION_LINES:
                    faults.append(f"{module.short}:{node.lineno}: {node.name} has {length} lines, cut it at its phases")
    report(faults)


def test_broad_handlers_are_rare() -> None:
    faults = []
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node) and module.short not in BROAD_HANDLERS:
                last = node.body[-1]
                if not (isinstance(last, ast.Raise) and last.exc is None):
                    faults.append(f"{module.short}:{node.lineno}: catches everything; catch what can happen")
    report(faults)


def _is_broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or any(
        isinstance(part, ast.Name) and part.id in ("Exception", "BaseException") for part in ast.walk(node.type)
    )


def test_modules_say_what_they_are_for() -> None:
    missing = [module.short for module in modules().values() if not ast.get_docstring(module.tree)]
    report([f"{short}: no docstring" for short in missing])


def test_public_functions_and_classes_have_docstrings() -> None:
    faults = []
    for module in modules().values():
        for node in _public(module.tree):
            if not ast.get_docstring(node):
                faults.append(f"{module.short}:{node.lineno}: {node.name} has no docstring")
    report(faults)


def _public(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from _public(node)


def test_the_architecture_names_every_module_and_every_folder_of_tests() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`([\w/*.]+?)/?`", text)
    modules = [
        path.stem
        for folder in ("analysis", "api", "cli/frame", "cluster", "engine", "report", "store")
        for path in (PACKAGE / folder).glob("*.py")
        if path.stem != "__init__"
    ]
    folders = [f"tests/{path.parent.name}" for path in (ROOT / "tests").glob("*/__init__.py")]
    missing = [name for name in modules + folders if not any(fnmatch(name, pattern) for pattern in named)]
    assert not missing, "docs/architecture.md has to say what these are for"
