"""The statements with known verdicts: the verdicts, their derivations and witnesses."""

import os
import unittest

from program import judge, replayed

STATEMENTS = os.path.join(os.path.dirname(__file__), "..", "statements.tsv")


class Statements(unittest.TestCase):
    def test_verdicts_and_proofs(self) -> None:
        code, answers = judge(STATEMENTS)
        wrong = [f"{a['expression']}: {a['verdict']}, not {a['expected']}"
                 for a in answers if a["verdict"] != a["expected"]]
        self.assertEqual(wrong, [])
        self.assertEqual(code, 0)
        self.assertGreater(len(answers), 800)
        self.assertEqual(replayed(answers).failures, [])


if __name__ == "__main__":
    unittest.main()
