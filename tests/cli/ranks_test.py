"""mercer train on data that stay on disk: under a limit of memory, and by several ranks of mpirun."""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from large import COLUMNS, LONG, MPIRUN, Large, slow, without_mpi
from program import MERCER


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
        # Rows that are mapped leave the memory again, though the limit above is not about them.
        self.assertLess(max(said["peak_memory"]) << 20, os.path.getsize(self.path("large.npy")))
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
                               (["x.npy"], "several ranks of mpirun are for --approx, and for --learner ridge"),
                               (["x.npy", "--approx", "nystrom(5)", "--no-such-option"], "unknown option"),
                               (["x.npy", "--approx", "nystrom(5)", "-k", "1 + sqrt(x1*z1)"], "sqrt"),
                               (["x.npy", "--approx", "nystrom(5)", "-k", "-linear"], "is not a kernel")):
            self.told_once(self.ranks(3, *words, "-o", "m.mercer"), message)
            self.assertEqual(sorted(os.listdir(self.folder)), ["x.npy"])

    def test_other_commands_are_not_for_ranks(self):
        self.make("x.npy", 100)
        self.told_once(self.ranks(2, "x.npy", command="data"), "one of several ranks of mpirun", command="data")

    def test_a_rank_that_fails_alone_ends_the_job_with_one_line(self):
        self.make("a.npy", 20000)
        self.make("b.npy", 20000)
        words = [MERCER, "train", "a.npy", "b.npy", "--approx", "nystrom(5)", "-k", "rbf(0.1)", "-o", "m.mercer"]
        # The second rank may write no more than 64 KiB into any file.
        done = subprocess.run([*MPIRUN, "--mca", "btl", "tcp,self", "-n", "1", *words, ":", "-n", "1", "sh", "-c",
                               'ulimit -f 128; exec "$@"', "sh", *words], cwd=self.folder, capture_output=True,
                              text=True, timeout=100)
        self.told_once(done, "cannot be written: File too large (rank 1)")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])

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
            self.assertFalse(self.there("m.mercer"))
        finally:
            if job.poll() is None:
                job.kill()
                job.communicate()



@unittest.skipIf(without_mpi(), without_mpi())
class Files(Large):
    """One file per rank."""

    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(6000)]
        self.parts = []
        for k, (begin, end) in enumerate(((0, 2000), (2000, 2300), (2300, 5999), (5999, 6000))):
            self.write(f"part{k}.csv", begin, end)
            self.parts.append(f"part{k}.csv")
        self.write("all.csv", 0, 6000)

    def write(self, name, begin, end):
        self.file(name, "a,b,c,kind\n" + "".join(
            f"{a:.5f},{b:.5f},{c:.5f},{'yes' if a * b > c else 'no'}\n" for a, b, c in self.rows[begin:end]))

    def test_any_number_of_ranks_gives_the_model_of_one_process(self):
        words = ["-k", "rbf(0.5)", "--approx", "nystrom(40)", "--lambda", "0.1", "--force"]
        self.assertEqual(self.answer("train", *self.parts, *words, "-o", "one.mercer")["rows"], 6000)
        for count in (2, 6) if LONG else (3,):
            done = self.ranks(count, *self.parts, *words, "-o", "many.mercer", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["rows"]), (0, 6000), done.stderr)
            self.assertEqual(self.bytes("one.mercer"), self.bytes("many.mercer"))
        # The same rule as that of one file, but for the order of sums.
        self.ok("train", "all.csv", *words, "-o", "all.mercer")
        a, b = self.scores("one.mercer", "all.csv"), self.scores("all.mercer", "all.csv")
        self.assertLess(sum(x != y for x, y in zip(a, b)), 5)
        self.assertEqual(self.folders(), [])

    @slow
    def test_no_rank_holds_all_rows(self):
        peaks = {}
        for rows in (2000, 50000):
            for k in range(4):
                self.make(f"{k}.npy", rows, seed=k)
            done = self.ranks(4, *(f"{k}.npy" for k in range(4)), "-k", "rbf(0.1)", "--approx", "nystrom(10)",
                              "--lambda", "1", "--json", "--force", "-o", "m.mercer")
            self.assertEqual(done.returncode, 0, done.stderr)
            peaks[rows] = max(json.loads(done.stdout)["peak_memory"])
        size = 200000 * COLUMNS * 8 / 2**20
        self.assertLess(peaks[50000] - peaks[2000], 0.7 * size, peaks)  # a quarter, and floats of it

    def test_exact_learners_read_several_files_too(self):
        for words in (["--learner", "svm", "-C", "1"], ["--learner", "perceptron", "--passes", "2"]):
            words = ["-k", "rbf(0.5)", "--scale", "none", "--force", *words]
            self.ok("train", *self.parts, *words, "-o", "parts.mercer")
            self.ok("train", "all.csv", *words, "-o", "all.mercer")
            scores = [self.ok("predict", m, "all.csv", "--scores") for m in ("parts.mercer", "all.mercer")]
            self.assertEqual(*scores)
        self.assertEqual(self.folders(), [])

    def test_a_file_that_is_wrong_is_named_once(self):
        words = ["--approx", "nystrom(5)", "-o", "m.mercer"]
        before = sorted(os.listdir(self.folder))
        self.told_once(self.ranks(4, *self.parts[:3], "gone.csv", *words), "gone.csv", "(rank 3)")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.file("bad.csv", "a,b,c,kind\n1,2,3,yes\n1,oops,3,no\n")
        self.file("empty.csv", "a,b,c,kind\n")
        self.file("other.csv", "a,b,d,kind\n1,2,3,yes\n")
        before = sorted(os.listdir(self.folder))
        self.told_once(self.ranks(2, *self.parts[:3], "bad.csv", *words), "bad.csv:3:3", "(rank 1)")
        if LONG:
            self.told_once(self.ranks(4, *self.parts[:3], "empty.csv", *words), "empty.csv", "(rank 3)")
            self.told_once(self.ranks(4, *self.parts[:3], "other.csv", *words), "other.csv", "c")
        for bad, texts in (("empty.csv", ["empty.csv"]), ("other.csv", ["other.csv", "c"]),
                           ("part0.csv.mercer", ["part0.csv.mercer"])):
            done = self.call("train", *self.parts, bad, *words)
            self.told_once(done, *texts)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


