"""What loads a domain's code for too long ends in one sentence, and leaves the process as it was."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain
from runtime.sandbox import processor_time
from runtime.sandbox.processor_time import bounded_processor_time
from tests.making import write_domain

pytestmark = pytest.mark.usefixtures("a_tenth")


@pytest.fixture
def a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_time, "MOST_SECONDS", 0.1)


def _compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def _swallow_and_go_on() -> None:
    end = time.thread_time() + 5
    while time.thread_time() < end:
        try:
            _compute(5)
        except Exception:
            continue


def test_a_domain_that_takes_too_long_is_one_sentence(tmp_path: Path) -> None:
    types = "\n".join(f"T{n} = tuple[int, str, {n % 2 * 'int, '}bool]" for n in range(4_500))
    folder = write_domain(tmp_path, tools=f"\n\n{types}\n")
    with pytest.raises(BrokenDomain) as broken:
        load_domain(folder)
    assert broken.value.faults == (
        "small: takes more than 0.1 s of processor time to load; write less code and smaller types.",
    )


def test_no_except_on_the_way_catches_it_and_the_process_is_as_before() -> None:
    before = signal.getsignal(signal.SIGPROF)
    began = time.thread_time()
    with pytest.raises(BrokenDomain, match="takes more than"), bounded_processor_time("small"):
        _swallow_and_go_on()
    assert time.thread_time() - began < 2
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    _compute(0.2)


def test_what_other_threads_compute_does_not_count() -> None:
    others = [threading.Thread(target=_compute, args=(0.2,)) for _ in range(2)]
    with bounded_processor_time("small"):
        for each in others:
            each.start()
        for each in others:
            each.join()


def test_a_timer_of_somebody_else_is_left_alone() -> None:
    signals: list[int] = []
    before = signal.signal(signal.SIGPROF, lambda signum, frame: signals.append(signum))
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.15)
        with bounded_processor_time("small"):
            _compute(1.5)  # the kernel counts by its own ticks, so a timer may be late
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert signals == [signal.SIGPROF]


def test_in_another_thread_nothing_happens() -> None:
    ended: list[str] = []

    def load() -> None:
        with bounded_processor_time("small"):
            _compute(0.2)
        ended.append("as it was")

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert ended == ["as it was"]
