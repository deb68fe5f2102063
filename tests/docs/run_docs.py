#!/usr/bin/env python3
"""Runs what the documents show, and compares it with what they claim.

usage: run_docs.py --source DIR --bin DIR --cxx CXX [--include DIR]... [--library FILE]
                   [--flag FLAG]... [DOCUMENT...]

Without documents: README.md, HACKING.md and docs/**/*.md. Options can stand in a file, one per
line, given as @FILE; the build writes one, docs.args.

```console       `$ command`, then its output (stdout and stderr), compared exactly.
                 `...` alone on a line stands for any number of lines, ` …` at the end of a line
                 for any rest of it. `[exit 2]` after the output is the exit status, else it is 0.
                 A command goes on in the next line after `\\`, and in `> ` lines after `<<`.
```cpp           is compiled against the library and run. Without `int main`, the includes stay
                 on top and the rest becomes the body of main, after `using namespace mercer;`.
```text output   right after a cpp block: what that program prints, with `...` and ` …` as above.

`console norun` and `cpp norun` are not run, nor are commands that begin with `./dev`, but they are
counted and listed. Other blocks are left alone. All blocks of a document share one temporary folder
that holds a copy of examples/; `cd` lasts to the end of the document.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*(.*?)\s*$")
EXIT = re.compile(r"^\[exit (\d+)\]$")
TIMEOUT = 300  # seconds for one command


@dataclass
class Block:
    info: list      # the words after the fence
    line: int       # of the first line inside
    text: list      # lines
    end: int = 0    # line of the closing fence


@dataclass
class Command:
    line: int
    text: str
    output: list = field(default_factory=list)
    status: int = 0


class Failure(Exception):
    """line: where in the document; the message says what differs."""

    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


def blocks_of(text):
    blocks, block, fence, indent = [], None, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if block is None:
            if match:
                indent, fence = len(match.group(1)), match.group(2)
                block = Block(match.group(3).split(), number + 1, [])
        elif match and match.group(2).startswith(fence) and not match.group(3):
            block.end = number
            blocks.append(block)
            block = None
        else:
            # a block inside a list is indented as a whole
            block.text.append(line[indent:] if not line[:indent].strip() else line.lstrip())
    if block is not None:
        raise Failure(block.line - 1, "this block is never closed")
    return blocks


def commands_of(block):
    commands = []
    open_command = False  # the command text goes on in the next line
    for number, line in enumerate(block.text, block.line):
        if open_command and (line.startswith("> ") or line == ">"):
            commands[-1].text += "\n" + line[2:]
            open_command = "<<" in commands[-1].text or line.endswith("\\")
        elif open_command and commands[-1].text.endswith("\\"):
            commands[-1].text += "\n" + line
            open_command = line.endswith("\\")
        elif line.startswith("$ "):
            commands.append(Command(number, line[2:]))
            open_command = line.endswith("\\") or "<<" in line
        elif not commands:
            raise Failure(number, "a console block begins with `$ command`")
        else:
            open_command = False
            commands[-1].output.append(line)
    for command in commands:
        while command.output and not command.output[-1]:
            command.output.pop()
        match = EXIT.match(command.output[-1]) if command.output else None
        if match:
            command.status = int(match.group(1))
            command.output.pop()
    return commands


def line_matches(expected, actual):
    if expected.endswith(" …"):
        return actual.startswith(expected[:-2])
    return expected == actual


def matches(expected, actual):
    """Lines against lines, `...` as in a glob."""
    # reach[j]: the expected lines so far can stand for the first j actual lines
    reach = [True] + [False] * len(actual)
    for line in expected:
        if line.strip() == "...":
            first = reach.index(True) if True in reach else len(reach)
            reach = [j >= first for j in range(len(actual) + 1)]
        else:
            reach = [False] + [reach[j] and line_matches(line, actual[j])
                               for j in range(len(actual))]
    return reach[-1]


def compare(line, what, expected, output):
    actual = output.rstrip("\n").split("\n") if output.strip("\n") else []
    while expected and not expected[-1]:
        expected = expected[:-1]
    if not matches(expected, actual):
        diff = difflib.unified_diff(expected, actual, "documented", "actual", lineterm="")
        raise Failure(line, f"{what}: the output differs\n" + "\n".join(diff))


def program_text(block, document):
    """A whole program for a cpp block; #line makes the compiler speak of the document."""
    def at(line):
        return f'#line {line} "{document}"'

    if any(re.search(r"\bint\s+main\s*\(", line) for line in block.text):
        return "\n".join([at(block.line), *block.text, ""])
    top, body = [], []
    for number, line in enumerate(block.text, block.line):
        (top if re.match(r"\s*#\s*include\b", line) else body).extend([at(number), line])
    return "\n".join([*top, "int main() {", "using namespace mercer;", *body, "}", ""])


