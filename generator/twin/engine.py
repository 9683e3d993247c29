"""TITLE"""

from typing import Any

from runtime import WorldBuilder, add_days

TABLES: dict[str, dict[str, Any]] = {}
GIVEN_NAMES: tuple[str, ...] = ()
FAMILY_NAMES: tuple[str, ...] = ()
DAYS = 120  # by which the dates of a copy may be earlier


def populate(world: WorldBuilder) -> None:
    """Fill the tables with given rows, and with copies that have keys, references, names and dates of their own."""
    counts = {name: count_rows(world, table) for name, table in TABLES.items()}
    for name, table in TABLES.items():
        for parent in table["single"]:  # some rows stay free for what is added later
            counts[parent] = max(3, counts[parent])
            counts[name] = max(2, min(counts[name], counts[parent] * 2 // 3))
    made: dict[str, list[Any]] = {name: [] for name in TABLES}
    places: dict[str, dict[int, Any]] = {name: {} for name in TABLES}  # given rows by the place of their pattern
    seen: dict[str, list[set[Any]]] = {name: [set() for _ in table["unique"]] for name, table in TABLES.items()}
    origins: dict[str, list[Any]] = {name: [] for name in TABLES}
    for name, table in TABLES.items():
        patterns = [dict(zip(table["columns"], values, strict=True)) for values, _ in table["rows"]]
        ties = [list(zip(parents, table["references"], strict=True)) for _, parents in table["rows"]]
        far = [[(None if place is None else -1, tie) for place, tie in own] for own in ties]
        blends = blended(table, patterns) if table["label"] else []
        order = world.random.sample(range(len(patterns)), len(patterns))
        uniques = uniques_of(table, seen[name], table["columns"])
        given, key, is_small = len(order), table["key"], world.size < 30
        for number in range(counts[name]):
            for attempt in range(24):
                is_given = attempt == 0 and number < given and (is_small or world.random.random() < 0.4)
                at = order[number] if is_given else world.random.choice(order)
                row = {**patterns[at]}
                if not is_given:
                    vary(world, table, row, patterns, blends, at, number, attempt)
                if key and not (is_given and key in row):  # a key above those of given rows
                    above = table["greatest"] + 1 + len(made[name]) - (len(places[name]) if key in row else 0)
                    row[key] = f"{name.upper()}-{above:04d}" if table["named"] else above
                if not refer(world, name, row, at, ties[at], is_given, made, places):
                    continue
                if uniques and is_taken(uniques, row):
                    continue
                made[name].append(row)
                origins[name].append(ties[at] if is_given else far[at])
                if is_given:
                    places[name][at] = row
                break
    for name, table in TABLES.items():
        if any(ahead for *_, ahead in table["references"]):
            for number, row in enumerate(made[name]):
                refer_ahead(world, name, row, number, origins[name][number], made, places, seen[name])
    for name, table in TABLES.items():
        waiting = {column: None for column in table["waiting"]}  # noqa: C420
        for row in made[name]:
            world.insert(name, **{**row, **waiting})
        if table["key"]:
            world.count(name, table["greatest"] + len(made[name]))
    for name, table in TABLES.items():
        for row in made[name] if table["waiting"] else []:
            if values := {each: row[each] for each in table["waiting"] if row[each] is not None}:
                world.update(name, *[row[column] for column in table["keys"]], **values)


def count_rows(world: WorldBuilder, table: Any) -> int:
    given = len(table["rows"])
    if table["fixed"]:  # a short list that everything else refers to
        return max(1, min(given, 2 + world.size // 10))
    wanted = round(world.size * table["share"] * world.random.uniform(0.9, 1.1))
    return int(max(1, min(given, 2 + world.size // 30), wanted))


def vary(
    world: WorldBuilder, table: Any, row: Any, patterns: Any, blends: Any, at: int, number: int, attempt: int
) -> None:
    """Give a copy of a row a name, dates, amounts and unique values of its own."""
    given, family = world.random.choice(GIVEN_NAMES), world.random.choice(FAMILY_NAMES)
    middle = f" {'ABCDEFGHJKLMNPRSTW'[attempt % 18]}." if attempt > 3 else ""
    for column in table["people"]:
        if row[column] is not None:
            what = table["people"][column]
            row[column] = {"given": given + middle, "family": family, "full": f"{given}{middle} {family}"}[what]
    label = table["label"]
    if label and row[label] is not None:
        row[label] = blends[at][world.random.randrange(len(patterns))]
        if attempt > 3 and number:
            tail = f" {number + 2}"
            row[label] = row[label][: table["longest"].get(label, 200) - len(tail)].rstrip() + tail
    for column in table["swapped"]:
        if row[column] is not None and world.random.random() < 0.5:
            other = world.random.choice(patterns)[column]
            row[column] = row[column] if other is None else other
    offset = world.random.randrange(-DAYS, 1)
    for column in table["dates"]:
        if row[column] is not None:
            row[column] = add_days(row[column], offset)
    for column in table["fresh"]:
        if row[column] == str(row[column]):  # a text
            longest = table["longest"].get(column, 200)
            row[column] = other_value(world, row[column], number + 10_000 * attempt, longest, given, family)
        elif row[column] is not None:
            row[column] += 1_000 + number + 10_000 * attempt
            least, most = table["limits"].get(column, (0, row[column]))
            if row[column] > most:
                row[column] = least + (number + 7 * attempt) % max(1, int(most - least))


def blended(table: Any, patterns: Any) -> Any:
    """Return for each two patterns the beginning of the one's name and the end of the other's."""
    longest = table["longest"].get(table["label"], 200)
    names = [each[table["label"]] for each in patterns]
    words = [(name or "").split() for name in names]
    found = []
    for name, first in zip(names, words, strict=True):
        half, row = first[: (len(first) + 1) // 2], []
        for other, last in zip(names, words, strict=True):
            last = last if other else first
            both = half + last[len(last) // 2 :] if len(first) > 1 or len(last) > 1 else first
            row.append(" ".join(both)[:longest].rstrip())
        found.append(row if name else [])
    return found


def other_value(world: WorldBuilder, value: str, number: int, longest: int, given: str, family: str) -> str:
    """Make another text that looks alike."""
    if "@" in value:
        host = value.split("@")[-1]
        return f"{given}.{family}{number + 2}".lower()[: max(1, longest - len(host) - 1)] + f"@{host}"
    if value[4:5] == value[7:8] == "-" and value[:10].replace("-", "").isdecimal():
        try:
            return add_days(value, -number - 1)
        except ValueError:
            pass  # a code, not a date
    digits, head = str(number + 11), value.rstrip("0123456789")
    many, letters = len(value) - len(head), ""
    if len(value) == 36 and value.count("-") == 4:
        return value[: 36 - len(digits)] + digits
    if head.endswith(":"):  # a time of day
        return f"{head}{world.random.randrange(60):02d}"
    if many > 1:
        letters = "0123456789"
    elif value.isupper() and value.isalpha():
        head, many, letters = "", len(value), "ABCDEFGHJKLMNPRSTUVWXYZ"
    elif longest < len(digits) + 2:
        head, many, letters = "", longest, "abcdefghjkmnpqrstuvwxyz23456789"
    if letters:
        return head + "".join([world.random.choice(letters) for _ in range(many)])
    joined = " " if " " in value else ""
    return value[: longest - len(digits) - 1].rstrip() + joined + digits


def refer(world: WorldBuilder, name: str, row: Any, at: int, ties: Any, is_given: bool, made: Any, places: Any) -> bool:
    """Point a row to rows that exist, all of which agree on the columns that they share; False if there are none."""
    fixed: dict[str, Any] = {}
    for place, (columns, parent, theirs, required, is_ahead) in ties:
        if is_ahead or (place is None and not required):
            continue
        others = [row] if parent == name else []
        many, tries = 0, len(others)
        if is_given and place in places[parent]:
            others, tries = [places[parent][place]], 1
        elif made[parent] and not (is_given and place == at and parent == name):
            others, many, tries = made[parent], referable(made[parent]), 13
        elif not others and not required:
            continue
        for number in range(tries):
            other = others[world.random.randrange(many) if many else number]
            if fits(row, columns, other, theirs, fixed):
                break
        else:
            return False
    return True


def fits(row: Any, columns: Any, other: Any, theirs: Any, fixed: Any) -> bool:
    """Return whether another row agrees with what is fixed of a row; if so, point the row to it."""
    if len(columns) == 1 and columns[0] not in fixed:
        row[columns[0]] = fixed[columns[0]] = other[theirs[0]]
        return True
    chosen = {own: other[column] for own, column in zip(columns, theirs, strict=True)}
    if all(fixed.get(own, value) == value for own, value in chosen.items()):
        row.update(chosen)
        fixed.update(chosen)
        return True
    return False


def refer_ahead(
    world: WorldBuilder, name: str, row: Any, number: int, ties: Any, made: Any, places: Any, seen: Any
) -> None:
    """Point a row to rows that were made after it, and to others of its own table."""
    for place, (columns, parent, theirs, required, is_ahead) in ties:
        if not is_ahead or (place is None and not required):
            continue
        others = made[parent][: number if parent == name else referable(made[parent])]
        tried = [places[parent][place]] if place in places[parent] else []
        if required or not (tried or (parent == name and place != -1)):  # another row might be below a given one
            tried += [world.random.choice(others) for _ in range(12 if others else 0)] + (others if required else [])
        for other in tried:
            chosen = {own: other[column] for own, column in zip(columns, theirs, strict=True)}
            is_free = all(row[own] is None or row[own] == value for own, value in chosen.items())
            if is_free and not is_taken(uniques_of(TABLES[name], seen, columns), row | chosen):
                row.update(chosen)
                break


def referable(rows: Any) -> int:
    """Return how many rows others may refer to: not the last of many, so that something can be deleted."""
    many = len(rows)
    return many - many // 8 if many > 3 else many


def uniques_of(table: Any, seen: Any, columns: Any) -> Any:
    """Return the unique sets with one of these columns: their names, the name if it is one alone, and known values."""
    return [
        (names, names[0] if len(names) == 1 else "", known)
        for names, known in zip(table["unique"], seen, strict=True)
        if any(each in columns for each in names)
    ]


def is_taken(uniques: Any, row: Any) -> bool:
    """Return whether a unique value of a row is taken; note those of the row if none is."""
    noted = []
    for names, only, known in uniques:
        value = row[only] if only else tuple([row[each] for each in names])
        if value is None or (not only and None in value):
            continue
        if value in known:
            return True
        noted.append((known, value))
    for known, value in noted:
        known.add(value)
    return False
