"""What the pictures of a study have in common: the page, its colours for light and dark, marks, ticks."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

_COLOURS = (  # for light and for dark pages, told apart by lightness as well as by hue
    ("#2b6fd4", "#6ea8ff"),
    ("#d9480f", "#ff9057"),
    ("#1b8a5a", "#4cc38a"),
    ("#9c36b5", "#d787ea"),
    ("#b8860b", "#e3b341"),
    ("#0b7285", "#4fc3d9"),
    ("#c2255c", "#f783ac"),
    ("#5c7a29", "#a9cf5f"),
)
_PLAIN = {
    "page": ("#fdfdfc", "#15181d"),
    "ink": ("#23272e", "#e6e8eb"),
    "faint": ("#d5d9de", "#3a4048"),
    "low": ("#dbe7f8", "#1d2c44"),
    "high": ("#0f3d8a", "#8fbcff"),
}
_SHADES = 20
_SHAPES = 4  # a circle, a square, a triangle, a diamond
KINDS = len(_COLOURS) * _SHAPES  # of marks that look different


def draw_page(name: str, title: str, about: str, width: int, height: int, parts: Iterable[str]) -> str:
    """A picture that needs nothing else, with its title and a sentence about it at the top."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f"aria-label={quoteattr(f'{title}: {name}')}>",
            f"<style>{_style()}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            f'<text class="title" x="24" y="36">{escape(title)}</text>',
            f'<text class="words" x="24" y="60">{escape(about)}</text>',
            *parts,
            "</svg>",
            "",
        ]
    )


def draw_mark(kind: int, x: float, y: float, words: str = "", size: float = 5.0) -> str:
    """A mark of a kind, counted from 0, of which `KINDS` differ; `words` appear where one points at it."""
    colour, shape = kind % len(_COLOURS), kind // len(_COLOURS) % _SHAPES
    near, far = f"{size * 0.9:.1f}", f"{size * 1.3:.1f}"
    paths = (
        f"m-{size:g} 0a{size:g} {size:g} 0 1 0 {2 * size:g} 0a{size:g} {size:g} 0 1 0 -{2 * size:g} 0z",
        f"m-{near} -{near}h{2 * float(near):.1f}v{2 * float(near):.1f}h-{2 * float(near):.1f}z",
        f"m0 -{far}l{far} {1.8 * float(far):.1f}h-{2 * float(far):.1f}z",
        f"m0 -{far}l{far} {far}l-{far} {far}l-{far} -{far}z",
    )
    return (
        f'<path class="mark c{colour}" d="M{x:.1f} {y:.1f}{paths[shape]}">'
        f"{f'<title>{escape(words)}</title>' if words else ''}</path>"
    )


def draw_words(text: str, x: float, y: float, anchor: str = "start", kind: str = "words") -> str:
    """A line of text."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def ticks_up_to(most: int) -> list[int]:
    """Round numbers from 0 to one that is not below `most`, some five of them."""
    step = next(
        step for power in range(9) for step in (10**power, 2 * 10**power, 5 * 10**power) if step * 6 >= max(1, most)
    )
    return list(range(0, most + step, step)) if most % step else list(range(0, most + 1, step))


def shade_class(share: float) -> str:
    """The class of a fill from the lowest to the highest, by a share of 0 to 1."""
    return f"s{round(share * _SHADES)}"


def _style() -> str:
    # Colours are written out, as not every program that reads SVG knows variables.
    return f"""
text{{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}}
.title{{font-size:22px;font-weight:650}}.words{{font-size:14px}}.small{{font-size:12px}}
.line{{fill:none}}.mark{{fill-opacity:.8;stroke-width:.8}}.mark:hover{{fill-opacity:1}}
.bubble{{fill-opacity:.85;stroke-opacity:.5}}.none{{fill:none;stroke-dasharray:3 3}}
{_colours(0)}
@media (prefers-color-scheme:dark){{
{_colours(1)}
}}
"""


def _colours(page: int) -> str:
    """The rules of colour for light pages, 0, or dark ones, 1."""
    plain = {name: both[page] for name, both in _PLAIN.items()}
    rules = ["text{{fill:{ink}}}.page{{fill:{page}}}.line{{stroke:{faint}}}.mark{{stroke:{page}}}".format(**plain)]
    rules.append(".bubble,.none{{stroke:{ink}}}.low{{stop-color:{low}}}.high{{stop-color:{high}}}".format(**plain))
    rules += [f".c{number}{{fill:{both[page]}}}" for number, both in enumerate(_COLOURS)]
    for step in range(_SHADES + 1):
        rules.append(f".s{step}{{fill:{_mixed(plain['low'], plain['high'], step / _SHADES)}}}")
    return "".join(rules)


def _mixed(low: str, high: str, share: float) -> str:
    """A colour between two, each #rrggbb."""
    pairs = [(int(low[at : at + 2], 16), int(high[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(one + share * (other - one)):02x}" for one, other in pairs)
