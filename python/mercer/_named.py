"""The named kernels, one function each, made from the catalogue of the core.

Names, order, defaults and help of the parameters are those of the catalogue. ``_named.pyi`` says
the same to type checkers; a test holds it against what :func:`stub` writes.
"""

from __future__ import annotations

import inspect
import keyword
from typing import Any

from . import _core
from ._kernel import Kernel

__all__: list[str] = []

# `const` is Python's to give away, `precomputed` is a word for estimators and makes no values here.
_renamed = {"const": "constant"}


def _number(value: Any) -> str:
    if isinstance(value, str):  # "?" and "?[0.01,10]": open, to be chosen later
        return value
    return repr(float(value))


def _default(text: str) -> float:
    return int(text) if text.isdigit() else float(text)


def _make(name: str, parameters: list[Any], formula: str, domain: str, summary: str) -> Any:
    names = [p[0] for p in parameters]

    def build(*args: Any, **kwargs: Any) -> Kernel:
        given = signature.bind(*args, **kwargs).arguments
        said = [f"{n}={_number(v)}" for n, v in given.items() if v is not None]
        return Kernel(f"{name}({', '.join(said)})" if said else name)

    signature = inspect.Signature(
        [
            inspect.Parameter(
                n,
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if default
                else inspect.Parameter.KEYWORD_ONLY,
                default=_default(default) if default else None,
                annotation="float | str" if default else "float | str | None",
            )
            for n, default, *_ in parameters
        ],
        return_annotation="Kernel",
    )
    build.__name__ = build.__qualname__ = _renamed.get(name, name)
    build.__signature__ = signature  # type: ignore[attr-defined]
    build.__module__ = "mercer"
    lines = [
        f"{summary[0].upper()}{summary[1:]}.",
        "",
        f"k(x,z) = {formula}, a kernel on {domain}.",
    ]
    if names:
        lines.append("")
    for n, _, allowed, help_text, definition in parameters:
        lines.append(f"{n}: {help_text} ({allowed})" + (f"; {definition}" if definition else ""))
    build.__doc__ = "\n".join(lines)
    return build


for _entry in _core.catalogue():
    _name = _renamed.get(_entry[0], _entry[0])
    assert not keyword.iskeyword(_name)
    globals()[_name] = _make(*_entry)
    __all__.append(_name)


def stub() -> str:
    """The text of ``_named.pyi``."""
    lines = [
        "# Made from the catalogue of the core by mercer._named.stub().",
        "from ._kernel import Kernel",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in __all__),
        "]",
        "",
    ]
    for name in __all__:
        lines.append(f"def {name}{inspect.signature(globals()[name])}: ...".replace("'", ""))
    lines.append("def stub() -> str: ...")
    return "\n".join(lines) + "\n"
