"""Reading Go's template language: a template becomes tokens, and these a tree.

The language is that of Go's documented package text/template: text, and actions in double braces with trim markers,
comments, pipelines, variables, if, range, with, define, template and block.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from kueuectl.errors import InputError

_SHOWN = 60
_SPACES = " \t\r\n"
_INT64 = 2**63
KEYWORDS = frozenset(["block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"])
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\[^\n])*")|(?P<raw>`[^`]*`)|(?P<char>'(?:[^'\\\n]|\\[^\n]+?)')"""
    r"""|(?P<number>[+-]?(?:\.?[0-9])(?:[eEpP][+-]|[\w.])*)|(?P<variable>\$\w*)|(?P<field>\.[^\W\d]\w*)|(?P<dot>\.)"""
    r"""|(?P<word>[^\W\d]\w*)|(?P<declare>:=)|(?P<sign>[=,|()])"""
)
_WHOLE = re.compile(r"[+-]?(?:[0-9][0-9_]*|0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+)")
_OLD_OCTAL = re.compile(r"^([+-]?)0_?(?=[0-7_]+$)")
# What a name may be followed by.
_ENDS = frozenset(" \t\r\n.,|:()")
_UNFINISHED = {'"': "a quoted text has no end", "`": "a raw text has no end", "'": "a character has no end"}


class Token(NamedTuple):
    """A piece of a template: text, left, right, or what stands between; `spaced` means behind a blank."""

    kind: str
    text: str
    at: int
    spaced: bool = False


class Operand(NamedTuple):
    """What a command is made of: kind is const, nil, dot, variable, function or pipe; `fields` are read from it."""

    kind: str
    value: Any
    fields: tuple[str, ...]
    at: int


class Pipe(NamedTuple):
    """Commands, each but the first with the result before as its last argument; and variables that get the result."""

    commands: tuple[tuple[Operand, ...], ...]
    variables: tuple[str, ...]
    is_declared: bool
    at: int


class Text(NamedTuple):
    """Text to print as it is."""

    value: str


class Action(NamedTuple):
    """A pipeline whose result is printed, unless variables get it."""

    pipe: Pipe


class Branch(NamedTuple):
    """if, with or range: a body, and what is done without a value."""

    word: str
    pipe: Pipe
    body: tuple[Node, ...]
    other: tuple[Node, ...]


class Call(NamedTuple):
    """A named template, filled in with a value of its own."""

    name: str
    pipe: Pipe | None
    at: int


class Leave(NamedTuple):
    """break or continue."""

    word: str


Node = Text | Action | Branch | Call | Leave


class Template(NamedTuple):
    """A template that was read, with those that it defines."""

    source: str
    body: tuple[Node, ...]
    defined: dict[str, tuple[Node, ...]]


def fail(source: str, at: int, problem: str) -> NoReturn:
    """Raise InputError with the line and column of a place in a template."""
    before = source[:at]
    line, column = before.count("\n") + 1, at - before.rfind("\n")
    raise InputError(problem, source=f"template, line {line}, column {column}")