@unittest.skipIf(without_mpi("mercer_scalapack.so"), without_mpi("mercer_scalapack.so"))
class ExactRidge(Large):
    """K over the ranks, by ScaLAPACK."""

    def test_the_answer_of_one_process(self):
        self.make("y.npy", 1400)
        self.make("classes.npy", 600, classes=True)
        self.make("test.npy", 100, seed=9)
        for count, words in ((4, ["y.npy"]), (3, ["classes.npy", "--class-weight", "balanced", "--lambda", "0.3"])):
            words += ["--learner", "ridge", "-k", "rbf(0.05)", "--json", "--force"]
            one = json.loads(self.ok("train", *words, "-o", "one.mercer"))
            done = self.ranks(count, *words, "-o", "many.mercer")
            self.assertEqual(done.returncode, 0, done.stderr)
            many = json.loads(done.stdout)
            self.assertIn("ScaLAPACK", many["training"]["solver"])
            self.assertLess(many["training"]["residual"], 1e-9)
            self.assertEqual(one["training"]["options"], many["training"]["options"])
            self.assertEqual(one["chosen"], many["chosen"])
            a, b = ([float(v) for line in self.ok("predict", m, "test.npy", "--scores").split()
                     for v in line.split(",") if v.replace(".", "").replace("-", "").replace("e", "").isdigit()]
                    for m in ("one.mercer", "many.mercer"))
            self.assertGreaterEqual(len(a), 100)
            for x, y in zip(a, b):
                self.assertLess(abs(x - y), 1e-6 * max(1, abs(x)))

    @slow
    def test_what_is_wrong_is_told_once(self):
        self.make("y.npy", 600)
        for words, text in ((["-k", "-linear"], "has no Cholesky factor"),
                            (["-k", "1 + sqrt(x1*z1)"], "sqrt"),
                            (["-k", "rbf(1)", "--memory", "1"], "--memory"),
                            (["-k", "rbf(1)", "--loo"], "leave-one-out")):
            done = self.ranks(2, "y.npy", "--learner", "ridge", "--lambda", "0.1", *words, "-o", "m.mercer")
            self.told_once(done, text)
            self.assertEqual(os.listdir(self.folder), ["y.npy"])


@unittest.skipIf(without_mpi(), without_mpi())
class Tune(Large):
    def test_ranks_choose_what_one_process_chooses(self):
        self.ok("make", "moons", "--n", "700", "--seed", "3", "-o", "moons.csv")
        words = ["moons.csv", "--kernels", "rbf(gamma=?), laplacian(gamma=?), poly(2)", "--force", "--json"]
        if LONG:
            words += ["--nested", "2"]
        one = json.loads(self.ok("tune", *words, "-o", "one.mercer", "--record", "one.json"))
        done = self.ranks(2, *words, "-o", "many.mercer", "--record", "many.json", command="tune")
        self.assertEqual(done.returncode, 0, done.stderr)
        many = json.loads(done.stdout)
        self.assertEqual(one["search"], many["search"])
        if LONG:
            self.assertEqual(one["nested"]["measures"], many["nested"]["measures"])
        self.assertEqual(self.bytes("one.mercer"), self.bytes("many.mercer"))
        records = []
        for name in ("one.json", "many.json"):
            with open(self.path(name)) as file:
                records.append(json.load(file))
        self.assertEqual(*records)
        self.told_once(self.ranks(2, "gone.csv", command="tune"), "gone.csv", command="tune")
        if not LONG:
            return
        # A record of one process is gone on with by several.
        records[0]["candidates"] = records[0]["candidates"][:20]
        self.file("many.json", json.dumps(records[0]))
        done = self.ranks(3, *words, "-o", "many.mercer", "--record", "many.json", "--resume", command="tune")
        self.assertEqual(json.loads(done.stdout)["search"]["candidates"], one["search"]["candidates"], done.stderr)
        self.assertEqual(self.bytes("one.mercer"), self.bytes("many.mercer"))


if __name__ == "__main__":
    unittest.main()
