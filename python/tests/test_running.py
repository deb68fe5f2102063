"""Long work: the GIL is free, Ctrl-C is heard, callbacks watch and stop."""

import os
import signal
import subprocess
import sys
import threading
import time

import mercer
import numpy as np
import pytest
from sklearn.datasets import make_classification

# Smaller problems are solved in one round.
X, y = make_classification(3000, 10, flip_y=0.2, random_state=0)
MACHINES = [
    mercer.SVC(C=1e3, kernel="rbf(1)"),
    mercer.SVR(C=1e3, kernel="rbf(1)", epsilon=0.01),
    mercer.KernelPerceptron(kernel="rbf(0.01)", passes=30),
    mercer.KernelLeastSquares(kernel="rbf(1)", passes=30, tol=1e-12),
]
name_of = lambda e: type(e).__name__


@pytest.mark.parametrize("machine", MACHINES, ids=name_of)
def test_callback(machine):
    steps = []
    where = set()

    def watch(step):
        steps.append(step)
        where.add(threading.get_ident())

    machine.set_params(callback=watch).fit(X, y)
    assert steps and all(s["unit"] in ("round", "pass") for s in steps)
    assert [s["number"] for s in steps] == sorted(s["number"] for s in steps)
    assert where == {threading.get_ident()}, "callbacks belong to the thread that called"
    assert machine.set_params(callback=None).fit(X, y) is machine


@pytest.mark.parametrize("machine", MACHINES[1:], ids=name_of)
def test_a_callback_ends_the_training(machine):
    calls = []

    def stop(step):
        calls.append(step)
        return len(calls) < 2

    machine.set_params(callback=stop).fit(X, y)
    assert len(calls) == 2 and not machine.converged_ and "interrupted" in machine.message_
    assert np.isfinite(machine.predict(X)).all()  # what there is


def test_pairs_of_classes_are_watched():
    steps = []
    y3 = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    mercer.SVC(callback=steps.append).fit(X, y3)
    assert [s["unit"] for s in steps] == ["pair"] * 3


@pytest.mark.parametrize("machine", MACHINES, ids=name_of)
def test_an_error_in_a_callback_arrives(machine):
    def fails(step):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        machine.set_params(callback=fails).fit(X, y)


def test_verbose_prints(capsys):
    mercer.SVC(verbose=True, C=1e3, kernel="rbf(1)").fit(X, y)
    assert "[mercer] number 1, violation" in capsys.readouterr().out


def test_the_gil_is_free():
    """Another thread of Python goes on while the machine learns."""
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    big_X, big_y = make_classification(3000, 20, flip_y=0.3, random_state=1)
    other = threading.Thread(target=tick)
    other.start()
    start = time.perf_counter()
    mercer.SVC(C=100, kernel="rbf(0.5)", n_jobs=1).fit(big_X, big_y)
    mercer.rbf(1)(big_X)
    end = time.perf_counter()
    done.set()
    other.join()
    inside = [t for t in ticks if start < t < end]
    # With the GIL held there would be none at all but at the edges.
    assert len(inside) > 10, (len(inside), end - start)


CTRL_C = """
import sys, threading, time
import numpy as np
import mercer
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 30))
y = rng.integers(0, 2, 4000)
machine = {machine}
print("ready", flush=True)
try:
    machine.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    try:
        machine.predict(X)
    except Exception as error:
        print(type(error).__name__, flush=True)
"""


def interrupted(script, after=1.0):
    """What a script says after "ready" and SIGINT, and the processor time that it took to end."""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        return said.splitlines()
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "machine",
    [
        "mercer.SVC(C=1e6, kernel='rbf(0.001)', tol=1e-9)",
        "mercer.KernelLeastSquares(passes=10**9, tol=1e-30)",
        "mercer.KernelPerceptron(kernel='linear', passes=10**9)",
        "mercer.SVR(C=1e6, kernel='rbf(0.001)', tol=1e-9, callback=lambda step: None)",
        "mercer.NystroemRidge(n_components=3900, tol=1e-300, max_iter=10**9)",
    ],
)
def test_ctrl_c(machine):
    """Each of these would take far longer than the test waits."""
    assert interrupted(CTRL_C.format(machine=machine)) == ["interrupted", "NotFittedError"]


# Between the signal and KeyboardInterrupt, in seconds of this process: a machine that is busy with
# other things counts for nothing.
PROMPT = """
import signal, time
import numpy as np
import mercer
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, 30)).astype("f4")
y = rng.normal(size={rows})
came = []
def handler(number, frame):
    came.append(time.process_time())
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
print("ready", flush=True)
try:
    {work}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("prompt" if time.process_time() - came[0] < 3 else "late", flush=True)
"""


@pytest.mark.parametrize(
    "work, rows",
    [
        ("mercer.KernelRidge(kernel='rbf(0.1)').fit(X, y)", 20_000),  # a factor of 20,000² numbers
        ("mercer.KernelRidge(kernel='rbf(0.1)', precision='double').fit(X, y)", 12_000),
        ("mercer.NystroemRidge(n_components=9000).fit(X, y)", 20_000),
        ("mercer.Nystroem('rbf(0.1)', n_components=9000).fit(X)", 20_000),
        ("mercer.tune(X, y > 0, 'rbf(gamma=?)', search='grid')", 12_000),
        ("mercer.tune(X, y, 'rbf(gamma=?)', learner='ridge', search='grid')", 6000),
        ("while True: mercer.kernel('exp(-|x-z|^1.9)*cos(x1-z1)^3 + 0.001*tanh(x.z)').prove()", 10),
    ],
)
def test_ctrl_c_is_heard_soon(work, rows):
    assert interrupted(PROMPT.format(work=work, rows=rows), after=2.0) == ["prompt"]
