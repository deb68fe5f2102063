#!/usr/bin/env python3
"""clang-tidy over the compile commands of a build folder, in parallel, remembering what was clean.

usage: run_tidy.py <source tree> <build folder with compile_commands.json> <cache folder>

A file is not looked at again while nothing that decides the answer has changed: its text, the
headers of this repository that it includes, its compile command, .clang-tidy and clang-tidy.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


def include_folders(command, directory):
    folders = []
    words = iter(command)
    for word in words:
        if word in ("-I", "-isystem"):
            folders.append(next(words))
        elif word.startswith("-I"):
            folders.append(word[2:])
    return [Path(directory, folder) for folder in folders]


def files_read(source, folders, root):
    """The source and all headers below root that it includes, whatever the preprocessor says."""
    seen, waiting = set(), [source]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_bytes()):
            for folder in [path.parent, *folders]:
                candidate = Path(os.path.normpath(folder / os.fsdecode(name)))
                if root in candidate.parents and candidate.is_file():
                    waiting.append(candidate)
                    break
    return sorted(seen)


def fingerprint(entry, root, tool):
    command = entry.get("arguments") or shlex.split(entry["command"])
    source = Path(entry["directory"], entry["file"])
    digest = hashlib.sha256(tool)
    digest.update("\0".join(command).encode())
    for path in files_read(source, include_folders(command, entry["directory"]), root):
        digest.update(os.fsencode(path) + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    root, build, cache = (Path(argument).resolve() for argument in arguments)
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    tool = version + b"".join(p.read_bytes() for p in sorted(root.glob(".clang-tidy"))
                              + sorted(root.glob("*/.clang-tidy")))

    todo, clean = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(entry["directory"], entry["file"])
        if root not in source.parents or root / "build" in source.parents:
            continue
        mark = cache / fingerprint(entry, root, tool)
        if mark.exists():
            mark.touch()
            clean += 1
        else:
            todo.append((source, mark))

    def tidy(job):
        source, mark = job
        result = subprocess.run(["clang-tidy", "--quiet", "-p", build, source],
                                capture_output=True, text=True)
        good = result.returncode == 0
        if good:
            mark.touch()
            print(f"  clean  {source.relative_to(root)}", flush=True)
        else:
            # stderr counts warnings of system headers; it matters when there is nothing else
            print(f"  BAD    {source.relative_to(root)}\n{result.stdout or result.stderr}",
                  flush=True)
        return good

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(tidy, todo))
    bad = results.count(False)
    print(f"clang-tidy: {clean + len(results)} files, {clean} unchanged since they were clean, "
          f"{bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
