"""Measurements of the runtime; they need the packages that the tests need."""

from importlib.util import find_spec

if find_spec("pytest") is None:
    raise SystemExit("The benchmarks need the packages of the tests: pip install -e '.[test]'")
