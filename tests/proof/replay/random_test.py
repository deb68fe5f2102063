"""Random kernels: what is proved has a derivation that holds and no negative eigenvalue, what is
refuted has a witness."""

import unittest

from program import LONG, judge_lines, replayed
from random_kernels import Generator


class RandomKernels(unittest.TestCase):
    def test_proofs(self) -> None:
        for seed in range(1, 9 if LONG else 2):
            with self.subTest(seed=seed):
                generator = Generator(seed)
                lines = [generator.statement() for _ in range(800 if LONG else 500)]
                replay = replayed(judge_lines(lines, timeout=0.3))
                self.assertEqual(replay.failures, [])
                # Otherwise this test would show little.
                self.assertGreater(replay.verdicts["kernel"], 125)
                self.assertGreater(replay.verdicts["not-a-kernel"], 90)
                self.assertGreater(len(replay.rules), 25)


if __name__ == "__main__":
    unittest.main()
