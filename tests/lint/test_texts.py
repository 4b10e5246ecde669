"""The words of findings: every code has them, every finding makes a sentence, names that may be meant are close."""

from __future__ import annotations

import pytest

from kueuectl.analysis.lint import spelling
from kueuectl.analysis.lint.findings import Code
from kueuectl.analysis.lint.scene import FIELDS
from kueuectl.report import lint_texts
from kueuectl.report.views import lint as view
from tests.lint.build import judge, with_changes
from tests.lint.test_rules import ALL, Case


@pytest.mark.parametrize("code", Code)
def test_every_code_says_what_it_means_why_and_what_to_do(code: Code) -> None:
    text = lint_texts.TEXTS[code]
    assert text.title[0].isupper()
    assert not text.title.endswith(".")
    assert len(text.title) < 80
    assert text.why.endswith(".")
    assert text.fix.endswith((".", "?"))


@pytest.mark.parametrize("case", [case for case in ALL if case.want], ids=lambda case: case.name)
def test_every_finding_makes_a_sentence(case: Case) -> None:
    for found in judge(with_changes(case.changes), config=case.config, strict=False).findings:
        message = lint_texts.message(found)
        assert message
        assert "{" not in message
        assert not message.endswith(".")


WORDS = {
    "a flavor that does not exist": 'there is no ResourceFlavor "stdd"; did you mean "std"?',
    "two workloads without a LocalQueue are one finding, finished ones none": (
        '2 workloads wait for LocalQueue "ones", which does not exist; did you mean "one"?'
    ),
    "more than the nodes have, in one queue": "quota of 33 cpu, and the 2 nodes of flavor std have 32",
    "more than the nodes have, in all queues together": (
        "quota of 33 cpu in all (ClusterQueue one, ClusterQueue two), and the 2 nodes of flavor std have 32"
    ),
    "memory in bytes": "32 memory of flavor std is very little: ClusterQueue two of the same tree has 32Gi",
    "a counter of devices as a count, in a cohort that counts bytes": (
        "1 gpu.memory of flavor mig is very little: ClusterQueue two of the same tree has 20Gi"
    ),
    "a borrowing limit where nobody lends": (
        "it may borrow 4 cpu of flavor std, and in cohort all there is nothing to borrow: "
        "all others have a lending limit of 0"
    ),
    "a flavor that no node has the labels of": (
        "none of the 2 nodes has the label pool=spott; nodes have pool=std (in use by one)"
    ),
    "nodes with a taint that their flavor does not know": (
        "all of its 2 nodes have a taint that it neither lists nor tolerates: gpu=true:NoSchedule"
    ),
    "nodes without a level of their topology": "1 of the 2 nodes of flavor std lacks the label rack: n-1",
    "a member that is alone in a misspelled cohort": 'nobody else is in cohort "alll"; did you mean "all"?',
    "the head of a StrictFIFO queue that is larger than the cohort": (
        "the head of StrictFIFO ClusterQueue one can never be admitted: it asks for 20 cpu, and ClusterQueue one can "
        "reach 16 at most; behind it 1 workload waits"
    ),
    "a resource that no group covers": (
        "no resource group covers ephemeral-storage, and 1 waiting workload asks for it: team-a/scratch"
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    case = next(case for case in ALL if case.name == name)
    findings = judge(with_changes(case.changes), config=case.config, strict=False).findings
    assert [lint_texts.message(found) for found in findings] == [WORDS[name]]


def test_what_was_not_checked_is_said_for_every_kind_that_can_be_missing() -> None:
    from kueuectl.analysis.lint.run import NotChecked

    for kind in ("AdmissionCheck", "ClusterQueue", "Cohort", "LocalQueue", "Namespace", "Node", "ResourceFlavor"):
        assert kind in FIELDS
        assert view.not_checked(NotChecked(kind, "forbidden")).startswith(f"Not checked for want of {kind} objects")


@pytest.mark.parametrize(
    ("word", "among", "want"),
    [
        ("reserach", ["research", "training"], "research"),
        ("spot-vm", ["spotvm", "spot"], "spotvm"),
        ("Training", ["training"], "training"),
        ("team-a", ["team-b", "team-c"], ""),
        ("team-1", ["team-2", "team-10"], ""),
        ("team-a-ml", ["team-b-ml"], ""),
        ("gpuA", ["gpuB"], ""),
        ("a100", ["h100"], ""),
        ("abc", ["xyz"], ""),
        ("default", ["defaults", "default-flavor"], "defaults"),
    ],
)
def test_names_that_may_be_meant(word: str, among: list[str], want: str) -> None:
    assert spelling.nearest(word, among) == want
