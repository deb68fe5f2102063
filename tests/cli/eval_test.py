import math
import unittest

from program import run, run_json


class Eval(unittest.TestCase):
    def test_value(self):
        code, answer = run_json("eval", "rbf(0.5)", "--x", "1,2", "--z", "3,4")
        self.assertEqual(code, 0)
        self.assertAlmostEqual(answer["value"], math.exp(-4), delta=1e-17)
        self.assertEqual(answer["x"], [1, 2])

    def test_text_for_people(self):
        done = run("eval", "x.z", "--x", "1,2", "--z", "3,4")
        self.assertEqual(done.stdout, "k       = linear\nk(x,z)  = 11\n")

    def test_negative_numbers_and_expressions(self):
        code, answer = run_json("eval", "-x.z", "--x", "-1,-2", "--z", "-3, 4")
        self.assertEqual((code, answer["value"]), (0, 5))

    def test_blanks_around_a_coordinate(self):
        self.assertEqual(run_json("eval", "x.z", "--x", " 1 ,2", "--z", "3,\t4 ")[1]["value"], 11)

    def test_columns_by_name(self):
        words = ["eval", 'linear["age"]', "--x", "3,100", "--z", "5,100"]
        self.assertEqual(run_json(*words, "--columns", "age,height")[1]["value"], 15)
        done = run(*words)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--columns", done.stderr)
        done = run(*words, "--columns", "aeg,height")
        self.assertEqual(done.returncode, 2)
        done = run(*words, "--columns", "ages,height")
        self.assertIn('did you mean "ages"?', done.stderr)

    def test_mistakes_name_the_place(self):
        for words, part in (
            (["x.z", "--x", "1,a", "--z", "1,2"], "--x, item 2: 'a' is not a number"),
            (["x.z", "--x", "1,", "--z", "1,2"], "--x, item 2: nothing there"),
            (["x.z", "--x", "1 2", "--z", "1 2"],
             "--x, item 1: '1 2' is not a number; separate coordinates with commas"),
            (["x.z", "--x", "1,2", "--z", "3, 4\t5"], "--z, item 2: '4\t5' is not a number"),
            (["x.z", "--x", "1,nan", "--z", "1,2"], "not a finite number"),
            (["x.z", "--x", "1,inf", "--z", "1,2"], "not a finite number"),
            (["x.z", "--x", "1e999", "--z", "1"], "out of the range"),
            (["x.z", "--x", "1,2", "--z", "1"], "--x has 2 coordinates, --z has 1"),
            (["x3", "--x", "1,2", "--z", "1,2"], "there is no coordinate 3 in dimension 2"),
            (["log(x)", "--x", "-1", "--z", "1"], "log(x) is undefined at x = (-1)"),
            (["1/(x1-z1)", "--x", "2", "--z", "2"], "division by zero"),
            (["exp(x.z)", "--x", "1000", "--z", "1"], "too large"),
            (["rbf(gamma=?)", "--x", "1", "--z", "1"], "open"),
            (["precomputed", "--x", "1", "--z", "1"], "precomputed"),
            (["x.z", "--x", "1"], "--z"),
            (["x.z"], "required"),
        ):
            with self.subTest(words=words):
                done = run("eval", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_independent_of_the_locale(self):
        done = run("eval", "x.z/2", "--x", "1.5", "--z", "1", env={"LC_ALL": "de_DE.UTF-8", "PATH": ""})
        self.assertIn("= 0.75\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
