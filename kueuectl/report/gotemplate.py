"""Go templates, as kubectl fills them in with -o go-template: an interpreter of our own for documents.

Values are those of JSON. A field that isn't there has no value, and so have its fields; null has no value either, but
asking it for a field is an error. Limits keep a template that never ends from filling time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from kueuectl.errors import InputError
from kueuectl.report import goformat, gotemplate_functions, gotemplate_syntax
from kueuectl.report.gotemplate_functions import FUNCTIONS, NO_VALUE, SHORT, FunctionError, is_true
from kueuectl.report.gotemplate_syntax import Action, Branch, Call, Leave, Literal, Node, Operand, Pipe, Template, Text

_MOST_STEPS = 5_000_000
_MOST_CALLS = 100


class _Missing:
    """The value of a field that isn't there."""

    def __bool__(self) -> bool:
        return False


_MISSING = _Missing()
# No value comes from the stage before: this one is the first.
_FIRST = object()


def parse(template: str) -> Template:
    """The tree of a template; raises InputError with the place where it can't be read."""
    return gotemplate_syntax.parse(template, gotemplate_functions.NAMES)


def render(template: Template, document: Any, *, allow_missing: bool = True) -> str:
    """The template filled in from a document.

    Raises InputError where it can't be, with the place; without `allow_missing` for a field that isn't there too.
    """
    try:
        return _Filling(template, document, allow_missing=allow_missing).text()
    except RecursionError:
        raise InputError("the template is nested too deeply") from None


