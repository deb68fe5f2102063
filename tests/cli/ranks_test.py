"""mercer train on data that stay on disk: under a limit of memory, and by several ranks of mpirun."""

import array
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest

from program import MERCER, Commands

COLUMNS = 16
MODULE = os.path.join(os.path.dirname(MERCER), "mercer_mpi.so")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def without_mpi():
    """Why there are no ranks to be tested; None where there are."""
    if os.environ.get("MERCER_SANITIZE"):
        return "MPI does not run clean under sanitizers"
    if not shutil.which("mpirun"):
        return "mpirun is not installed"
    return None if os.path.exists(MODULE) else "mercer_mpi.so was not built"


class Large(Commands):
    def make(self, name, rows, classes=False):
        """An array of NumPy: the same 2000 rows again and again."""
        rng = random.Random(5)
        block = array.array("d")
        for _ in range(2000):
            x = [rng.gauss(0, 1) for _ in range(COLUMNS)]
            y = x[0] * x[1] + x[2]
            block.extend(x + [float((y > -0.5) + (y > 0.5)) if classes else y])
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {COLUMNS + 1}), }}"
        head += " " * ((-len(head) - 11) % 64) + "\n"
        with open(self.path(name), "wb") as out:
            out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
            for _ in range(rows // 2000):
                block.tofile(out)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def folders(self):
        return [f for f in os.listdir(self.folder) if f.startswith(".mercer")]


class OnDisk(Large):
    def test_data_larger_than_a_hard_limit_of_memory(self):
        if os.environ.get("MERCER_SANITIZE"):
            self.skipTest("sanitizers need memory of their own")
        limit = 40 << 20
        self.make("large.npy", 400000)
        self.assertGreater(os.path.getsize(self.path("large.npy")), limit)
        words = [MERCER, "train", "large.npy", "-k", "rbf(0.1)", "--approx", "nystrom(20)", "--lambda", "1", "--json"]
        done = subprocess.run(
            [*words, "--memory", "30M", "-o", "disk.mercer", "--threads", "2"], cwd=self.folder, capture_output=True,
            text=True, timeout=200, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = json.loads(done.stdout)
        self.assertTrue(said["on_disk"] and said["converged"])
        self.assertEqual(self.folders(), [])
        # Where all of it is in memory, the same model, to the last bit.
        done = self.call(*words[1:], "-o", "memory.mercer")
        self.assertNotIn("on_disk", json.loads(done.stdout))
        self.assertEqual(self.bytes("disk.mercer"), self.bytes("memory.mercer"))

    def test_text_that_stays_on_disk(self):
        rng = random.Random(3)
        rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(30000)]
        self.file("x.csv", "a,b,c,kind\n" + "".join(
            f"{a:.4f},{b:.4f},{c:.4f},{'yes' if a * b > c else 'no'}\n" for a, b, c in rows))
        self.file("x.libsvm", "".join(
            f"{a + b:.4f} 1:{a:.4f}" + (f" 7:{c:.4f}" if c > 0 else "") + "\n" for a, b, c in rows))
        for data in ("x.csv", "x.libsvm"):
            for approx in ("nystrom(30, centres=kmeans)", "fourier(60)"):
                words = ("train", data, "--approx", approx, "--scale", "standard", "--force")
                disk = self.answer(*words, "--memory", "1", "-o", "disk.mercer")
                memory = self.answer(*words, "-o", "memory.mercer")
                self.assertTrue(disk["on_disk"])
                self.assertEqual(disk["training"], memory["training"])
                self.assertEqual(self.bytes("disk.mercer"), self.bytes("memory.mercer"))
        self.file("bad.csv", "a,kind,y\n" + "1,red,2\n2,blue,3\n" * 80000)
        done = self.call("train", "bad.csv", "--approx", "nystrom(5)", "--memory", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("column `kind` holds categories", done.stderr)
        self.assertEqual(self.folders(), [])


@unittest.skipIf(without_mpi(), without_mpi())
class Ranks(Large):
    def ranks(self, count, *words):
        done = subprocess.run([*MPIRUN, "-n", str(count), MERCER, "train", *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=200)
        return done

    def test_the_program_does_not_link_mpi(self):
        self.assertNotIn("mpi", subprocess.run(["ldd", MERCER], capture_output=True, text=True, check=True).stdout)

    def test_any_number_of_ranks_gives_the_same_model(self):
        self.make("y.npy", 40000)
        self.make("classes.npy", 20000, classes=True)
        for words in (["y.npy", "--approx", "nystrom(40, centres=leverage)"],
                      ["classes.npy", "--approx", "fourier(60)", "--loss", "logistic", "--lambda", "1"]):
            words += ["-k", "rbf(0.1)", "--json", "--force"]
            self.ok("train", *words, "-o", "one.mercer")
            for count in (3,):
                done = self.ranks(count, *words, "-o", "many.mercer")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(json.loads(done.stdout)["peak_memory"]), count)
                self.assertEqual(self.bytes("one.mercer"), self.bytes("many.mercer"))
        self.assertEqual(self.folders(), [])

    def test_no_rank_holds_all_rows(self):
        peaks = {}
        for rows in (4000, 200000):
            self.make("x.npy", rows)
            done = self.ranks(4, "x.npy", "-k", "rbf(0.1)", "--approx", "nystrom(10)", "--lambda", "1", "--json",
                              "--force", "-o", "m.mercer")
            self.assertEqual(done.returncode, 0, done.stderr)
            peaks[rows] = max(json.loads(done.stdout)["peak_memory"])
        size = 200000 * COLUMNS * 8 / 2**20
        self.assertLess(peaks[200000] - peaks[4000], 0.7 * size, peaks)  # a quarter, and floats of it

    def test_mistakes_are_told_once_and_leave_nothing(self):
        self.make("x.npy", 20000)
        for words, message in ((["no.npy", "--approx", "nystrom(5)"], "no.npy"),
                               (["x.npy"], "several ranks of mpirun are for --approx"),
                               (["x.npy", "--approx", "nystrom(5)", "-k", "1 + sqrt(x1*z1)"], "sqrt"),
                               (["x.npy", "--approx", "nystrom(5)", "-k", "-linear"], "is not a kernel")):
            done = self.ranks(3, *words, "-o", "m.mercer")
            self.assertEqual(done.returncode, 2, done.stderr)
            told = [line for line in done.stderr.splitlines() if line.startswith("mercer train: ")]
            self.assertEqual(len(told), 1, done.stderr)
            self.assertIn(message, told[0])
            self.assertEqual(sorted(os.listdir(self.folder)), ["x.npy"])

    def test_a_rank_that_is_killed_ends_the_job_without_a_model(self):
        self.make("x.npy", 100000)
        job = subprocess.Popen([*MPIRUN, "-n", "3", MERCER, "train", "x.npy", "-k", "rbf(0.1)", "--approx",
                                "nystrom(800)", "--trace", "trace", "-o", "m.mercer"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            trace = self.path("trace")
            deadline = time.monotonic() + 100
            while not (os.path.exists(trace) and os.path.getsize(trace)) and time.monotonic() < deadline:
                self.assertIsNone(job.poll())
                time.sleep(0.01)
            listed = subprocess.run(["ps", "--ppid", str(job.pid), "-o", "pid="], capture_output=True, text=True)
            ranks = [int(p) for p in listed.stdout.split() if os.path.realpath(f"/proc/{p}/exe") == MERCER]
            self.assertEqual(len(ranks), 3)
            os.kill(ranks[-1], signal.SIGKILL)
            job.communicate(timeout=100)
            self.assertNotEqual(job.returncode, 0)
            self.assertFalse(os.path.exists(self.path("m.mercer")))
        finally:
            if job.poll() is None:
                job.kill()
                job.communicate()


if __name__ == "__main__":
    unittest.main()
