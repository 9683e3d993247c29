"""Plays an exported environment over WebSockets with OpenEnv's own client; run in its folder, beside its server.

    python openenv_sessions.py URL SESSIONS

A twin of each episode is played in this process: the messages that come over the wire must be its messages. One half of
the sessions is played by the agent that knows the way, the other by one that says goodbye at once.
"""

import asyncio
import sys
import time

from openenv import GenericEnvClient

from worldsmith import Rollout, tasks

IDLE = {"content": "", "tool_calls": []}


async def play(url, task, agent, meeting):
    """The reward of one session, which begins its episode when all the others are open, too."""
    async with GenericEnvClient(base_url=url, message_timeout_s=300) as session:
        result = await session.reset(task=task.id)
        await meeting.wait()
        with Rollout(task).sync() as twin:
            assert result.observation["messages"] == await asyncio.to_thread(twin.open)
            assert result.observation["tools"] == twin.tools
            say = twin.seat("reference") if agent == "reference" else lambda: IDLE
            while not result.done:
                message = say()
                step = {"content": message["content"], "tool_calls": message.get("tool_calls") or []}
                result = await session.step(step)
                assert result.observation["messages"] == twin.take(message), task.id
            assert (result.reward, result.observation["ended"]) == (float(twin.verdict().reward), twin.ended)
            return result.reward


async def main(url, count):
    """Every session at once."""
    chosen = tasks("domain")
    meeting = asyncio.Barrier(count)
    agents = [("reference", "idle")[number % 2] for number in range(count)]
    start = time.monotonic()
    rewards = await asyncio.gather(
        *(play(url, chosen[number % len(chosen)], agent, meeting) for number, agent in enumerate(agents))
    )
    seconds = time.monotonic() - start
    by_agent = {agent: [r for a, r in zip(agents, rewards, strict=True) if a == agent] for agent in set(agents)}
    assert set(by_agent["reference"]) == {1.0}, by_agent
    assert set(by_agent["idle"]) == {0.0}, by_agent
    print(f"{count} sessions at once in {seconds:.1f} s: reference 1.0, idle 0.0, every message as in this process")


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
