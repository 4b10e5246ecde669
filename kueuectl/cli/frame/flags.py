"""Flags that every command takes, before or after its name, as kubectl does. Data only: cheap to import."""

from __future__ import annotations

from typing import NamedTuple


class Flag(NamedTuple):
    """A global flag. `group` says where help shows it; a switch takes no value; `is_repeated` collects values.

    The value of one that `stands_alone` too is behind an equals sign; alone it means true.
    """

    field: str
    names: tuple[str, ...]
    help: str
    group: str
    metavar: str = ""
    is_repeated: bool = False
    stands_alone: bool = False

    @property
    def is_switch(self) -> bool:
        """Whether the flag stands alone."""
        return not self.metavar


SCOPE, OUTPUT, STATE, CONNECTION = "scope", "output", "state", "connection"

GLOBAL_FLAGS = (
    Flag(
        "namespace",
        ("-n", "--namespace"),
        "Work in this namespace; by default that of the context, with --from all.",
        SCOPE,
        "NAMESPACE",
    ),
    Flag("all_namespaces", ("-A", "--all-namespaces"), "Work in all namespaces.", SCOPE),
    Flag(
        "output",
        ("-o", "--output"),
        "Print as table, wide, json, yaml, kyaml, name, jsonpath=EXPR, jsonpath-as-json=EXPR, jsonpath-file=FILE,"
        " go-template=TEMPLATE, go-template-file=FILE or custom-columns=SPEC.",
        OUTPUT,
        "FORMAT",
    ),
    Flag(
        "template",
        ("--template",),
        "Take this Go template, or the file or path that -o asks for.",
        OUTPUT,
        "TEMPLATE",
    ),
    Flag(
        "allow_missing_template_keys",
        ("--allow-missing-template-keys",),
        "Let templates name fields that aren't there; by default true.",
        OUTPUT,
        "BOOL",
        stands_alone=True,
    ),
    Flag("no_headers", ("--no-headers",), "Leave the header line of tables out.", OUTPUT),
    Flag("show_managed_fields", ("--show-managed-fields",), "Keep managedFields in json and yaml.", OUTPUT),
    Flag(
        "sources",
        ("--from",),
        "Read the state from a file, a folder, - or example:NAME instead of a cluster; may be repeated.",
        STATE,
        "PATH",
        is_repeated=True,
    ),
    Flag(
        "now",
        ("--now",),
        "Take this time, as 2026-11-16T14:00:00Z, for the present; by default when the dump was saved; needs --from.",
        STATE,
        "TIME",
    ),
    Flag(
        "kueue_config",
        ("--kueue-config",),
        "Read Kueue's Configuration from this file; by default from the cluster or the dumps.",
        STATE,
        "FILE",
    ),
    Flag(
        "kubeconfig",
        ("--kubeconfig",),
        "Use this kubeconfig file; by default KUBECONFIG, then ~/.kube/config.",
        CONNECTION,
        "FILE",
    ),
    Flag(
        "context",
        ("--context",),
        "Use this context of the kubeconfig; by default its current one.",
        CONNECTION,
        "CONTEXT",
    ),
    Flag("cluster", ("--cluster",), "Use this cluster of the kubeconfig.", CONNECTION, "CLUSTER"),
    Flag("user", ("--user",), "Use this user of the kubeconfig.", CONNECTION, "USER"),
    Flag("server", ("-s", "--server"), "Talk to the API server at this address.", CONNECTION, "URL"),
    Flag("token", ("--token",), "Authenticate with this bearer token.", CONNECTION, "TOKEN"),
    Flag(
        "certificate_authority",
        ("--certificate-authority",),
        "Check the server's certificate with this file.",
        CONNECTION,
        "FILE",
    ),
    Flag("client_certificate", ("--client-certificate",), "Authenticate with this certificate.", CONNECTION, "FILE"),
    Flag("client_key", ("--client-key",), "Use this key for the client certificate.", CONNECTION, "FILE"),
    Flag("tls_server_name", ("--tls-server-name",), "Expect this name in the certificate.", CONNECTION, "HOST"),
    Flag(
        "insecure_skip_tls_verify",
        ("--insecure-skip-tls-verify",),
        "Don't check the server's certificate.",
        CONNECTION,
    ),
    Flag("as_user", ("--as",), "Act as this user.", CONNECTION, "USER"),
    Flag("as_groups", ("--as-group",), "Act as a member of this group; may be repeated.", CONNECTION, "GROUP", True),
    Flag("as_uid", ("--as-uid",), "Act as the user with this uid.", CONNECTION, "UID"),
    Flag(
        "as_user_extra",
        ("--as-user-extra",),
        "Act as a user of whom this is known too; may be repeated.",
        CONNECTION,
        "KEY=VALUE",
        True,
    ),
    Flag("cache_dir", ("--cache-dir",), "Accepted for scripts of kubectl; nothing is cached.", CONNECTION, "FOLDER"),
    Flag("disable_compression", ("--disable-compression",), "Ask the server for answers as they are.", CONNECTION),
    Flag(
        "request_timeout",
        ("--request-timeout",),
        "Give up on a request after this time, as 5s or 1m; 0 is never; by default after 75s of silence.",
        CONNECTION,
        "DURATION",
    ),
)


