"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# A busy machine is no wrong answer: no property test fails because of the time that it took.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
