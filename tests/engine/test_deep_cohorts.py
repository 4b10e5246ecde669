"""Trees of cohorts that are deeper than Python calls may be, and wider than anything that looks at all pairs."""

from __future__ import annotations

from collections.abc import Iterator

from kueuectl.engine import quota, snapshot
from kueuectl.model.queues import ClusterQueue, Cohort, FlavorQuotas, ResourceGroup, ResourceQuota
from kueuectl.model.settings import Settings
from kueuectl.model.state import ClusterState

LEVELS = 1500


class Counted(dict[str, Cohort]):
    """Cohorts that count how often they are looked up."""

    looked_up = 0

    def get(self, key: str, default: Cohort | None = None) -> Cohort | None:  # type: ignore[override]
        """As a dict's."""
        self.looked_up += 1
        return super().get(key, default)


def one(nominal: int) -> tuple[ResourceGroup, ...]:
    """One flavor with quota for cpu."""
    return (ResourceGroup(("cpu",), (FlavorQuotas("default", (ResourceQuota("cpu", nominal),)),)),)


def chain(levels: int) -> Iterator[Cohort]:
    """Cohorts below each other: c0 is the lowest, the root has quota."""
    for level in range(levels - 1):
        yield Cohort(f"c{level}", f"c{level + 1}")
    yield Cohort(f"c{levels - 1}", resource_groups=one(7000))


def test_a_tree_is_settled_without_a_call_for_each_level() -> None:
    state = ClusterState(
        cohorts={cohort.name: cohort for cohort in chain(LEVELS)},
        cluster_queues={"queue": ClusterQueue("queue", "c0", one(1000))},
    )
    queue = snapshot.build(state, Settings()).queues["queue"]
    assert (queue.depth, queue.potential[0]) == (LEVELS, 8000)


def test_quota_of_the_root_reaches_a_queue_far_below_it() -> None:
    state = ClusterState(
        cohorts={cohort.name: cohort for cohort in chain(300)},
        cluster_queues={"queue": ClusterQueue("queue", "c0", one(1000))},
    )
    queue = snapshot.build(state, Settings()).queues["queue"]
    assert quota.available(queue, 0) == 8000
    quota.add_usage(queue, 0, 3000)
    assert quota.available(queue, 0) == 5000


def test_no_cohort_is_climbed_twice() -> None:
    state = ClusterState(
        cohorts=Counted({cohort.name: cohort for cohort in chain(LEVELS)}),
        cluster_queues={f"q{n}": ClusterQueue(f"q{n}", f"c{n}", one(1000)) for n in range(LEVELS)},
    )
    assert set(snapshot.roots_of_cohorts(state).values()) == {f"cohort c{LEVELS - 1}"}
    assert isinstance(state.cohorts, Counted)
    assert state.cohorts.looked_up == LEVELS


def test_trees_without_objects_of_their_cohorts_are_found() -> None:
    state = ClusterState(
        cohorts={"named": Cohort("named", "only-named")},
        cluster_queues={"a": ClusterQueue("a", "named"), "b": ClusterQueue("b", "nowhere"), "c": ClusterQueue("c")},
    )
    built = snapshot.build(state, Settings())
    assert [(tree.root.name, sorted(tree.cohorts)) for tree in built.trees] == [
        ("nowhere", ["nowhere"]),
        ("only-named", ["named", "only-named"]),
        ("c", []),
    ]