class Flags:
    """The values of the global flags; None or empty where one was not given."""

    def __init__(self) -> None:
        self.namespace: str | None = None
        self.all_namespaces: bool = False
        self.output: str | None = None
        self.template: str | None = None
        self.allow_missing_template_keys: str | None = None
        self.no_headers: bool = False
        self.show_managed_fields: bool = False
        self.sources: list[str] = []
        self.now: str | None = None
        self.kueue_config: str | None = None
        self.kubeconfig: str | None = None
        self.context: str | None = None
        self.cluster: str | None = None
        self.user: str | None = None
        self.server: str | None = None
        self.token: str | None = None
        self.certificate_authority: str | None = None
        self.client_certificate: str | None = None
        self.client_key: str | None = None
        self.tls_server_name: str | None = None
        self.insecure_skip_tls_verify: bool = False
        self.as_user: str | None = None
        self.as_groups: list[str] = []
        self.as_uid: str | None = None
        self.as_user_extra: list[str] = []
        self.cache_dir: str | None = None
        self.disable_compression: bool = False
        self.request_timeout: str | None = None


# What the value of a flag or argument with this metavar may be: fixed words, or the kind of a dynamic completion.
CHOICES: dict[str, tuple[str, ...]] = {
    "FORMAT": (
        "table",
        "wide",
        "json",
        "yaml",
        "kyaml",
        "name",
        "jsonpath=",
        "jsonpath-as-json=",
        "jsonpath-file=",
        "go-template=",
        "go-template-file=",
        "custom-columns=",
    ),
    "STATUS": ("all", "pending", "quotareserved", "admitted", "finished"),
    "BOOL": ("true", "false"),
    "MODE": ("none", "client", "server"),
    "GOAL": ("fair", "nominal", "fit:", "within-quota"),
    "SHELL": ("bash", "zsh", "fish", "powershell"),
    "SEVERITY": ("error", "warning", "info", "never"),
    "WHAT": ("clusterqueues", "localqueues", "cohorts", "flavors", "workloads"),
}
DYNAMIC = (
    "ADMISSIONCHECK",
    "CLUSTERQUEUE",
    "COHORT",
    "CONTEXT",
    "LOCALQUEUE",
    "NAMESPACE",
    "RESOURCEFLAVOR",
    "TOPOLOGY",
    "WORKLOAD",
    "WORKLOADPRIORITYCLASS",
)
FILES = ("FILE", "PATH")
# A kind, then a name of that kind: of any that is explained, or of one of Kueue's.
OBJECT = "TYPE/NAME"
KUEUE_OBJECT = "KIND/NAME"
