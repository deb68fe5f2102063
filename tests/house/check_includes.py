#!/usr/bin/env python3
"""Holds every #include of src/ and include/ against the declared room graph.

usage: check_includes.py <source tree> <rooms.txt>

rooms.txt has a line `room: dependency ...` per room (cmake/Rooms.cmake writes it). The rules:
  - the graph has no cycle and names only rooms;
  - every C++ file of src/ is in the folder of a declared room;
  - a file of room A includes "B/..." only if B is A or A depends on B, directly or not;
    <...> is for <mercer/...>, the standard library and third parties;
  - a public header includes only <mercer/...> and standard headers.
"""

import re
import sys
from pathlib import Path

SUFFIXES = {".cpp", ".hpp", ".h", ".cc", ".hh", ".cxx", ".hxx", ".ipp", ".inc"}

STANDARD = set("""
algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
condition_variable coroutine deque exception execution filesystem format forward_list fstream
functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list
locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges
ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack
stdexcept stop_token streambuf string string_view strstream syncstream system_error thread tuple
type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef
cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype
""".split())

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(.*?)[ \t]*$", re.M)


def read_rooms(path):
    rooms = {}
    for line in Path(path).read_text().splitlines():
        if line.strip():
            name, _, depends = line.partition(":")
            rooms[name.strip()] = depends.split()
    return rooms


def includes(text):
    """(line number, operand) of each #include; comments do not count."""

    def blank(match):
        part = match.group(0)
        return part if part.startswith('"') else re.sub(r"[^\n]", " ", part)

    text = COMMENT.sub(blank, text)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


def graph_problems(rooms):
    problems = []
    for room, depends in rooms.items():
        for other in depends:
            if other not in rooms:
                problems.append(f"rooms: {room} depends on {other}, which is not a room")

    state = {}  # room -> "open" while on the current path, "done" afterwards

    def visit(room, path):
        if state.get(room) == "open":
            cycle = path[path.index(room):] + [room]
            problems.append("rooms: cycle " + " -> ".join(cycle))
        elif room in rooms and room not in state:
            state[room] = "open"
            for other in rooms[room]:
                visit(other, path + [room])
            state[room] = "done"

    for room in rooms:
        visit(room, [])
    return problems


def reachable(rooms, start):
    seen, waiting = set(), [start]
    while waiting:
        room = waiting.pop()
        if room not in seen:
            seen.add(room)
            waiting.extend(rooms.get(room, []))
    return seen


def cpp_files(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in SUFFIXES)


def room_problems(root, rooms):
    problems = []
    for path in cpp_files(root / "src"):
        shown = path.relative_to(root)
        room = shown.parts[1]
        if len(shown.parts) < 3 or room not in rooms:
            problems.append(f"{shown}:1: not in the folder of a declared room "
                            f"(rooms: {', '.join(sorted(rooms))})")
            continue
        below = reachable(rooms, room)
        for line, operand in includes(path.read_text()):
            where = f"{shown}:{line}"
            if operand.startswith("<"):
                target = operand[1:].split("/")[0]
                if target in rooms:
                    problems.append(f'{where}: write "..." for {operand}, a header of a room')
            elif operand.startswith('"'):
                target = operand[1:].split("/")[0]
                if target not in rooms:
                    problems.append(f'{where}: {operand} does not begin with a room; '
                                    'use <...> for everything else')
                elif target not in below:
                    problems.append(f"{where}: {room} may not include {operand}: "
                                    f"{room} does not depend on {target}")
            else:
                problems.append(f"{where}: #include {operand} cannot be followed")
    return problems


def public_problems(root):
    problems = []
    for path in cpp_files(root / "include"):
        for line, operand in includes(path.read_text()):
            name = operand[1:-1]
            fine = operand.startswith("<") and (name in STANDARD or name.startswith("mercer/"))
            if not fine:
                problems.append(f"{path.relative_to(root)}:{line}: a public header may include "
                                f"only <mercer/...> and standard headers, not {operand}")
    return problems


def check(root, rooms):
    root = Path(root)
    return graph_problems(rooms) + room_problems(root, rooms) + public_problems(root)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    root, rooms = Path(arguments[0]), read_rooms(arguments[1])
    problems = check(root, rooms)
    for problem in problems:
        print(problem)
    if problems:
        return 1
    count = len(cpp_files(root / "src")) + len(cpp_files(root / "include"))
    print(f"includes: {count} files, {len(rooms)} rooms, all downwards")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