class Runner:
    def __init__(self, options, document):
        self.options = options
        self.document = document
        self.skipped = []
        self.ran = 0
        self.failures = []

    def run(self):
        text = (Path(self.options.source) / self.document).read_text()
        with tempfile.TemporaryDirectory() as folder:
            self.folder = self.cwd = folder
            examples = Path(self.options.source) / "examples"
            if examples.is_dir():
                shutil.copytree(examples, Path(folder) / "examples")
            try:
                blocks = blocks_of(text)
            except Failure as failure:
                self.failures.append(failure)
                return
            for index, block in enumerate(blocks):
                after = blocks[index + 1] if index + 1 < len(blocks) else None
                self.run_block(block, after, text.splitlines())

    def run_block(self, block, after, lines):
        language, options = (block.info or [""])[0], block.info[1:]
        if language not in ("console", "cpp"):
            return
        if "norun" in options:
            self.skipped.append((block.line - 1, f"{language} block"))
            return
        try:
            if language == "console":
                for command in commands_of(block):
                    self.run_command(command)
            else:
                between = lines[block.end:after.line - 2] if after else []
                follows = after and after.info == ["text", "output"] and not any(between)
                self.run_program(block, after.text if follows else None)
        except Failure as failure:
            self.failures.append(failure)

    def execute(self, line, what, command, cwd):
        environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb", NO_COLOR="1",
                           PATH=f"{self.options.bin}{os.pathsep}{os.environ['PATH']}",
                           MERCER_DOCS_CWD=os.path.join(self.folder, ".cwd"))
        try:
            result = subprocess.run(command, cwd=cwd, env=environment, text=True, timeout=TIMEOUT,
                                    errors="replace", stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired as error:
            raise Failure(line, f"{what}: still running after {TIMEOUT} s") from error
        return result.returncode, result.stdout

    def run_command(self, command):
        if command.text.startswith("./dev"):
            self.skipped.append((command.line, command.text))
            return
        self.ran += 1
        what = "$ " + command.text
        script = "trap 'pwd >\"$MERCER_DOCS_CWD\"' EXIT\n" + command.text
        status, output = self.execute(command.line, what, ["bash", "-c", script], self.cwd)
        note = Path(self.folder, ".cwd")
        if note.exists():
            self.cwd = note.read_text().rstrip("\n")
            note.unlink()
        if status != command.status:
            raise Failure(command.line, f"{what}: exit {status}, documented {command.status}\n"
                          f"{output}")
        compare(command.line, what, command.output, output)

    def run_program(self, block, expected):
        self.ran += 1
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "block.cpp"), Path(folder, "block")
            source.write_text(program_text(block, self.document))
            command = [self.options.cxx, "-std=c++20", *self.options.flag]
            command += [f"-I{path}" for path in self.options.include]
            command += [str(source), "-o", str(program), *self.options.library]
            command += [f"-Wl,-rpath,{Path(file).parent}" for file in self.options.library
                        if not file.startswith("-l")]
            status, output = self.execute(block.line, "compiler", [*command, "-pthread"], folder)
            if status != 0:
                raise Failure(block.line, f"this does not compile\n{output}")
            status, output = self.execute(block.line, "program", [str(program)], self.cwd)
            if status != 0:
                raise Failure(block.line, f"the program ends with exit {status}\n{output}")
            if expected is not None:
                compare(block.line, "program", expected, output)


def main():
    parser = argparse.ArgumentParser(usage=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--source", required=True)
    parser.add_argument("--bin", default="")
    parser.add_argument("--cxx", default="c++")
    for name in ("--include", "--library", "--flag"):
        parser.add_argument(name, action="append", default=[])
    parser.add_argument("documents", nargs="*")
    options = parser.parse_args()
    source = Path(options.source)
    everything = [source / "README.md", source / "HACKING.md", *sorted(source.glob("docs/**/*.md"))]
    documents = options.documents or [p.relative_to(source) for p in everything if p.is_file()]

    failed = False
    for document in documents:
        runner = Runner(options, document)
        runner.run()
        for failure in runner.failures:
            print(f"{document}:{failure.line}: {failure}\n")
        for line, what in runner.skipped:
            print(f"{document}:{line}: not run: {what}")
        print(f"{document}: {runner.ran} run, {len(runner.failures)} failed, "
              f"{len(runner.skipped)} not run")
        failed = failed or bool(runner.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
