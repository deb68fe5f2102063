"""Replays the answers of `mercer prove --json`, knowing the rules and nothing of the program.

    mercer prove 'rbf(1)' --json | python3 replay.py
    mercer prove --batch statements.tsv --json | python3 replay.py --gram 6

Every step of a derivation is checked against its rule, every witness recomputed. Exit code 1 where
something is wrong, with the statement and the step.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections import Counter
from typing import Any

from domains import Domain
from gram import check_gram
from language import LanguageError, TooLarge, Undefined, WrongDimension
from rules import Step, check
from samples import Failure, Samples, agree
from witness import check_witness


class Replay:
    def __init__(self, few: int, many: int, gram: int) -> None:
        self.few = few
        self.many = many
        self.gram = gram
        self.verdicts: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.failures: list[str] = []

    def statement(self, answer: dict[str, Any]) -> None:
        self.verdicts[answer["verdict"]] += 1
        if answer["verdict"] not in ("kernel", "not-a-kernel"):
            return
        text = answer.get("expression", answer["kernel"])
        name = f"{text} over {answer['domain']}"
        if answer["dimension"]:
            name += f" in dimension {answer['dimension']}"
        seed = zlib.crc32(name.encode())
        try:
            domain = Domain.parse(answer["domain"])
            samples = Samples(domain, answer["dimension"], text, seed, self.few, self.many)
            kernel = samples.expression(text)
            if answer["verdict"] == "not-a-kernel":
                check_witness(kernel, domain, answer["dimension"], answer["witness"])
                return
            self.derivation(answer["derivation"], samples, text)
            if self.gram:
                check_gram(kernel, samples, self.gram)
        except (Failure, LanguageError, WrongDimension) as error:
            self.failures.append(f"{name}\n  {error}")
        except Exception as error:  # a mistake of this program; the statement is still named
            self.failures.append(f"{name}\n  {type(error).__name__}: {error}")

    def derivation(self, root: dict[str, Any], samples: Samples, text: str) -> None:
        if root["claim"] != "is a kernel":
            raise Failure("the derivation does not end in a kernel")
        kernel, subject = samples.expression(text), samples.expression(root["subject"])
        for pair in samples.few:
            try:
                same = agree(lambda: kernel(pair), lambda: subject(pair))
            except TooLarge:
                continue
            except Undefined as error:
                raise Failure(f"undefined at {pair}: {error}") from None
            if not same:
                raise Failure(f"the derivation is about another function: {root['subject']}")
        self.step(root, samples)

    def step(self, step: dict[str, Any], samples: Samples) -> None:
        self.rules[step["rule"]] += 1
        try:
            checked = Step(
                step["rule"],
                samples.expression(step["subject"]),
                step["claim"],
                {name: samples.expression(text) for name, text in step["with"].items()},
                [samples.expression(p["subject"]) for p in step["premises"]],
                [p["claim"] for p in step["premises"]],
                samples,
            )
            check(checked)
        except (Failure, LanguageError, WrongDimension) as error:
            raise Failure(f"step '{step['rule']}' on {step['subject']} ({step['claim']}): "
                          f"{error}") from None
        for n, premise in enumerate(step["premises"]):
            self.step(premise, checked.below.get(n, samples))


def read(paths: list[str]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    for text in [open(path).read() for path in paths] or [sys.stdin.read()]:
        data = json.loads(text)
        answers += data.get("statements", [data]) if isinstance(data, dict) else data
    return answers


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="answers as JSON; standard input if there is none")
    parser.add_argument("--few", type=int, default=9, help="points at which identities are tested")
    parser.add_argument("--many", type=int, default=25, help="further points for signs")
    parser.add_argument("--gram", type=int, default=0, help="points of a random Gram matrix")
    parser.add_argument("--slow", type=float, default=5, help="name statements that take longer")
    options = parser.parse_args(words)
    replay = Replay(options.few, options.many, options.gram)
    for answer in read(options.files):
        start = time.monotonic()
        replay.statement(answer)
        if time.monotonic() - start > options.slow:
            print(f"{time.monotonic() - start:.1f} s: {answer.get('expression')}", file=sys.stderr)
    for failure in replay.failures:
        print("FAILED " + failure)
    counts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(replay.verdicts.items()))
    print(f"{sum(replay.verdicts.values())} statements ({counts}); {sum(replay.rules.values())} "
          f"steps by {len(replay.rules)} rules; {len(replay.failures)} failures")
    return 1 if replay.failures else 0


if __name__ == "__main__":
    sys.exit(main())
