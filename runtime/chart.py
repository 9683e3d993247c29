"""Draw charts as SVG: lines over a number, each with the band of its interval, and points of groups in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log2

Point = tuple[float, float, float, float]  # x, then y with the ends of its interval

_LEFT, _TOP, _WIDTH, _HEIGHT = 56, 40, 500, 292  # of the room for lines, in pixels; the legend is right of it
_COLORS = ("#2563eb", "#dc2626", "#d97706", "#16a34a", "#7c3aed", "#0891b2", "#4b5563", "#be185d", "#65a30d", "#92400e")
_MARKS = ("M-4 -4L4 4M-4 4L4 -4", "M0 -5V5M-5 0H5", "M0 -5L5 4H-5Z", "M-4 -4H4V4H-4Z")  # of groups with a mark


def point(x: float, y: float, low: float | None = None, high: float | None = None) -> Point:
    """Return a point; without an interval, it has one of no width."""
    return float(x), y, y if low is None else low, y if high is None else high


def line_chart(
    title: str, across: str, up: str, lines: Mapping[str, Sequence[Point]], *, doubling: bool = False
) -> str:
    """Return a chart of shares; `doubling` makes the horizontal scale logarithmic, with a tick at each point."""
    xs = sorted({point[0] for points in lines.values() for point in points})
    ys = [y for points in lines.values() for _, *own in points for y in own]
    step = 0.1 if max(ys) - min(ys) <= 0.5 else 0.25
    least, most, bottom = floor(min(ys) / step), ceil(max(ys) / step), _TOP + _HEIGHT
    width = (log2(xs[-1] / xs[0]) if doubling else xs[-1] - xs[0]) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        part = (log2(x / xs[0]) if doubling else x - xs[0]) / width
        return _LEFT + part * _WIDTH, bottom - (y / step - least) / ((most - least) or 1) * _HEIGHT

    def corners(at: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in at)

    drawn = [_text(_LEFT + _WIDTH / 2, bottom + 38, across), _text(-_TOP - 220, 14, up, ' transform="rotate(-90)"')]
    for number in range(least, most + 1):
        y = place(xs[0], number * step)[1]
        drawn += [
            f'<path d="M{_LEFT} {y:.1f}h{_WIDTH}" stroke="#e5e7eb"/>',
            _text(_LEFT - 34, y + 4, f"{number * step:g}"),
        ]
    for tick in xs if doubling else [xs[0] + width * part / 4 for part in range(5)]:
        drawn.append(_text(place(tick, least)[0], bottom + 18, f"{tick:g}", ' text-anchor="middle"'))
    for number, (name, points) in enumerate(lines.items()):
        color, y = _COLORS[number % len(_COLORS)], _TOP + 12 + 20 * number
        at = [place(x, mean) for x, mean, _, _ in points]
        band = [place(x, high) for x, _, _, high in points] + [place(x, low) for x, _, low, _ in reversed(points)]
        drawn.append(f'<polygon points="{corners(band)}" fill="{color}" opacity="0.18"/>')
        drawn.append(f'<polyline points="{corners(at)}" fill="none" stroke="{color}" stroke-width="2"/>')
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in at]
        drawn += [f'<path d="M576 {y}h20" stroke="{color}" stroke-width="3"/>', _text(604, y + 4, name)]
    return _page(title, drawn)


def plane_chart(title: str, groups: Mapping[str, Sequence[tuple[float, float, str]]], marked: Sequence[str]) -> str:
    """Return a chart of named points, of each group in a color; those of `marked` groups have marks, not circles."""
    xs, ys = (
        [x for points in groups.values() for x, _, _ in points],
        [y for points in groups.values() for _, y, _ in points],
    )
    scale = _WIDTH / (max(max(each) - min(each) for each in (xs, ys)) or 1)
    drawn = list[str]()
    for number, (name, points) in enumerate(groups.items()):
        color, mark = _COLORS[number % len(_COLORS)], ""
        if name in marked:
            color, mark = "#111", _MARKS[marked.index(name) % len(_MARKS)]
        places = [(_LEFT + (x - min(xs)) * scale, _TOP + (y - min(ys)) * scale, said) for x, y, said in points]
        drawn += [_dot(*place, color, mark) for place in (*places, (586, _TOP + 8 + 20 * number, name))]
        drawn.append(_text(604, _TOP + 12 + 20 * number, name))
    return _page(title, drawn, 580)


def _dot(x: float, y: float, said: str, color: str, mark: str = "") -> str:
    """Return a circle, or a mark as an SVG path around (0, 0), with a tooltip."""
    kind, look = ("path", f'd="{mark}" stroke="{color}"') if mark else ("circle", f'r="4" fill="{color}"')
    return f'<{kind} transform="translate({x:.1f} {y:.1f})" {look} opacity="0.7"><title>{escape(said)}</title></{kind}>'


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(words)}</text>'


def _page(title: str, drawn: Sequence[str], height: int = 380) -> str:
    view = f'viewBox="0 0 780 {height}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {view}>'
    ground = ['<rect width="100%" height="100%" fill="#fff"/>', _text(_LEFT, 22, title, ' font-weight="bold"')]
    return "\n".join([head, *ground, *drawn, "</svg>", ""])
