"""Draw lines over a number as one SVG file, each with the band of its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Point = tuple[float, float, float, float]  # x, then y with the ends of its interval

_LEFT, _TOP, _WIDTH, _HEIGHT = 56, 40, 500, 292  # of the room for lines, in pixels; the legend is right of it
_COLORS = ("#2563eb", "#dc2626", "#d97706", "#16a34a", "#7c3aed", "#0891b2", "#4b5563", "#be185d")


def line_chart(title: str, across: str, up: str, lines: Mapping[str, Sequence[Point]]) -> str:
    """Return a chart of shares between 0 and 1."""
    xs = [point[0] for points in lines.values() for point in points]
    least, width, bottom = min(xs), (max(xs) - min(xs)) or 1.0, _TOP + _HEIGHT

    def place(x: float, y: float) -> str:
        return f"{_LEFT + (x - least) / width * _WIDTH:.1f},{bottom - y * _HEIGHT:.1f}"

    def text(x: float, y: float, words: str, more: str = "") -> str:
        return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(words)}</text>'

    drawn = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 380" font-family="sans-serif" font-size="12">']
    drawn += ['<rect width="100%" height="100%" fill="#fff"/>', text(_LEFT, 22, title, ' font-weight="bold"')]
    drawn += [text(_LEFT + _WIDTH / 2, bottom + 38, across), text(-_TOP - 220, 14, up, ' transform="rotate(-90)"')]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = bottom - tick * _HEIGHT
        drawn += [f'<path d="M{_LEFT} {y:.1f}h{_WIDTH}" stroke="#e5e7eb"/>', text(_LEFT - 34, y + 4, f"{tick:g}")]
        drawn.append(text(_LEFT + tick * _WIDTH, bottom + 18, f"{least + tick * width:g}", ' text-anchor="middle"'))
    for number, (name, points) in enumerate(lines.items()):
        color, y = _COLORS[number % len(_COLORS)], _TOP + 12 + 20 * number
        band = [place(x, high) for x, _, _, high in points] + [place(x, low) for x, _, low, _ in reversed(points)]
        line = " ".join(place(x, mean) for x, mean, _, _ in points)
        drawn.append(f'<polygon points="{" ".join(band)}" fill="{color}" opacity="0.18"/>')
        drawn.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        drawn += [f'<path d="M576 {y}h20" stroke="{color}" stroke-width="3"/>', text(604, y + 4, name)]
    return "\n".join([*drawn, "</svg>", ""])
