"""Writes model files as docs/model-format.md describes them, knowing nothing of the program."""

import struct

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotated(x, r):
    return ((x << r) | (x >> (64 - r))) & MASK


def mixed(lane, word):
    return rotated((lane + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    at = 0
    if len(data) >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 32 <= len(data):
            words = struct.unpack_from("<4Q", data, at)
            lanes = [mixed(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        h = sum(rotated(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ mixed(0, lane)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + len(data)) & MASK
    while at + 8 <= len(data):
        h = (rotated(h ^ mixed(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= len(data):
        h = (rotated(h ^ (struct.unpack_from("<I", data, at)[0] * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    h = (h ^ (h >> 33)) * P2 & MASK
    h = (h ^ (h >> 29)) * P3 & MASK
    return h ^ (h >> 32)


def sealed(head, rest):
    """The file with its checksum; head is what stands before it."""
    return head + struct.pack("<Q", xxh64(head + rest)) + rest


def padded(data):
    return data + bytes(-len(data) % 64)


def encoding_text(dimension, named=(), label="", scales=(), categories=None, sparse=False):
    """`named`: the columns; `categories`: levels of those that have some."""
    text = (f"mercer-encoding 1\nmissing error  scaling {'standard' if scales else 'none'}"
            f"  scalar float64  named {'yes' if named else 'no'}"
            f"  sparse {'yes' if sparse else 'no'}  dimension {dimension}\n")
    if label:
        text += f'label "{label}"\n'
    for name in named:
        levels = (categories or {}).get(name)
        if levels:
            text += f'category "{name}" 0 ' + " ".join(f'"{v}"' for v in levels) + "\n"
        else:
            text += f'number "{name}" 0\n'
    for centre, scale in scales:
        text += f"scale {centre} {scale}\n"
    return text


def model(*, kernel=None, map_text=None, support=(), coefficients, offsets, classes=(),
          scheme=0, encoding, label="", training="", calibration=(), counts=(), dimension,
          single=False, sparse=False, numeric=False):
    """Rows of numbers: support points, coefficients; all that the format has."""
    width = len(coefficients[0]) if coefficients else len(offsets)
    rule = struct.pack("<10Q", 0 if classes else 1, scheme, 0 if kernel else 1, numeric,
                       dimension, len(support), sparse, not single, len(coefficients), width)
    sections = {1: rule}
    sections[2] = (kernel or "").encode()
    sections[3] = (map_text or "").encode()
    sections[4] = b"".join(struct.pack("<I", len(c.encode())) + c.encode() for c in classes)
    sections[5] = encoding.encode()
    sections[6] = label.encode()
    sections[7] = training.encode()

    def numbers(rows, kind="d"):
        flat = [v for row in rows for v in row]
        return struct.pack(f"<{len(flat)}{kind}", *flat)

    sections[8] = numbers(coefficients)
    sections[9] = numbers([offsets])
    sections[10] = numbers(calibration)
    sections[11] = numbers([counts], "Q")
    kind = "f" if single else "d"
    if sparse and support:
        entries = [[(j, v) for j, v in enumerate(row) if v != 0] for row in support]
        starts = [0]
        for row in entries:
            starts.append(starts[-1] + len(row))
        sections[12] = numbers([[v for _, v in row] for row in entries], kind)
        sections[13] = numbers([starts], "q")
        sections[14] = numbers([[j for j, _ in row] for row in entries], "i")
    else:
        sections[12] = numbers(support, kind)
    sections = {k: v for k, v in sections.items() if v}
    at = 64 + len(padded(bytes(24 * len(sections))))
    table, body = b"", b""
    for number, content in sections.items():
        table += struct.pack("<3Q", number, at + len(body), len(content))
        body += padded(content)
    rest = bytes(32) + padded(table) + body
    head = b"\x89mercer\n" + struct.pack("<IIQ", 1, len(sections), 32 + len(rest))
    return sealed(head, rest)
