"""The icon of a bundle: a globe of meridians, in a colour of the domain's own, drawn as a PNG of 16 colours."""

from __future__ import annotations

import colorsys
import hashlib
import math
import struct
import zlib

SIZE = 512  # what Claude Desktop recommends
_HALF = SIZE // 2
_SHADES = 7  # from nothing to the background, and from there to the lines
_STROKE = 0.035
_GLOBE = 0.66


def draw_icon(name: str) -> bytes:
    """The icon of the domain of this name; the same name gives the same bytes."""
    # The picture is its own mirror image both ways, so a quarter of it is enough.
    quarter = [[_shade((x + 0.5) / _HALF, (y + 0.5) / _HALF) for x in range(_HALF)] for y in range(_HALF)]
    halves = [[*reversed(row), *row] for row in quarter]
    rows = [*reversed(halves), *halves]
    lines = b"".join(
        b"\0" + bytes(left << 4 | right for left, right in zip(row[::2], row[1::2], strict=True)) for row in rows
    )
    ink = _colour_of(name)
    colours = [ink] * (_SHADES + 1) + [_mixed(ink, step / _SHADES) for step in range(1, _SHADES + 1)]
    opacities = bytes(round(255 * step / _SHADES) for step in range(_SHADES + 1))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 4, 3, 0, 0, 0)),
            _chunk(b"PLTE", b"".join(bytes(colour) for colour in colours)),
            _chunk(b"tRNS", opacities),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _shade(x: float, y: float) -> int:
    """The colour at a place right of and below the middle, both from 0 to 1, as its number in the palette."""
    lines = min(
        abs(math.hypot(x, y) - _GLOBE),
        max(min(x, y), math.hypot(x, y) - _GLOBE),
        max(abs(math.hypot(x / 0.45, y) - _GLOBE) * 0.6, math.hypot(x, y) - _GLOBE),
        max(abs(y - 0.36), math.hypot(x, y) - _GLOBE),
    )
    drawn = _covered(lines - _STROKE)
    if drawn:
        return _SHADES + drawn
    corner = math.hypot(max(x - 0.58, 0), max(y - 0.58, 0))
    return _covered(corner - 0.4)


def _covered(distance: float) -> int:
    """How much of a pixel lies inside an outline, in shades, by its distance from it."""
    return round(_SHADES * min(1.0, max(0.0, 0.5 - distance * _HALF)))


def _colour_of(name: str) -> tuple[int, int, int]:
    hue = hashlib.sha256(name.encode()).digest()[0] / 256
    red, green, blue = colorsys.hls_to_rgb(hue, 0.34, 0.5)
    return round(255 * red), round(255 * green), round(255 * blue)


def _mixed(colour: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(part + (255 - part) * share) for part in colour)
    return red, green, blue


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
