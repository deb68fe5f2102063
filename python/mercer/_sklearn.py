"""scikit-learn's base classes. It has no types: who checks types sees here what is used of it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class RegressorMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class MultiOutputMixin: ...

    class OutlierMixin:
        def fit_predict(self, X: Any, y: Any = None) -> Any: ...

    class TransformerMixin:
        def fit_transform(self, X: Any, y: Any = None) -> Any: ...
        def set_output(self, *, transform: Any = None) -> Any: ...

    class ClassNamePrefixFeaturesOutMixin:
        def get_feature_names_out(self, input_features: Any = None) -> Any: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        MultiOutputMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "MultiOutputMixin",
    "OutlierMixin",
    "RegressorMixin",
    "TransformerMixin",
]
