"""Kueue's Configuration, feature gates and durations."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from kueuectl import times
from kueuectl.api import configuration, durations, gates
from kueuectl.errors import InputError
from kueuectl.model.settings import (
    DEFAULT_GATES,
    AdmissionFairSharing,
    DeviceClassMapping,
    Settings,
    Transformation,
    WaitForPodsReady,
)
from kueuectl.quantity import NANO

OLD, NEW = configuration.V1BETA1, configuration.V1BETA2
BOTH = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
READY = WaitForPodsReady(timeout=30 * times.MINUTE, recovery_timeout=30 * times.MINUTE)


class Case(NamedTuple):
    name: str
    version: str
    part: dict[str, Any]
    field: str
    want: object


CASES = [
    Case("fair sharing is off by default", NEW, {}, "fair_sharing", None),
    Case("fair sharing without strategies has both", NEW, {"fairSharing": {}}, "fair_sharing", BOTH),
    Case(
        "fair sharing with one strategy",
        NEW,
        {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}},
        "fair_sharing",
        ("LessThanInitialShare",),
    ),
    Case("v1beta1 has to enable fair sharing", OLD, {"fairSharing": {}}, "fair_sharing", None),
    Case("v1beta1 enables fair sharing", OLD, {"fairSharing": {"enable": True}}, "fair_sharing", BOTH),
    Case("waiting for pods is on by default, and does not block", NEW, {}, "wait_for_pods_ready", READY),
    Case(
        "waiting for pods with everything",
        NEW,
        {
            "waitForPodsReady": {
                "timeout": "5m",
                "blockAdmission": True,
                "recoveryTimeout": "1h30m",
                "requeuingStrategy": {
                    "timestamp": "Creation",
                    "backoffLimitCount": 3,
                    "backoffBaseSeconds": 0,
                    "backoffMaxSeconds": 7,
                },
            }
        },
        "wait_for_pods_ready",
        WaitForPodsReady(5 * times.MINUTE, True, 90 * times.MINUTE, "Creation", 3, 0, 7),
    ),
    Case("v1beta1 has to enable waiting for pods", OLD, {"waitForPodsReady": {}}, "wait_for_pods_ready", None),
    Case(
        "v1beta1 blocks unless told otherwise, and waits for five minutes",
        OLD,
        {"waitForPodsReady": {"enable": True}},
        "wait_for_pods_ready",
        WaitForPodsReady(block_admission=True, recovery_timeout=5 * times.MINUTE),
    ),
    Case(
        "a gate turns waiting for pods off",
        NEW,
        {"waitForPodsReady": {"timeout": "1m"}, "featureGates": {"DisableWaitForPodsReady": True}},
        "wait_for_pods_ready",
        None,
    ),
    Case(
        "admission fair sharing",
        NEW,
        {"admissionFairSharing": {"usageHalfLifeTime": "168h", "resourceWeights": {"cpu": 2, "a": 0.5}}},
        "admission_fair_sharing",
        AdmissionFairSharing(168 * times.HOUR, 5 * times.MINUTE, (("a", 0.5), ("cpu", 2.0))),
    ),
    Case(
        "excluded prefixes",
        NEW,
        {"resources": {"excludeResourcePrefixes": ["ephemeral-"]}},
        "exclude_resource_prefixes",
        ("ephemeral-",),
    ),
    Case(
        "transformations",
        NEW,
        {
            "resources": {
                "transformations": [
                    {"input": "a", "outputs": {"y": "1", "x": "500m"}},
                    {"input": "b", "strategy": "Replace", "multiplyBy": "c"},
                ]
            }
        },
        "transformations",
        (
            Transformation("a", outputs=(("x", NANO // 2), ("y", NANO))),
            Transformation("b", "Replace", "c"),
        ),
    ),
    Case(
        "device class mappings",
        NEW,
        {"resources": {"deviceClassMappings": [{"name": "gpus", "deviceClassNames": ["a", "b"]}]}},
        "device_class_mappings",
        (DeviceClassMapping("gpus", ("a", "b")),),
    ),
    Case(
        "resources that are not declared are ignored",
        NEW,
        {"resources": {"quotaCheckStrategy": "IgnoreUndeclared"}},
        "quota_check_strategy",
        "IgnoreUndeclared",
    ),
    Case("jobs without a queue", NEW, {"manageJobsWithoutQueueName": True}, "manage_jobs_without_queue_name", True),
    Case("frameworks", NEW, {"integrations": {"frameworks": ["pod"]}}, "frameworks", ("pod",)),
    Case("the default framework", NEW, {"integrations": {}}, "frameworks", ("batch/job",)),
    Case("no gate is changed", NEW, {}, "gates", DEFAULT_GATES),
    Case(
        "a gate is changed",
        NEW,
        {"featureGates": {"ConcurrentAdmission": True}},
        "gates",
        {**DEFAULT_GATES, "ConcurrentAdmission": True},
    ),
    Case("a gate without effect is known", NEW, {"featureGates": {"TLSOptions": False}}, "gates", DEFAULT_GATES),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_configuration(case: Case) -> None:
    doc = {"apiVersion": case.version, "kind": "Configuration", **case.part}
    read = configuration.read(doc, source="config.yaml")
    assert getattr(read.settings, case.field) == case.want
    assert read.warnings == ()
    assert read.settings.source == "config.yaml"


class Fault(NamedTuple):
    name: str
    doc: Any
    path: str
    problem: str


def _config(**part: Any) -> dict[str, Any]:
    return {"apiVersion": NEW, "kind": "Configuration", **part}


FAULTS = [
    Fault("no map", ["x"], "", "expected a Configuration, found a list"),
    Fault("another kind", {"apiVersion": "v1", "kind": "Pod"}, "kind", "expected the kind Configuration"),
    Fault("an unknown version", {**_config(), "apiVersion": "config.kueue.x-k8s.io/v1"}, "apiVersion", "is not known"),
    Fault(
        "a duration in words",
        _config(waitForPodsReady={"timeout": "five minutes"}),
        "waitForPodsReady.timeout",
        "'five minutes' is not a duration",
    ),
    Fault(
        "a quantity that does not parse",
        _config(resources={"transformations": [{"input": "a", "outputs": {"b": "x"}}]}),
        "resources.transformations[0].outputs[b]",
        "'x' is not a quantity",
    ),
    Fault(
        "a gate that is a text",
        _config(featureGates={"ConcurrentAdmission": "true"}),
        "featureGates[ConcurrentAdmission]",
        "expected a boolean",
    ),
    Fault(
        "strategies in the wrong order",
        _config(fairSharing={"preemptionStrategies": list(BOTH[::-1])}),
        "fairSharing.preemptionStrategies",
        "is not known",
    ),
    Fault(
        "a check strategy that there is not",
        _config(resources={"quotaCheckStrategy": "Maybe"}),
        "resources.quotaCheckStrategy",
        "'Maybe' is not known",
    ),
    Fault(
        "excluded prefixes where all that is not declared is ignored",
        _config(resources={"quotaCheckStrategy": "IgnoreUndeclared", "excludeResourcePrefixes": ["a"]}),
        "resources.excludeResourcePrefixes",
        "cannot be combined",
    ),
    Fault(
        "a timestamp that there is not",
        _config(waitForPodsReady={"requeuingStrategy": {"timestamp": "Never"}}),
        "waitForPodsReady.requeuingStrategy.timestamp",
        "'Never' is not known",
    ),
    Fault(
        "a transformation that does something else",
        _config(resources={"transformations": [{"input": "a", "strategy": "Drop"}]}),
        "resources.transformations[0].strategy",
        "'Drop' is not known",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_fault(fault: Fault) -> None:
    with pytest.raises(InputError) as caught:
        configuration.read(fault.doc, source="config.yaml")
    assert fault.problem in caught.value.problem
    assert (caught.value.source, caught.value.path) == ("config.yaml", fault.path)


def test_gates_of_arguments_win_and_unknown_ones_are_a_warning() -> None:
    doc = _config(featureGates={"ConcurrentAdmission": True, "Brand": True})
    read = configuration.read(doc, flags=gates.parse("ConcurrentAdmission=false"))
    assert not read.settings.gate("ConcurrentAdmission")
    assert read.warnings == (
        "feature gate Brand is not known; what it changes is not modelled",
        "feature gates stand both in the Configuration and in arguments; Kueue takes only one of them",
    )


def test_defaults_without_a_configuration() -> None:
    assert configuration.defaults().settings == Settings(wait_for_pods_ready=READY)
    assert configuration.defaults(flags={"DisableWaitForPodsReady": True}).settings.wait_for_pods_ready is None


GATES = [
    ("two gates", "A=true,B=false", {"A": True, "B": False}),
    ("spaces and other spellings", " A = True , B=FALSE", {"A": True, "B": False}),
    ("nothing", "", {}),
    ("a comma at the end", "A=true,", {"A": True}),
]


@pytest.mark.parametrize(("name", "text", "want"), GATES, ids=[name for name, _, _ in GATES])
def test_gates(name: str, text: str, want: dict[str, bool]) -> None:
    assert gates.parse(text) == want


@pytest.mark.parametrize("text", ["A", "A=1", "=true x", "A=true;B=false"])
def test_what_are_no_gates(text: str) -> None:
    with pytest.raises(InputError, match="is not a feature gate"):
        gates.parse(text)


DEPLOYMENTS = [
    ("one argument", {"args": ["--config=/x", "--feature-gates=A=true,B=false"]}, {"A": True, "B": False}),
    ("the value apart", {"args": ["--feature-gates", "A=true"]}, {"A": True}),
    ("in the command", {"command": ["/manager", "--feature-gates=A=false"]}, {"A": False}),
    ("no arguments", {"name": "manager"}, {}),
    ("arguments of another shape", {"args": "--feature-gates=A=true"}, {}),
]


@pytest.mark.parametrize(("name", "container", "want"), DEPLOYMENTS, ids=[name for name, _, _ in DEPLOYMENTS])
def test_gates_of_a_deployment(name: str, container: dict[str, Any], want: dict[str, bool]) -> None:
    doc = {"spec": {"template": {"spec": {"containers": [container]}}}}
    assert gates.of_deployment(doc) == want


DURATIONS = [
    ("5m", 5 * times.MINUTE),
    ("1h30m", 90 * times.MINUTE),
    ("1.5h", 90 * times.MINUTE),
    ("300ms", 300_000_000),
    ("1h0m0.5s", times.HOUR + times.SECOND // 2),
    ("2us", 2_000),
    ("2\u00b5s", 2_000),
    ("7ns", 7),
    ("0", 0),
    ("-5s", -5 * times.SECOND),
    ("+.5s", times.SECOND // 2),
]


@pytest.mark.parametrize(("text", "want"), DURATIONS)
def test_duration(text: str, want: int) -> None:
    assert durations.parse(text) == want


@pytest.mark.parametrize("text", ["", "5", "m", "5 m", "5m ", "1d", "-", "1h-5m", "\u0665m", "1" * 70 + "h"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(InputError, match="is not a duration"):
        durations.parse(text)
