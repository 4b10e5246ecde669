"""Typer's command classes with what ours need: lazy groups, global flags everywhere, help of a fixed width."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from typing import Any

import typer
from typer import main as typer_main
from typer.core import TyperCommand, TyperGroup, TyperOption

from kueuectl.cli.frame.contents import ROOT, Entry
from kueuectl.cli.frame.flags import GLOBAL_FLAGS, Flag
from kueuectl.cli.frame.run import Run
from kueuectl.errors import UsageError
from kueuectl.report import formats

# Help pages are generated ahead of time, so their width can't depend on the terminal.
CONTEXT = {"help_option_names": ["-h", "--help"], "terminal_width": 80, "max_content_width": 80}
_TITLES = {"scope": "Scope", "output": "Output", "state": "State"}


def _record(ctx: typer.Context, param: Any, value: Any) -> None:
    """Keep the value of a global flag on the run; a flag that was not given must not undo an earlier one."""
    run = ctx.find_object(Run)
    if run is None or value in (None, (), [], False):
        return
    if isinstance(value, (list, tuple)):
        getattr(run.flags, param.name).extend(value)
    else:
        setattr(run.flags, param.name, value)


def _help(ctx: Any, param: Any, value: bool) -> None:
    """Print the help page and end the run."""
    if value and not ctx.resilient_parsing:
        ctx.find_object(Run).write([ctx.get_help(), "\n"])
        ctx.exit()


def _option(flag: Flag) -> TyperOption:
    return TyperOption(
        param_decls=[flag.field, *flag.names],
        help=flag.help,
        metavar=flag.metavar or None,
        is_flag=flag.is_switch,
        default=False if flag.is_switch else None,
        type=bool if flag.is_switch else str,
        multiple=flag.is_repeated,
        expose_value=False,
        callback=_record,
    )


_GLOBAL_OPTIONS = [_option(flag) for flag in GLOBAL_FLAGS]
_ALONE = frozenset(name for flag in GLOBAL_FLAGS if flag.stands_alone for name in flag.names)
_GROUP_OF = {flag.field: flag.group for flag in GLOBAL_FLAGS}


class _Shared:
    """What commands and groups have in common."""

    entry: Entry
    params: list[Any]

    def get_params(self, ctx: Any) -> list[Any]:
        """Own parameters, then those of all commands."""
        return [*super().get_params(ctx), *_GLOBAL_OPTIONS]  # type: ignore[misc]

    def get_help_option_names(self, ctx: Any) -> list[str]:
        """In a fixed order; the parser's own is that of a set."""
        return list(ctx.help_option_names)

    def get_help_option(self, ctx: Any) -> Any:
        """The help option, which prints to the stdout of the run."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        option.callback = _help
        return option

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse after writing pflag's `--switch=true` and `-o=json` as the parser knows them."""
        return super().parse_args(ctx, normalized(args, self.get_params(ctx)))  # type: ignore[misc,no-any-return]

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """One line, never folded: where it would be depends on the name of the program."""
        formatter.write(" ".join(["Usage:", ctx.command_path, *self.collect_usage_pieces(ctx)]) + "\n")  # type: ignore[attr-defined]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options of the command, the global flags that matter to it, then its commands."""
        if self.entry.is_group:
            with formatter.section("Commands"):
                formatter.write_dl([(child.name, child.summary + ".") for child in self.entry.children])
        _write_params(ctx, formatter, [param for param in self.get_params(ctx) if param.name not in _GROUP_OF])
        for group in self.entry.groups:
            records = [
                option.get_help_record(ctx) for option in _GLOBAL_OPTIONS if _GROUP_OF[option.name or ""] == group
            ]
            with formatter.section(_TITLES[group]):
                formatter.write_dl([record for record in records if record])
        root = ctx.find_root().info_name
        formatter.write_paragraph()
        formatter.write(f'Run "{root} options" for the flags that connect to a cluster.\n')


def _write_params(ctx: Any, formatter: Any, params: Sequence[Any]) -> None:
    for kind, title in (("argument", "Arguments"), ("option", "Options")):
        records = [param.get_help_record(ctx) for param in params if param.param_type_name == kind]
        if any(records):
            with formatter.section(title):
                formatter.write_dl([record for record in records if record])


