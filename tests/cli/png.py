"""A plain reader of PNG files of 8 bits a part, without gaps: what the program writes."""

import struct
import zlib


def pixels(data):
    """Rows of (r, g, b)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert zlib.crc32(kind + body) == check
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    assert (depth, interlaced) == (8, 0) and colour in (2, 6)
    parts = 3 if colour == 2 else 4
    raw = zlib.decompress(packed)
    rows, before = [], bytes(width * parts)
    for y in range(height):
        start = y * (width * parts + 1)
        filtering, line = raw[start], bytearray(raw[start + 1:start + 1 + width * parts])
        for i, value in enumerate(line):
            left = line[i - parts] if i >= parts else 0
            up = before[i]
            corner = before[i - parts] if i >= parts else 0
            if filtering == 1:
                value += left
            elif filtering == 2:
                value += up
            elif filtering == 3:
                value += (left + up) // 2
            elif filtering == 4:
                guess = left + up - corner
                value += min((left, up, corner), key=lambda v: abs(guess - v))
            line[i] = value & 255
        before = bytes(line)
        rows.append([tuple(line[i:i + 3]) for i in range(0, width * parts, parts)])
    return rows
