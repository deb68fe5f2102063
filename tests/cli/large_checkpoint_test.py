"""mercer train --approx --checkpoint: killed at any moment, alone or with ranks of mpirun, the same command goes
on, and the model is the same to the last byte. Nor does a full disk leave half a model. MERCER_LONG=1: more kills."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

from large import LONG, MPIRUN, Large, without_mpi
from program import MERCER


def runs(pid):
    """Whether this process is there and runs the program."""
    try:
        return os.readlink(f"/proc/{pid}/exe") == MERCER
    except OSError:
        return False


def children(pid):
    """Processes below this one that run the program."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = dict(map(int, line.split()) for line in listed.splitlines())
    found = []
    for p in parents:
        at = p
        while at in parents and at != pid:
            at = parents[at]
        if at == pid and p != pid and runs(p):
            found.append(p)
    return sorted(found)


class Killed(Large):
    def setUp(self):
        super().setUp()
        self.make("x.npy", 20000)
        self.make("classes.npy", 6000, classes=True)
        self.words = ["x.npy", "-k", "rbf(0.1)", "--approx", "nystrom(120)"]
        self.with_it = ["--checkpoint", "state", "--checkpoint-every", "0", "-o", "model"]

    def stamp(self):
        try:
            return os.stat(self.path("state")).st_mtime_ns
        except FileNotFoundError:
            return None

    def killed(self, words, whom, writings):
        """Whether it was killed after so many writings of the checkpoint, before it had ended."""
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
            seen, count, end, below = self.stamp(), 0, time.monotonic() + 60, []
            while job.poll() is None and count < writings and time.monotonic() < end:
                now = self.stamp()
                if now is not None and now != seen:
                    seen, count = now, count + 1
            if job.poll() is None:
                below = children(job.pid)
                victim = {"job": job.pid, "first": below[:1], "last": below[-1:]}[whom]
                for pid in victim if isinstance(victim, list) else [victim]:
                    os.kill(pid, signal.SIGKILL)
            job.wait(timeout=60)
            # Nobody stays behind.
            end = time.monotonic() + 20
            while any(map(runs, below)) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual([p for p in below if runs(p)], [])
            return not self.there("model")

    def test_one_process(self):
        for words in (self.words, ["classes.npy", "-k", "rbf(0.1)", "--approx", "fourier(120)", "--loss", "logistic",
                                   "--lambda", "0.1"]):
            self.ok("train", *words, "-o", "plain", "--force")
            command = [MERCER, "train", *words, *self.with_it]
            kills = 0
            for writings in (1, 3, 12, 5, 20)[:5 if LONG else 2]:
                if not self.there("model"):
                    kills += self.killed(command, "job", writings)
            self.assertGreater(kills, 0, "it was never killed: the test is too small")
            if not self.there("model"):
                self.assertTrue(self.answer(*command[1:])["resumed"])
            self.assertEqual(self.bytes("plain"), self.bytes("model"))
            self.assertFalse(self.there("state"))
            os.remove(self.path("model"))

    @unittest.skipIf(without_mpi(), without_mpi())
    def test_ranks(self):
        self.ok("train", *self.words, "-o", "plain")
        kills = 0
        for count, whom in ((3, "last"), (2, "job"), (3, "first"))[:3 if LONG else 2]:
            command = [*MPIRUN, "-n", str(count), MERCER, "train", *self.words, *self.with_it]
            if not self.there("model"):
                kills += self.killed(command, whom, 4)
        self.assertGreater(kills, 0, "it was never killed: the test is too small")
        self.assertEqual(self.folders(), [])
        if not self.there("model"):
            self.assertTrue(self.there("state"))
            done = self.ranks(2, *self.words, *self.with_it, "--json")
            self.assertTrue(json.loads(done.stdout)["resumed"], done.stderr)
        self.assertEqual(self.bytes("plain"), self.bytes("model"))
        self.assertFalse(self.there("state"))

    def test_of_another_training_it_is_refused(self):
        self.assertTrue(self.killed([MERCER, "train", *self.words, *self.with_it], "job", 2))
        before = self.bytes("state")
        for more, text in ((["--lambda", "3"], "lambda"), (["--seed", "3"], "seed"),
                           (["--scale", "none"], "other data"), (["--precision", "double"], "precision"),
                           (["--no-offset"], "offset")):
            done = self.call("train", *self.words, *self.with_it, *more)
            self.assertIn("is the checkpoint of another training", done.stderr)
            self.assertIn(text, done.stderr)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        words = [w.replace("120", "121") for w in self.words]
        self.assertIn("size of approximation: '120', now '121'", self.call("train", *words, *self.with_it).stderr)
        self.file("state", before[:-3])
        self.assertIn("truncated", self.call("train", *self.words, *self.with_it).stderr)
        self.assertFalse(self.there("model"))

    def test_interrupted_it_goes_on_later(self):
        self.ok("train", *self.words, "-o", "plain")
        command = [MERCER, "train", *self.words, *self.with_it]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            while job.poll() is None and self.stamp() is None:
                time.sleep(0.001)
            job.send_signal(signal.SIGINT)
            out, _ = job.communicate(timeout=60)
        if job.returncode == 130:  # else it was faster
            self.assertIn(b"the same command with --force goes on", out)
            self.assertNotEqual(self.bytes("plain"), self.bytes("model"))
            self.assertTrue(self.answer(*command[1:], "--force")["resumed"])
        self.assertEqual(self.bytes("plain"), self.bytes("model"))

    def test_a_file_that_may_not_grow(self):
        small = ["classes.npy", "-k", "rbf(0.1)", "--approx", "nystrom(60)", "--lambda", "1"]
        before = sorted(os.listdir(self.folder))
        for words, limit, name in (([*small, "-o", "model"], 4000, "model"),
                                   ([*small, *self.with_it], 4000, "state"),
                                   ([*small, "-o", "model", "--memory", "1"], 100000, ".mercer-rows-"),
                                   ([*small, "-o", "model", "--trace", "trace"], 100, "trace")):
            done = subprocess.run(
                [MERCER, "train", *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.told_once(done, name, "cannot be written")
            # A checkpoint stays, as it was before it grew too large.
            left = [f for f in os.listdir(self.folder) if f not in before and f not in ("trace", "state")]
            self.assertEqual(left, [], words)
            if self.there("state"):
                self.assertTrue(self.answer("train", *words)["resumed"])
                self.ok("train", *small, "-o", "plain")
                self.assertEqual(self.bytes("plain"), self.bytes("model"))
                os.remove(self.path("model"))
                os.remove(self.path("plain"))

    def test_a_disk_that_is_full(self):
        mount = "mount -t tmpfs -o size=200k none disk"
        if subprocess.run(["unshare", "-m", "sh", "-c", f"mkdir disk; {mount}"], cwd=self.folder,
                          capture_output=True).returncode != 0:
            self.skipTest("no file system may be mounted here")
        ranks = [] if without_mpi() or not LONG else [[*MPIRUN, "-n", "2"]]
        # Rows, checkpoints and the model go there; whatever does not fit, the rest is as it was.
        for start in [[], *ranks]:
            for words in (["--checkpoint", "disk/state", "--checkpoint-every", "0", "-o", "model"],
                          ["-o", "disk/model"]):
                script = f'{mount}; head -c 190k /dev/zero > disk/full; "$@"; code=$?; ls -A disk; exit $code'
                done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", *start, MERCER, "train", *self.words,
                                       "--lambda", "1", *words], cwd=self.folder, capture_output=True, text=True,
                                      timeout=100)
                self.told_once(done, "disk/", "No space left on device")
                self.assertEqual([f for f in done.stdout.split() if f not in ("full", "state")], [])
                self.assertFalse(self.there("model"))