class _Filling:
    """One run of a template: its variables (name and value, the last ones first), and what was printed."""

    def __init__(self, template: Template, document: Any, *, allow_missing: bool) -> None:
        self._template = template
        self._allow_missing = allow_missing
        self._variables: list[tuple[str, Any]] = [("$", document)]
        self._out: list[str] = []
        self._size = 0
        self._steps = 0
        self._calls = 0

    def text(self) -> str:
        """The whole text."""
        self._walk(self._template.body, self._variables[0][1])
        return "".join(self._out)

    def _fail(self, at: int, problem: str) -> NoReturn:
        gotemplate_syntax.fail(self._template.source, at, problem)

    # -- statements

    def _walk(self, body: Sequence[Node], dot: Any) -> str:
        """Carry out a body; "break" or "continue" where it was left before its end."""
        for node in body:
            self._step()
            if isinstance(node, Text):
                self._print(node.value)
            elif isinstance(node, Action):
                value = self._pipe(node.pipe, dot)
                if not node.pipe.variables:
                    self._print(NO_VALUE if value is None or value is _MISSING else goformat.show(value))
            elif isinstance(node, Leave):
                return node.word
            elif isinstance(node, Call):
                self._call(node, dot)
            else:
                known = len(self._variables)
                left = self._range(node, dot) if node.word == "range" else self._branch(node, dot)
                del self._variables[known:]
                if left:
                    return left
        return ""

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise InputError(f"the template takes more than {_MOST_STEPS} steps")

    def _print(self, text: str) -> None:
        self._size += len(text)
        if self._size > goformat.MOST_TEXT:
            raise InputError("the template prints too much")
        self._out.append(text)

    def _branch(self, node: Branch, dot: Any) -> str:
        value = self._pipe(node.pipe, dot)
        if is_true(value):
            return self._walk(node.body, value if node.word == "with" else dot)
        return self._walk(node.other, dot)

    def _range(self, node: Branch, dot: Any) -> str:
        pipe = node.pipe
        value = self._pipe(pipe, dot)
        known = len(self._variables)
        is_empty = True
        for key, item in self._items(pipe, value):
            is_empty = False
            self._step()
            held = (item,) if len(pipe.variables) == 1 else (key, item)
            for name, one in zip(pipe.variables, held, strict=False):
                self._assign(name, one, is_new=pipe.is_declared)
            left = self._walk(node.body, item)
            del self._variables[known:]
            if left == "break":
                break
        return self._walk(node.other, dot) if is_empty else ""

    def _items(self, pipe: Pipe, value: Any) -> Iterator[tuple[Any, Any]]:
        """(key, value) of what is ranged over: maps in the order of their keys, lists, and numbers up to one."""
        if isinstance(value, Mapping):
            for key in sorted(value, key=str):
                yield str(key), value[key]
        elif isinstance(value, (list, tuple)):
            for place, item in enumerate(value):
                yield Literal(place), item
        elif isinstance(value, int) and not isinstance(value, bool):
            if len(pipe.variables) > 1:
                self._fail(pipe.at, "a range over a number has one variable")
            for number in range(value):
                yield Literal(number), type(value)(number)
        elif value is not None and value is not _MISSING:
            self._fail(pipe.at, f"can't range over {gotemplate_syntax.cut(goformat.show(value))}")

    def _call(self, node: Call, dot: Any) -> None:
        body = self._template.defined.get(node.name)
        if body is None:
            self._fail(node.at, f"template {gotemplate_syntax.cut(node.name)!r} is not defined")
        self._calls += 1
        if self._calls > _MOST_CALLS:
            self._fail(node.at, f"more than {_MOST_CALLS} templates inside of each other")
        value = _MISSING if node.pipe is None else self._pipe(node.pipe, dot)
        variables, self._variables = self._variables, [("$", value)]
        self._walk(body, value)
        self._variables = variables
        self._calls -= 1

    # -- values

    def _pipe(self, pipe: Pipe, dot: Any) -> Any:
        """The result of a pipeline; its variables get it."""
        value: Any = _FIRST
        for command in pipe.commands:
            value = self._command(command, dot, value)
        if value is None:
            value = _MISSING
        for name in pipe.variables:
            self._assign(name, value, is_new=pipe.is_declared)
        return value

    def _assign(self, name: str, value: Any, *, is_new: bool) -> None:
        if not is_new:
            for place in range(len(self._variables) - 1, -1, -1):
                if self._variables[place][0] == name:
                    self._variables[place] = (name, value)
                    return
        self._variables.append((name, value))

    def _command(self, operands: tuple[Operand, ...], dot: Any, final: Any) -> Any:
        """The value of a command; `final` is that of the stage before."""
        first = operands[0]
        if first.kind == "function" and not first.fields:
            return self._function(first, operands[1:], dot=dot, final=final)
        if len(operands) > 1 or final is not _FIRST:
            self._fail(first.at, "only functions take values")
        if first.kind == "nil":
            self._fail(first.at, "nil alone has no value to print")
        return self._operand(first, dot)

    def _operand(self, operand: Operand, dot: Any) -> Any:
        kind = operand.kind
        if kind in ("const", "nil"):
            return operand.value
        if kind == "dot":
            value = dot
        elif kind == "variable":
            value = self._variable(operand)
        elif kind == "pipe":
            value = self._pipe(operand.value, dot)
        else:
            value = self._function(operand, (), dot=dot, final=_FIRST)
        for field in operand.fields:
            value = self._field(value, field, operand.at)
        return value

    def _variable(self, operand: Operand) -> Any:
        """The value of a variable; one that is declared by the pipeline it stands in has none yet."""
        found = next((pair for pair in reversed(self._variables) if pair[0] == operand.value), None)
        if found is None:
            self._fail(operand.at, f"variable {operand.value} has no value yet")
        return found[1]

    def _field(self, value: Any, name: str, at: int) -> Any:
        found: Any = _MISSING
        if isinstance(value, Mapping):
            found = value.get(name, _MISSING)
        elif value is not _MISSING:
            kind = "null" if value is None else goformat.named(value)
            self._fail(at, f"{kind} has no field {name}")
        if found is _MISSING and not self._allow_missing:
            self._fail(at, f"there is no field {name}")
        return found

    # -- functions

    def _function(self, called: Operand, operands: Sequence[Operand], *, dot: Any, final: Any) -> Any:
        name = str(called.value)
        count = len(operands) + (final is not _FIRST)
        if name in SHORT:
            if not count:
                self._fail(called.at, f"{name} takes at least one value")
            return self._short(name, operands, dot=dot, final=final)
        function = FUNCTIONS[name]
        if count < function.least or 0 <= function.most < count:
            least = "" if function.most == function.least else "at least "
            self._fail(called.at, f"{name} takes {least}{_counted(function.least)}, not {count}")
        values = [self._operand(operand, dot) for operand in operands]
        values += [] if final is _FIRST else [final]
        try:
            return function.run(*(None if value is _MISSING else value for value in values))
        except FunctionError as error:
            self._fail(called.at, f"{name}: {error}")

    def _short(self, name: str, operands: Sequence[Operand], *, dot: Any, final: Any) -> Any:
        """and gives the first value that isn't true, or the last one; or the first that is."""
        value: Any = _MISSING
        for operand in operands:
            value = self._operand(operand, dot)
            if is_true(value) == (name == "or"):
                return value
        return value if final is _FIRST else final


def _counted(count: int) -> str:
    return "one value" if count == 1 else f"{count} values"
