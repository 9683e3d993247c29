"""Run jobs on a Ray cluster: each in a child process on one of its nodes, as `prove` runs it on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import ray
from ray.exceptions import RayError

from generator.isolation.job import USUAL, Asked, Job, ProofFailed, ProvingLimits, Told, as_json, find_job
from generator.isolation.process import prove
from runtime.cluster import CarriedFolder, carry, put_down
from runtime.errors import UsageError, WorldsmithError

_RETRIES = 2  # of a job whose node or process is lost


def prove_all_on_ray(
    job: Job[Asked, Told],
    asked: Sequence[Asked],
    limits: ProvingLimits = USUAL,
    workers: int | None = None,
    *,
    proven: Callable[[], None] = lambda: None,
) -> list[Told]:
    """What `prove_all` does, on the cluster that was joined: for requests that all have the same `folder`.

    The folder is carried to the nodes. Errors: the first one in the order of the requests, when all are done.
    """
    requests: Sequence[Any] = asked
    (folder,) = {each.folder for each in requests}
    carried = ray.put(carry(folder))
    remote = ray.remote(num_cpus=1, max_retries=_RETRIES)(_prove_there)
    waiting = list(range(len(asked)))
    under_way: dict[Any, int] = {}
    found: dict[int, Any] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < (workers or len(asked)):
                number = waiting.pop(0)
                request = job.address, as_json(job.asked, asked[number])
                under_way[remote.remote(version("worldsmith"), carried, request, limits)] = number
            for done in ray.wait(list(under_way))[0]:
                found[under_way.pop(done)] = _told(job, done)
                proven()
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)
    told = [found[number] for number in range(len(asked))]
    for each in told:
        if isinstance(each, WorldsmithError):
            raise each
    return told


def _told(job: Job[Any, Any], done: Any) -> Any:
    try:
        return ray.get(done)
    except RayError as error:
        last = " ".join(str(error).strip().split("\n")[-1].split())
        return ProofFailed(f"The proof {job.name!r} was lost on the Ray cluster: {last[:400]}")


def _prove_there(asked_by: str, carried: CarriedFolder, request: tuple[str, Any], limits: ProvingLimits) -> Any:
    """What a job tells on this node; a WorldsmithError is returned, as Ray would wrap one that is raised."""
    here = version("worldsmith")
    if here != asked_by:
        return UsageError(f"A node of the Ray cluster has worldsmith {here}, not {asked_by}; install the same.")
    address, parts = request
    job = find_job(address)
    with put_down(carried) as folder:
        try:
            return prove(job, replace(job.asked.validate_python(parts), folder=folder), limits)
        except WorldsmithError as error:
            return error