def normalized(args: list[str], params: Sequence[Any]) -> list[str]:
    """The arguments with pflag's spellings turned into the parser's: `--flag=true`, `--flag=false`, `-o=json`.

    A flag that may stand alone gets its value.
    """
    switches, shorts = set(), set()
    takes_value = set()
    for param in params:
        if param.param_type_name != "option":
            continue
        for name in param.opts:
            if param.is_flag:
                switches.add(name)
            else:
                takes_value.add(name)
                if not name.startswith("--"):
                    shorts.add(name)
    out: list[str] = []
    previous = ""
    for at, arg in enumerate(args):
        if arg == "--":
            return out + args[at:]
        name, equals, value = arg.partition("=")
        if previous in takes_value:
            out.append(arg)
            previous = ""
            continue
        if arg in _ALONE:
            out.append(f"{arg}=true")
            continue
        previous = arg
        if equals and name in switches:
            if value not in ("true", "false"):
                raise UsageError(f"invalid value {value!r} for {name}", hint="use true or false")
            if value == "true":
                out.append(name)
        elif equals and name in shorts:
            out.append(name + value)
        else:
            out.append(arg)
    return out


def behind_command(args: list[str]) -> list[str]:
    """The arguments of a group with a leading `--dry-run` moved behind the word that follows it."""
    first, equals, _ = args[0].partition("=") if args else ("", "", "")
    size = 1 if equals else 2
    if first != "--dry-run" or len(args) <= size:
        return args
    return [args[size], *args[:size], *args[size + 1 :]]


class Command(_Shared, TyperCommand):
    """A command that does something."""

    entry = Entry("", "")

    def invoke(self, ctx: Any) -> Any:
        """Check the global flags, then run the command."""
        run = ctx.find_object(Run)
        if (run.flags.output is not None or run.flags.template) and "output" not in self.entry.groups:
            raise UsageError(f"{self.entry.name} takes no {'-o' if run.flags.output is not None else '--template'}")
        run.check_flags()
        kind = run.format.kind
        if kind in formats.SPECIAL_KINDS and kind not in self.entry.formats:
            raise formats.unknown(run.flags.output or "", self.entry.formats)
        return super().invoke(ctx)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """The docstring, with the program's name as the user typed it."""
        self.help = inspect.cleandoc(self.help or "").replace("kueuectl ", f"{ctx.find_root().info_name} ")
        super().format_help_text(ctx, formatter)


class LazyGroup(_Shared, TyperGroup):
    """A group whose commands are imported when they are run."""

    entry = Entry("", "")

    def __init__(self, entry: Entry, path: tuple[str, ...]) -> None:
        super().__init__(name=entry.name or None, context_settings=dict(CONTEXT), rich_markup_mode=None)
        self.entry = entry
        self.path = path
        self.subcommand_metavar = "COMMAND"

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in alphabetical order."""
        return [child.name for child in self.entry.children]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, alias or kind; None if there is none."""
        child = self.entry.child(cmd_name)
        return None if child is None else build(child, (*self.path, child.name))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse after handing `--dry-run` in front of a command to the command, as the Go plugin takes it."""
        return super().parse_args(ctx, behind_command(args) if self.path else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the first word means; `TYPE/NAME` means `TYPE NAME`."""
        word, slash, name = args[0].partition("/")
        command = self.get_command(ctx, word)
        if command is None:
            raise self._unknown(ctx, args[0])
        return command.name, command, [name, *args[1:]] if slash else args[1:]

    def _unknown(self, ctx: Any, word: str) -> UsageError:
        import difflib

        names = [name for child in self.entry.children for name in (child.name, *child.aliases)]
        near = difflib.get_close_matches(word.lower(), names, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        return UsageError(
            f"unknown command {word!r} for {ctx.command_path!r}",
            hint=f"{guess}run '{ctx.command_path} --help' for the commands",
        )

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named; without one, print the help, as kubectl does."""
        if not ctx._protected_args:
            ctx.find_object(Run).write([self.get_help(ctx), "\n"])
            return None
        return super().invoke(ctx)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Summary and examples of the group."""
        program = f"{ctx.find_root().info_name} "
        examples = "\n".join(f"  {line}" for line in self.entry.examples)
        self.help = f"{self.entry.summary}.\n\n\b\nExamples:\n{examples}".replace("kueuectl ", program)
        super().format_help_text(ctx, formatter)


def build(entry: Entry, path: tuple[str, ...]) -> Any:
    """The command or group at a path of the table of contents; imports the module of a command.

    A module may have a class of its own to parse its arguments: PARSER.
    """
    if entry.is_group:
        return LazyGroup(entry, path)
    module = importlib.import_module(".".join(("kueuectl.cli", *path)).replace("-", "_"))
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    parser: Any = getattr(module, "PARSER", Command)
    app.command(entry.name, cls=parser, context_settings=dict(CONTEXT))(module.command)
    command: Any = typer_main.get_command(app)
    command.entry = entry
    return command


def root() -> LazyGroup:
    """The whole program."""
    return LazyGroup(ROOT, ())