def cut(text: str) -> str:
    """The start of a text that may be long."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def tokens(source: str) -> Iterator[Token]:
    """The tokens of a template; text between actions is trimmed where their markers say so. Raises InputError."""
    at, trims = 0, False
    while True:
        brace = source.find("{{", at)
        text = source[at:] if brace < 0 else source[at:brace]
        if trims:
            text = text.lstrip(_SPACES)
        inner = brace + 2
        if brace >= 0 and source[inner : inner + 1] == "-" and source[inner + 1 : inner + 2] in tuple(_SPACES):
            text = text.rstrip(_SPACES)
            inner += 2
        if text:
            yield Token("text", text, at)
        if brace < 0:
            return
        if source.startswith("/*", inner):
            end = _comment_end(source, inner)
        else:
            yield Token("left", "{{", brace)
            end = inner
            for token in _inside(source, brace, inner):
                yield token
                end = token.at + len(token.text)
        trims = source[end - 3] == "-" and source[end - 4] in _SPACES
        at = end


def _comment_end(source: str, at: int) -> int:
    close = source.find("*/", at + 2)
    if close < 0:
        fail(source, at, "a comment has no end")
    for closing in ("}}", *(f"{blank}-}}}}" for blank in _SPACES)):
        if source.startswith(closing, close + 2):
            return close + 2 + len(closing)
    fail(source, close, "a comment ends right before the closing braces")


def _inside(source: str, start: int, at: int) -> Iterator[Token]:
    """The tokens of an action, up to and with its closing braces."""
    while True:
        before = at
        while at < len(source) and source[at] in _SPACES:
            at += 1
        spaced = at > before
        if source.startswith("}}", at):
            yield Token("right", "}}", at, spaced)
            return
        if spaced and source.startswith("-}}", at):
            yield Token("right", "-}}", at, spaced)
            return
        if at >= len(source):
            fail(source, start, "an action has no closing braces")
        token = _token(source, at, spaced)
        yield token
        at += len(token.text)


def _token(source: str, at: int, spaced: bool) -> Token:
    match = _TOKEN.match(source, at)
    if match is None:
        fail(source, at, _UNFINISHED.get(source[at], f"unexpected {source[at]!r}"))
    kind = str(match.lastgroup)
    end = match.end()
    is_name = kind in ("variable", "field", "word")
    if is_name and end < len(source) and source[end] not in _ENDS and not source.startswith("}}", end):
        hint = ': write (index MAP "KEY") for such a key' if kind == "field" and source[end] in "-/" else ""
        fail(source, end, f"{source[end]!r} can't be in a name{hint}")
    return Token(kind, match.group(), at, spaced)


def parse(source: str, functions: frozenset[str]) -> Template:
    """The tree of a template; `functions` are the names that it may call. Raises InputError with the place."""
    try:
        return _Parser(source, functions).template()
    except RecursionError:
        raise InputError("the template is nested too deeply") from None


class _Parser:
    """A parser for one template; `_names` are the variables that are known where it stands."""

    def __init__(self, source: str, functions: frozenset[str]) -> None:
        self._source = source
        self._functions = functions
        self._tokens = [*tokens(source), Token("end", "", len(source))]
        self._place = 0
        self._names = ["$"]
        self._ranges = 0
        self._defined: dict[str, tuple[Node, ...]] = {}

    def template(self) -> Template:
        """The whole template."""
        body: list[Node] = []
        while self._peek.kind != "end":
            if self._peek.kind == "left" and self._tokens[self._place + 1].text == "define":
                self._define()
            else:
                node = self._node()
                if isinstance(node, str):
                    self._fail(f"{node} without if, range, with or define")
                if node is not None:
                    body.append(node)
        return Template(self._source, tuple(body), self._defined)

    # -- tokens

    @property
    def _peek(self) -> Token:
        return self._tokens[self._place]

    def _next(self) -> Token:
        token = self._tokens[self._place]
        self._place += 1
        return token

    def _fail(self, problem: str, token: Token | None = None) -> NoReturn:
        fail(self._source, (token or self._tokens[max(self._place - 1, 0)]).at, problem)

    def _unexpected(self, token: Token, where: str) -> NoReturn:
        shown = "the end of the template" if token.kind == "end" else cut(token.text)
        self._fail(f"unexpected {shown} in {where}", token)

    def _right(self, where: str) -> None:
        token = self._next()
        if token.kind != "right":
            self._unexpected(token, where)

    # -- statements

    def _node(self) -> Node | str | None:
        """The next node; for what ends a body its word: "end" or "else". None for one that leaves nothing."""
        token = self._next()
        if token.kind == "text":
            return Text(token.text)
        if token.kind == "end":
            self._fail("a body has no {{end}}", token)
        word = self._peek.text if self._peek.kind == "word" else ""
        if word not in KEYWORDS:
            return Action(self._pipe("an action"))
        token = self._next()
        if word in ("end", "else"):
            if word == "end":
                self._right("end")
            return word
        if word in ("if", "with", "range"):
            return self._branch(word)
        if word in ("break", "continue"):
            if not self._ranges:
                self._fail(f"{word} outside of range", token)
            self._right(word)
            return Leave(word)
        if word == "define":
            self._fail("a template can be defined only outside of others", token)
        return self._call(word)

    def _body(self) -> tuple[tuple[Node, ...], str]:
        """Nodes up to an end or else, and which of them it was."""
        body: list[Node] = []
        while True:
            node = self._node()
            if isinstance(node, str):
                return tuple(body), node
            if node is not None:
                body.append(node)

    def _branch(self, word: str) -> Branch:
        known = len(self._names)
        pipe = self._pipe(word)
        self._ranges += word == "range"
        body, ended = self._body()
        self._ranges -= word == "range"
        other: tuple[Node, ...] = ()
        if ended == "else":
            token = self._peek
            if token.text == word and word != "range":
                self._next()
                other = (self._branch(word),)
            else:
                self._right("else")
                other, ended = self._body()
                if ended == "else":
                    self._fail("a second else")
        del self._names[known:]
        return Branch(word, pipe, body, other)

    def _define(self) -> None:
        self._next()
        self._next()
        name = self._name("define")
        self._right("define")
        self._define_as(name)

    def _define_as(self, name: Token) -> None:
        """Read the body of a template that is named by a token, with variables of its own."""
        names, self._names = self._names, ["$"]
        ranges, self._ranges = self._ranges, 0
        body, ended = self._body()
        if ended != "end":
            self._fail(f"{ended} without if, range or with")
        self._names, self._ranges = names, ranges
        key = self._text(name)
        if self._defined.get(key) and _does_something(body):
            self._fail(f"template {name.text} is defined twice", name)
        if _does_something(body) or key not in self._defined:
            self._defined[key] = body

    def _call(self, word: str) -> Call:
        """A template clause, or a block: the same, with the definition behind it."""
        name = self._name(word)
        pipe = None
        if word == "block" or self._peek.kind != "right":
            pipe = self._pipe(word)
        else:
            self._next()
        if word == "block":
            self._define_as(name)
        return Call(self._text(name), pipe, name.at)

    def _name(self, word: str) -> Token:
        token = self._next()
        if token.kind not in ("string", "raw"):
            self._unexpected(token, f"{word}: a name in quotes belongs there")
        return token

    # -- pipelines

    def _pipe(self, where: str, *, closing: str = "right") -> Pipe:
        """Everything up to the closing braces or parenthesis, which is taken too."""
        start = self._peek
        variables, is_declared = self._declared(where)
        commands: list[tuple[Operand, ...]] = []
        while not self._is_closing(closing):
            command = self._command(where)
            if commands and len(command) == 1 and command[0].kind in ("const", "nil"):
                self._fail(f"a value can't take what stands before the | in {where}")
            if commands and command[0].kind == "dot" and not command[0].fields:
                self._fail(f". can't take what stands before the | in {where}")
            commands.append(command)
        token = self._next()
        if not commands:
            self._fail(f"a value is missing in {where}", token)
        return Pipe(tuple(commands), variables, is_declared, start.at)

    def _is_closing(self, closing: str) -> bool:
        token = self._peek
        if closing == "right" and token.text == ")":
            self._fail("a ) without (", token)
        if closing == ")" and token.kind in ("right", "end"):
            self._fail("a ( without )", token)
        return token.text == closing if closing == ")" else token.kind == closing

    def _declared(self, where: str) -> tuple[tuple[str, ...], bool]:
        """The variables in front of := or =; new ones are known from here on."""
        found: list[Token] = []
        place = self._place
        while self._peek.kind == "variable":
            found.append(self._next())
            sign = self._next()
            if sign.text == "," and found:
                continue
            if sign.text not in (":=", "="):
                break
            if len(found) > (2 if where == "range" else 1):
                self._fail(f"too many variables in {where}", found[-1])
            names = tuple(token.text for token in found)
            for token in found:
                if sign.text == "=" and token.text not in self._names:
                    self._fail(f"variable {token.text} is not defined", token)
            if sign.text == ":=":
                self._names += names
            return names, sign.text == ":="
        self._place = place
        return (), False

    def _command(self, where: str) -> tuple[Operand, ...]:
        operands = [self._operand(where)]
        while True:
            token = self._peek
            if token.text == "|" and token.kind == "sign":
                self._next()
                return tuple(operands)
            if token.kind in ("right", "end") or token.text == ")":
                return tuple(operands)
            if not token.spaced:
                self._unexpected(token, where)
            operands.append(self._operand(where))

    def _operand(self, where: str) -> Operand:
        """A term, with the fields that follow it without a blank."""
        term = self._term(where)
        fields = list(term.fields)
        while self._peek.kind in ("field", "dot") and not self._peek.spaced:
            token = self._next()
            if token.kind == "dot" or term.kind in ("const", "nil") or (term.kind == "dot" and not fields):
                self._unexpected(token, where)
            fields.append(token.text[1:])
        return term._replace(fields=tuple(fields))

    def _term(self, where: str) -> Operand:
        token = self._next()
        if token.kind == "dot":
            return Operand("dot", None, (), token.at)
        if token.kind == "field":
            return Operand("dot", None, (token.text[1:],), token.at)
        if token.kind == "variable":
            if token.text not in self._names:
                self._fail(f"variable {token.text} is not defined", token)
            return Operand("variable", token.text, (), token.at)
        if token.kind in ("string", "raw", "char", "number"):
            return Operand("const", self._constant(token), (), token.at)
        if token.text == "(" and token.kind == "sign":
            return Operand("pipe", self._pipe("parentheses", closing=")"), (), token.at)
        if token.kind != "word" or token.text in KEYWORDS:
            self._unexpected(token, where)
        if token.text in ("true", "false"):
            return Operand("const", token.text == "true", (), token.at)
        if token.text == "nil":
            return Operand("nil", None, (), token.at)
        if token.text not in self._functions:
            self._fail(f"function {cut(token.text)} is not defined", token)
        return Operand("function", token.text, (), token.at)

    # -- constants

    def _constant(self, token: Token) -> Any:
        if token.kind == "number":
            return self._number(token)
        text = self._text(token)
        if token.kind != "char":
            return text
        if len(text) != 1:
            self._fail("one character belongs between single quotes", token)
        return Literal(ord(text))

    def _number(self, token: Token) -> Any:
        """A whole number in any of Go's notations, or a fraction."""
        text = token.text
        found: Any = None
        try:
            if _WHOLE.fullmatch(text):
                number = int(_OLD_OCTAL.sub(r"\g<1>0o", text), 0)
                found = Literal(number) if -_INT64 <= number < _INT64 else None
            else:
                found = float(text)
        except ValueError:
            pass
        if found is None or found in (float("inf"), float("-inf")):
            self._fail(f"{cut(text)} is not a number", token)
        return found

    def _text(self, token: Token) -> str:
        if token.kind == "raw":
            return token.text[1:-1]
        if re.search(r"\\[^abfnrtvxuU0-7\\'\"]", token.text.replace("\\\\", "")):
            self._fail("a \\ in quotes is followed by one of abfnrtvxuU, digits, \\ or quotes", token)
        try:
            return str(ast.literal_eval(token.text))
        except (SyntaxError, ValueError):
            self._fail(f"{cut(token.text)} can't be read as a text", token)


class Literal(int):
    """A whole number that the template wrote or counted: Go's int. Those of documents are int64."""


def _does_something(body: tuple[Node, ...]) -> bool:
    return any(not isinstance(node, Text) or node.value.strip() for node in body)
