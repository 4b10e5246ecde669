"""Handlers of suites, one module per family; every module here is imported by the registry."""
