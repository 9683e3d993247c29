"""`world.py` begins with what it does; long lists of words stand in a table at its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from generator.build.writing.world import with_parts, world_file

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


def test_long_lists_move_to_the_end_and_say_the_same() -> None:
    text = world_file(PROGRAM)
    before, after = dict[str, object](), dict[str, object]()
    bare = PROGRAM.replace("from runtime import WorldBuilder", "WorldBuilder = object")
    exec(bare, before)
    exec(text.replace("from runtime import WorldBuilder", "WorldBuilder = object"), after)
    assert {name: after[name] for name in ("SHORT", "FRUITS", "PRICES", "USED", "FIRST")} == {
        name: before[name] for name in ("SHORT", "FRUITS", "PRICES", "USED", "FIRST")
    }
    program, table = text.split("# fmt: off\n")
    assert "FRUITS = (\n" not in program
    assert table.startswith("FRUITS = (\n")
    assert "PRICES = {\n" in table
    assert "USED" not in table  # another constant is made of it while the file is loaded
    assert max(map(len, table.splitlines())) <= 120


def test_the_formatter_agrees(tmp_path: Path) -> None:
    path = tmp_path / "world.py"
    path.write_text(world_file(PROGRAM.replace(f"USED = {tuple(FRUITS)!r}\nFIRST = USED[0]\n", "")), encoding="utf-8")
    words = [sys.executable, "-m", "ruff", "format", "--isolated", "--config", "line-length=120", "--check", str(path)]
    assert subprocess.run(words, capture_output=True, text=True, check=False).returncode == 0


def test_a_program_without_long_lists_and_one_that_is_not_python_stay_as_they_are() -> None:
    assert world_file("X = (1, 2)\n") == "X = (1, 2)\n"
    assert world_file("def populate(:\n") == "def populate(:\n"


def test_a_list_with_a_comment_stays_where_it_is() -> None:
    commented = f"# the best ones first\nFRUITS = {tuple(FRUITS)!r}\n"
    assert world_file(commented) == commented


def test_a_repair_gives_the_parts_of_a_program_that_change() -> None:
    mended = with_parts(PROGRAM, 'SHORT = ("plum",)\n\n\ndef _ripe():\n    return 1\n')
    assert 'SHORT = ("plum",)\n' in mended
    assert '("apple", "pear")' not in mended
    assert mended.index("def _ripe") < mended.index("SHORT") < mended.index("def populate")
    assert mended.count("def populate") == 1
    assert with_parts(mended, PROGRAM.partition("\n\n\n")[2]).count("for fruit in FRUITS") == 1
    compile(mended, "world.py", "exec")
    assert with_parts(PROGRAM, "def broken(").endswith("\n\n\ndef broken(\n")
