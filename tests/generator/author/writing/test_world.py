"""A repair of a world program gives only the parts that change."""

from __future__ import annotations

from generator.author.stages.world import with_parts

FRUITS = [f"fruit of the {number}th tree" for number in range(12)]
PROGRAM = f'''"""Fill an orchard."""

from runtime import WorldBuilder

SHORT = ("apple", "pear")
FRUITS = {tuple(FRUITS)!r}
PRICES = {{
    "early": ("a price that is asked of friends", "a price that is asked of strangers", 'a "fair" price'),
    "late": ("whatever anybody would still like to pay for it",),
}}
USED = {tuple(FRUITS)!r}
FIRST = USED[0]


def populate(world: WorldBuilder) -> None:
    """One row a fruit."""
    for fruit in FRUITS:
        world.insert("fruit", name=fruit, price=PRICES["late"][0])
'''


def test_a_repair_gives_the_parts_of_a_program_that_change() -> None:
    mended = with_parts(PROGRAM, 'SHORT = ("plum",)\n\n\ndef _ripe():\n    return 1\n')
    assert 'SHORT = ("plum",)\n' in mended
    assert '("apple", "pear")' not in mended
    assert mended.index("def _ripe") < mended.index("SHORT") < mended.index("def populate")
    assert mended.count("def populate") == 1
    assert with_parts(mended, PROGRAM.partition("\n\n\n")[2]).count("for fruit in FRUITS") == 1
    compile(mended, "world.py", "exec")
    broken = with_parts(PROGRAM, "def broken(")
    assert broken.endswith("\ndef broken(\n")
    assert with_parts(broken, 'SHORT = ("plum",)') == with_parts(PROGRAM, 'SHORT = ("plum",)')