def hosts():
    """Why there are no hosts of their own to be made; None where there are."""
    if without_mpi():
        return without_mpi()
    if not LONG:
        return "MERCER_LONG=1 makes network namespaces"
    if os.geteuid() != 0 or not shutil.which("ip"):
        return "network namespaces need root, and ip of iproute2"
    return None


@unittest.skipIf(hosts(), hosts())
class Hosts(Large):
    """Two network namespaces as machines: ranks of one see those of the other through a wire alone."""

    NETWORK = "10.77.41."

    def setUp(self):
        super().setUp()
        self.names = [f"mercer{os.getpid()}{end}" for end in "ab"]
        for name in self.names:
            if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
                self.skipTest("no network namespace may be made here")
            self.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=True)
        a, b = self.names
        self.do("ip", "link", "add", "w0", "netns", a, "type", "veth", "peer", "name", "w1", "netns", b)
        for name, wire, number in ((a, "w0", "1"), (b, "w1", "2")):
            self.do("ip", "-n", name, "addr", "add", f"{self.NETWORK}{number}/24", "dev", wire)
            self.do("ip", "-n", name, "link", "set", wire, "up")
            self.do("ip", "-n", name, "link", "set", "lo", "up")
        # What mpirun calls instead of ssh: HOST COMMAND…
        self.agent = self.file("agent", f'#!/bin/sh\nshift\nexec ip netns exec {b} sh -c "$*"\n')
        os.chmod(self.agent, 0o755)

    def do(self, *words):
        subprocess.run(words, check=True, capture_output=True)

    def job(self, *words):
        network = self.NETWORK + "0/24"
        return ["ip", "netns", "exec", self.names[0], *MPIRUN, "--mca", "plm_rsh_agent", self.agent, "--mca",
                "orte_keep_fqdn_hostnames", "1", "--mca", "oob_tcp_if_include", network, "--mca",
                "btl_tcp_if_include", network, "--mca", "btl", "tcp,self", "-H",
                f"{self.NETWORK}1:2,{self.NETWORK}2:2", "-n", "4", MERCER, *words]

    def over(self, *words):
        return subprocess.run(self.job(*words), cwd=self.folder, capture_output=True, text=True, timeout=200)

    def test_the_same_model_as_on_one_machine(self):
        self.make("x.npy", 20000)
        self.make("y.npy", 10000, seed=6)
        for words in (["x.npy", "y.npy", "-k", "rbf(0.1)", "--approx", "nystrom(50)", "--lambda", "1"],
                      ["x.npy", "-k", "rbf(0.1)", "--approx", "fourier(50)", "--lambda", "1"]):
            self.ok("train", *words, "-o", "one.mercer", "--force")
            done = self.over("train", *words, "-o", "many.mercer", "--force")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.bytes("one.mercer"), self.bytes("many.mercer"))

    def test_exact_ridge_and_tune(self):
        self.make("x.npy", 700)
        words = ["x.npy", "-k", "rbf(0.1)", "--learner", "ridge", "--lambda", "1", "--force"]
        self.ok("train", *words, "-o", "one.mercer")
        if not without_mpi("mercer_scalapack.so"):
            done = self.over("train", *words, "-o", "many.mercer")
            self.assertEqual(done.returncode, 0, done.stderr)
            for a, b in zip(self.scores("one.mercer", "x.npy"), self.scores("many.mercer", "x.npy")):
                self.assertAlmostEqual(float(a), float(b), places=6)
        self.ok("tune", "x.npy", "-o", "t.mercer")
        done = self.over("tune", "x.npy", "-o", "u.mercer")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bytes("t.mercer"), self.bytes("u.mercer"))

    def test_the_ranks_of_a_host_that_are_killed(self):
        self.make("x.npy", 20000)
        words = ["train", "x.npy", "-k", "rbf(0.1)", "--approx", "nystrom(120)", "--checkpoint", "state",
                 "--checkpoint-every", "0", "-o", "model"]
        self.ok(*[w for w in words if w not in ("--checkpoint", "state", "--checkpoint-every", "0", "model")], "plain")
        with subprocess.Popen(self.job(*words), cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as job:
            end = time.monotonic() + 60
            while not self.there("state") and job.poll() is None and time.monotonic() < end:
                time.sleep(0.005)
            # The ranks of the second host.
            inside = subprocess.run(["ip", "netns", "pids", self.names[1]], capture_output=True, text=True).stdout
            for pid in map(int, inside.split()):
                if runs(pid):
                    os.kill(pid, signal.SIGKILL)
            job.wait(timeout=100)
        self.assertFalse(self.there("model"))
        done = self.over(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bytes("plain"), self.bytes("model"))


if __name__ == "__main__":
    unittest.main()
