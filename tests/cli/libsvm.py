"""LIBSVM's own answers: its programs, and its library for the digits that they do not print."""

import ctypes
import shutil
import subprocess


class Node(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("value", ctypes.c_double)]


def loaded():
    try:
        library = ctypes.CDLL("libsvm.so.3")
    except OSError:
        return None
    library.svm_load_model.restype = ctypes.c_void_p
    for name, result in (("svm_predict_values", ctypes.c_double),
                         ("svm_predict_probability", ctypes.c_double)):
        function = getattr(library, name)
        function.restype = result
        function.argtypes = [ctypes.c_void_p, ctypes.POINTER(Node), ctypes.POINTER(ctypes.c_double)]
    library.svm_get_labels.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    for name in ("svm_get_nr_class", "svm_get_svm_type", "svm_check_probability_model"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    return library


LIBRARY = loaded()
IS_THERE = LIBRARY is not None and shutil.which("svm-train") and shutil.which("svm-predict")
WHY_NOT = "LIBSVM is not installed (libsvm-tools)"


def train(data, model, *options):
    subprocess.run(["svm-train", "-q", *options, data, model], check=True, capture_output=True,
                   timeout=60)


def predict(data, model, out, probabilities=False):
    """The first word of each line that svm-predict writes."""
    subprocess.run(["svm-predict", "-b", "1" if probabilities else "0", data, model, out],
                   check=True, capture_output=True, timeout=60)
    with open(out) as file:
        lines = file.read().splitlines()
    return [line.split()[0] for line in (lines[1:] if probabilities else lines)]


def nodes(row):
    """Of a row {index: value}."""
    entries = (Node * (len(row) + 1))()
    for at, (index, value) in enumerate(sorted(row.items())):
        entries[at].index, entries[at].value = index, value
    entries[len(row)].index = -1
    return entries


class Model:
    def __init__(self, path):
        self.model = ctypes.c_void_p(LIBRARY.svm_load_model(path.encode()))
        if not self.model:
            raise ValueError(f"LIBSVM does not read {path}")
        classification = LIBRARY.svm_get_svm_type(self.model) < 2
        classes = LIBRARY.svm_get_nr_class(self.model) if classification else 0
        self.values = classes * (classes - 1) // 2 if classification else 1
        labels = (ctypes.c_int * classes)()
        if classification:
            LIBRARY.svm_get_labels(self.model, labels)
        self.labels = [str(label) for label in labels]
        self.calibrated = classification and LIBRARY.svm_check_probability_model(self.model) == 1

    def decisions(self, row):
        out = (ctypes.c_double * self.values)()
        LIBRARY.svm_predict_values(self.model, nodes(row), out)
        return list(out)

    def probabilities(self, row):
        out = (ctypes.c_double * len(self.labels))()
        LIBRARY.svm_predict_probability(self.model, nodes(row), out)
        return dict(zip(self.labels, out))
