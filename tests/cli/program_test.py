"""The program as a whole: version, help, catalogue, completion, exit codes, Ctrl-C."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import MERCER, run, run_json


class Program(unittest.TestCase):
    def test_version(self):
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        for part in ("mercer", "0.1.0", "compiler", "instructions", "threads"):
            self.assertIn(part, done.stdout)
        code, answer = run_json("--version")
        self.assertEqual(code, 0)
        self.assertEqual(answer["version"], "0.1.0")
        self.assertGreaterEqual(answer["threads"], 1)
        self.assertTrue(answer["instructions"]["in_use"])

    def test_help_everywhere(self):
        overview = run("--help")
        self.assertEqual(overview.returncode, 0)
        self.assertEqual(run().stdout, overview.stdout)
        for command in ("kernel", "eval", "kernels", "prove", "separable", "check-gram", "gram",
                        "predict", "evaluate", "inspect", "data", "make", "convert",
                        "completion"):
            self.assertIn(command, overview.stdout)
            done = run(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Example", done.stdout)

    def test_wrong_calls(self):
        for words, part in (
            (["kernl", "x.z"], "did you mean 'kernel'?"),
            (["kernel", "x.z", "--jsn"], "did you mean '--json'?"),
            (["kernel"], "EXPR"),
            (["kernel", "x.z", "y"], "unexpected argument 'y'"),
            (["--verion"], "did you mean '--version'?"),
            (["completion", "fish"], "bash and zsh"),
            (["kernels", "rfb"], "did you mean 'rbf'?"),
        ):
            with self.subTest(words=words):
                done = run(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(part, done.stderr)

    def test_what_is_not_needed_is_not_loaded(self):
        """Libraries of proofs, pictures and the studio take longer to load than most commands."""
        heavy = ("libflint", "libcairo", "libcpp-httplib", "libcrypto", "mercer_more.so")
        for words, needed in (
            (["eval", "rbf(1)", "--x", "1", "--z", "2"], False),
            (["kernel", "rbf(1)*poly(2)"], False),
            (["train", "--help"], False),
            (["--version"], False),
            (["prove", "rbf(1)"], True),
            (["plot", "--help"], True),
            (["--help"], True),
        ):
            with self.subTest(words=words):
                done = subprocess.run([MERCER, *words], capture_output=True, text=True,
                                      env=dict(os.environ, LD_DEBUG="files"), timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr[-500:])
                loaded = [name for name in heavy if name in done.stderr]
                self.assertEqual(loaded, list(heavy) if needed else [])

    def test_without_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = os.path.join(folder, "mercer")
            shutil.copy(MERCER, alone)

            def run_alone(*words):
                return subprocess.run([alone, *words], capture_output=True, text=True, timeout=60)

            data = os.path.join(folder, "moons.csv")
            self.assertEqual(run_alone("make", "moons", "-o", data).returncode, 0)
            model = os.path.join(folder, "model")
            done = run_alone("train", data, "-k", "rbf(1)*poly(2)", "-o", model)
            self.assertEqual(done.returncode, 0, done.stderr)
            for words in (["prove", "rbf(1)"], ["--help"], ["trian"]):
                done = run_alone(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn("mercer_more.so is not beside it", done.stderr)

    def test_the_catalogue(self):
        code, answer = run_json("kernels")
        self.assertEqual(code, 0)
        names = [k["name"] for k in answer["kernels"]]
        self.assertEqual(
            sorted(names),
            sorted("linear poly rbf laplacian matern rq periodic sigmoid cosine intersection chi2 "
                   "subsets anova const precomputed".split()),
        )
        table = run("kernels").stdout
        for name in names:
            self.assertIn(name, table)
            self.assertEqual(run("kernels", name).returncode, 0)
            self.assertEqual(run_json("kernels", name)[1]["name"], name)
        rbf = run_json("kernels", "rbf")[1]
        self.assertEqual(rbf["parameters"][0]["default"], "0.5")
        self.assertEqual(rbf["parameters"][1]["definition"], "gamma = 1/(2*sigma^2)")

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([MERCER, "kernels"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write", done.stderr)

    def test_interrupt_is_130(self):
        # A sum over four indices in dimension 1000 would take centuries.
        body = "sum(i, sum(j, sum(k, sum(l, cos(x[i]+z[j]+x[k]+z[l])))))"
        point = ",".join(["0.5"] * 1000)
        child = subprocess.Popen([MERCER, "eval", body, "--x", point, "--z", point],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.5)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=20)
        self.assertEqual(child.returncode, 130)


class Completion(unittest.TestCase):
    def complete_in_bash(self, *words):
        script = run("completion", "bash").stdout
        typed = " ".join(f"'{w}'" for w in words)
        script += f"\nCOMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _mercer; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete_in_bash("mercer", "kern"), ["kernel", "kernels"])
        self.assertIn("--dim", self.complete_in_bash("mercer", "kernel", "--"))
        self.assertIn("--x", self.complete_in_bash("mercer", "eval", "x.z", "--"))
        self.assertEqual(self.complete_in_bash("mercer", "kernel", "mat"), ["matern"])
        self.assertEqual(self.complete_in_bash("mercer", "completion", ""), ["bash", "zsh"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_loads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "_mercer"), "w") as out:
                out.write(run("completion", "zsh").stdout)
            script = f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; " \
                     "whence -w _mercer; autoload -Uz +X _mercer; print $_comps[mercer]"
            done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertIn("_mercer", done.stdout)
            self.assertEqual(subprocess.run(["zsh", "-n", os.path.join(folder, "_mercer")]).returncode, 0)

    def test_json(self):
        code, answer = run_json("completion", "bash")
        self.assertEqual(code, 0)
        self.assertIn("_mercer", answer["script"])


if __name__ == "__main__":
    unittest.main()
