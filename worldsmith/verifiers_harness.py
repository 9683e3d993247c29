"""Plays an episode in verifiers' own process, with the model behind the interception of its rollout."""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from typing import Any

import httpx2
import verifiers.v1 as vf
from pydantic_core import to_json

from runtime.verification.verdict import RewardKind
from worldsmith.rollout import Rollout

KEPT = "worldsmith"  # in the trace's `info`: the verdict and how the episode ended

_PASSED_ON = ("role", "content", "tool_calls", "reasoning_content", "reasoning")  # of a reply, to the model itself


class WorldsmithHarness(vf.Harness[vf.HarnessConfig]):
    """Plays an episode with the model behind an endpoint; a fault of ours is raised, and then there is no reward."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):  # type: ignore[no-untyped-def]
        """One whole episode; a limit of verifiers ends it, and what was done until then is judged."""
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        seed = int(trace.id, 16) % 2**31  # members of a group differ in the user's small words
        rollout = Rollout(data.find(), seed=seed, **data.played)
        async with rollout, httpx2.AsyncClient(timeout=None, headers=headers, verify=_trust()) as client:
            messages = await rollout.open()
            asked = {"model": ctx.model, "messages": messages, "tools": rollout.tools}
            try:
                while not rollout.done:
                    response = await client.post(f"{endpoint}/chat/completions", content=to_json(asked))
                    if trace.stop_condition is not None:
                        break
                    said = response.raise_for_status().json()["choices"][0]["message"]
                    reply = {name: said[name] for name in _PASSED_ON if said.get(name) is not None}
                    messages += [reply, *await rollout.take(reply)]
            finally:
                if rollout.ended != "void":
                    trace.info[KEPT] = kept_of(rollout, data.reward)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class WorldsmithEnvConfig(vf.SingleAgentEnvConfig):
    """One agent that needs no sandbox, since nothing that it writes is executed."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class WorldsmithEnv(vf.SingleAgentEnv, vf.Env[WorldsmithEnvConfig]):
    """One agent and one user."""


def kept_of(rollout: Rollout, kind: RewardKind) -> dict[str, Any]:
    """The verdict on an open rollout, and how it ended."""
    verdict = rollout.verdict()
    return {
        "reward": verdict.reward_by(kind),
        "progress": verdict.progress,
        "ended": rollout.ended or "stopped",
        "differences": [each.sentence for each in verdict.differences],
        "violations": [each.sentence for each in verdict.violations],
    }


@cache
def _trust() -> SSLContext:
    """Whose certificates are believed; to read those takes longer than many an episode."""
    return httpx2.create_ssl_context()
