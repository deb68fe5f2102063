"""What tests of large data share: arrays that take long enough, and ranks of mpirun."""

import array
import os
import random
import shutil
import struct
import subprocess
import unittest

from program import MERCER, Commands

COLUMNS = 16
FOLDER = os.path.dirname(MERCER)
# As root, and with more ranks than cores.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
LONG = bool(os.environ.get("MERCER_LONG"))
slow = unittest.skipUnless(LONG, "MERCER_LONG=1 runs it")


def without_mpi(module="mercer_mpi.so"):
    """Why there are no ranks to be tested; None where there are."""
    if os.environ.get("MERCER_SANITIZE"):
        return "MPI does not run clean under sanitizers"
    if not shutil.which("mpirun"):
        return "mpirun is not installed"
    return None if os.path.exists(os.path.join(FOLDER, module)) else f"{module} was not built"


class Large(Commands):
    def make(self, name, rows, classes=False, seed=5):
        """An array of NumPy: the same 2000 rows again and again."""
        rng = random.Random(seed)
        block = array.array("d")
        for _ in range(min(rows, 2000)):
            x = [rng.gauss(0, 1) for _ in range(COLUMNS)]
            y = x[0] * x[1] + x[2]
            block.extend(x + [float((y > -0.5) + (y > 0.5)) if classes else y])
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {COLUMNS + 1}), }}"
        head += " " * ((-len(head) - 11) % 64) + "\n"
        with open(self.path(name), "wb") as out:
            out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
            for _ in range(max(1, rows // 2000)):
                block.tofile(out)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def there(self, name):
        return os.path.exists(self.path(name))

    def folders(self):
        return [f for f in os.listdir(self.folder) if f.startswith(".mercer")]

    def scores(self, model, data):
        """What a model of numbers predicts, or the classes."""
        return self.ok("predict", model, data).split()

    def ranks(self, count, *words, command="train", flags=()):
        return subprocess.run([*MPIRUN, *flags, "-n", str(count), MERCER, command, *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=200)

    def told_once(self, done, *texts, command="train"):
        """The job has failed, with one line of ours in which these texts are."""
        told = [line for line in done.stderr.splitlines() if line.startswith("mercer")]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertTrue(told[0].startswith(f"mercer {command}: "), told)
        for text in texts:
            self.assertIn(text, told[0])
        self.assertEqual(done.returncode, 2, done.stderr)
