"""End to end: a real etcd, kube-apiserver and Kueue on 127.0.0.1, built by Go from its module proxy.

`python -m tests.live.build` builds them once, in about 13 CPU minutes, into a cache outside the checkout. With a warm
cache `pytest tests/live` takes well under a minute; without it, or without what it needs, the tests are skipped and say
why. KUEUECTL_TEST_LIVE=build lets pytest build, KUEUECTL_TEST_LIVE=off skips.
"""
