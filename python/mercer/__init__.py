"""mercer: kernels as values, proofs about them, and machines that learn through them.

>>> import mercer
>>> k = mercer.rbf(0.5) * mercer.poly(2) + 0.1 * mercer.linear()
>>> k
mercer.kernel('rbf(0.5)*poly(2) + 0.1*linear')
>>> k([[1, 2]], [[3, 4]])
array([[3.737452]])
>>> bool(mercer.kernel("tanh(x.z)").prove())
False

The estimators keep scikit-learn's contract: replace ``from sklearn.svm import SVC`` by
``from mercer import SVC``.
"""

from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Error, EvaluationError, ParseError
from ._features import Features
from ._kernel import Kernel, forget_user, kernel, kernel_of, user
from ._model import Model, load
from ._named import *  # noqa: F403  (one function for each kernel of the catalogue)
from ._named import __all__ as _of_catalogue
from ._verdict import Verdict

if TYPE_CHECKING:
    from . import plot
    from ._large import NystroemClassifier, NystroemRidge
    from ._maps import Nystroem, PolynomialMap, RandomFeatures
    from ._perceptron import KernelPerceptron
    from ._regression import KernelLeastSquares, KernelRidge
    from ._svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
    from ._tune import Tuned, tune

__version__: str = _core.version

# scikit-learn takes a second to import: only those who ask for what needs it wait for it.
_estimators = {
    "SVC": "_svm",
    "NuSVC": "_svm",
    "SVR": "_svm",
    "NuSVR": "_svm",
    "OneClassSVM": "_svm",
    "KernelRidge": "_regression",
    "KernelLeastSquares": "_regression",
    "KernelPerceptron": "_perceptron",
    "NystroemRidge": "_large",
    "NystroemClassifier": "_large",
    "PolynomialMap": "_maps",
    "Nystroem": "_maps",
    "RandomFeatures": "_maps",
    "tune": "_tune",
    "Tuned": "_tune",
}

__all__ = [
    "Error",
    "EvaluationError",
    "Features",
    "Kernel",
    "KernelLeastSquares",
    "KernelPerceptron",
    "KernelRidge",
    "Model",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "NystroemClassifier",
    "NystroemRidge",
    "OneClassSVM",
    "ParseError",
    "PolynomialMap",
    "RandomFeatures",
    "SVC",
    "SVR",
    "Tuned",
    "Verdict",
    "forget_user",
    "kernel",
    "kernel_of",
    "load",
    "plot",
    "tune",
    "user",
]
__all__ += _of_catalogue


if not TYPE_CHECKING:  # who checks types sees the names above, and no others

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "plot":
            return import_module(".plot", __name__)
        if name in _estimators:
            return getattr(import_module("." + _estimators[name], __name__), name)
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
