"""Is it a kernel? The answer, for reading."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._kernel import Kernel


class Verdict:
    """What :meth:`mercer.Kernel.prove` found.

    True where it is a kernel, False where it is not; of an unknown one ``bool`` is an error, since
    neither would be true. It prints the derivation or the witness, in a notebook as HTML.

    Attributes
    ----------
    verdict : "kernel", "not a kernel" or "unknown"
    derivation : a tree of steps: dictionaries with rule, subject, claim, note, with, premises
    witness : points and coefficients (texts of rationals) with Σ a_i a_j k(x_i, x_j) < 0,
        or two points with k(x,z) ≠ k(z,x)
    tried : for unknown, what was tried

    >>> import mercer
    >>> v = mercer.kernel("x.z - 1").prove(dim=1)
    >>> bool(v), v.witness["points"], v.witness["value"]
    (False, [['0']], '-1')
    """

    def __init__(self, kernel: Kernel, facts: dict[str, Any], dim: int | None) -> None:
        self.kernel = kernel
        self.dim = dim
        self.domain: str = facts["domain"]
        self.verdict: str = facts["verdict"]
        self.derivation: dict[str, Any] | None = facts["derivation"]
        self.witness: dict[str, Any] | None = facts["witness"]
        self.tried: list[str] = facts["tried"]
        self.smallest_eigenvalue: float | None = facts["smallest_eigenvalue"]

    def __bool__(self) -> bool:
        if self.verdict == "unknown":
            raise _core.Error(f"{self.sentence} Look at .verdict for all three answers.")
        return self.verdict == "kernel"

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return self._sentence(str(self.kernel))

    def _sentence(self, k: str) -> str:
        where = f"on {self.domain}" + ("" if self.dim is None else f" in dimension {self.dim}")
        if self.verdict == "unknown":
            return f"Whether {k} is a kernel {where} is unknown."
        return f"{k} is {'a kernel' if self.verdict == 'kernel' else 'not a kernel'} {where}."

    @property
    def rules(self) -> list[tuple[str, str, str]]:
        """The rules that the derivation uses: name, statement, source."""
        used = {step["rule"] for step in _steps(self.derivation)}
        return [rule for rule in _core.rules() if rule[0] in used]

    def __str__(self) -> str:
        lines = [self.sentence, ""]
        if self.derivation:
            lines += _drawn(self.derivation, "", "")
            lines += ["", "Rules:"] + [
                f"  {n}: {what} [{source}]" for n, what, source in self.rules
            ]
        elif self.witness:
            lines += self._witness_lines()
        else:
            lines += [f"- {t}" for t in self._looked_at()]
        return "\n".join(lines)

    __repr__ = __str__

    def _looked_at(self) -> list[str]:
        seen = self.smallest_eigenvalue
        last = (
            [] if seen is None else [f"the smallest eigenvalue of a Gram matrix seen is {seen!r}"]
        )
        return self.tried + last

    def _witness_lines(self) -> list[str]:
        w = self.witness
        assert w is not None
        if not w["coefficients"]:
            x, z = (_point(p) for p in w["points"])
            return [
                f"It is not symmetric: at x = {x}, z = {z}",
                f"  k(x,z) = {w['value_xz']}",
                f"  k(z,x) = {w['value_zx']}",
            ]
        lines = [f"Σ a_i a_j k(x_i, x_j) = {w['value']} < 0 in dimension {w['dimension']} for"]
        for i, (a, x) in enumerate(zip(w["coefficients"], w["points"], strict=True), 1):
            lines.append(f"  a_{i} = {a:6}  x_{i} = {_point(x)}")
        exact = "exact" if w["exact"] else "certified in ball arithmetic"
        return [*lines, f"The value is {exact}."]

    # ---- notebooks

    def _repr_html_(self) -> str:
        colour = {"kernel": "#1a7f37", "not a kernel": "#b42318"}.get(self.verdict, "#7a5b00")
        head = (
            f'<p style="border-left:4px solid {colour};padding-left:.6em">'
            f"<b>{html.escape(self.verdict)}</b>: {html.escape(self.sentence)}</p>"
        )
        if self.derivation:
            return head + f"<ul>{_html_of(self.derivation)}</ul>"
        if self.witness:
            return head + f"<pre>{html.escape(chr(10).join(self._witness_lines()))}</pre>"
        items = "".join(f"<li>{html.escape(t)}</li>" for t in self._looked_at())
        return head + f"<ul>{items}</ul>"

    def _repr_latex_(self) -> str:
        k = f"$\\displaystyle {self.kernel.latex}$"
        sentence = self._sentence("\0").replace("\0", k)
        if self.derivation:
            rows = [
                "&"
                + r"\quad " * depth
                + step["latex"]
                + r" && \text{"
                + _tex(step["rule"] + _claimed(step))
                + "}"
                for depth, step in _numbered(self.derivation)
            ]
            body = r"$$\begin{aligned}" + r"\\".join(rows) + r"\end{aligned}$$"
        elif self.witness and self.witness["coefficients"]:
            pairs = zip(self.witness["coefficients"], self.witness["points"], strict=True)
            given = [
                f"a_{{{i}}} &= {a}, & x_{{{i}}} &= {_point(x)}" for i, (a, x) in enumerate(pairs, 1)
            ]
            value = _tex_number(self.witness["value"])
            body = (
                r"$$\begin{aligned}"
                + r"\\".join(given)
                + r"\end{aligned}$$"
                + f"$$\\sum_{{i,j}} a_i a_j k(x_i, x_j) = {value} < 0$$"
            )
        elif self.witness:
            x, z = (_point(p) for p in self.witness["points"])
            xz, zx = (_tex_number(self.witness[v]) for v in ("value_xz", "value_zx"))
            body = f"$$k({x},{z}) = {xz} \\ne {zx} = k({z},{x})$$"
        else:
            body = ""
        return f"{sentence}\n\n{body}"


def _point(coordinates: list[str]) -> str:
    return coordinates[0] if len(coordinates) == 1 else f"({', '.join(coordinates)})"


def _tex(text: str) -> str:
    return "".join("\\" + c if c in "#$%&_{}" else c for c in text)


def _tex_number(text: str) -> str:
    return text.replace("+/-", r"\pm")


def _steps(step: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    if step is not None:
        yield step
        for premise in step["premises"]:
            yield from _steps(premise)


def _numbered(step: dict[str, Any], depth: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    yield depth, step
    for premise in step["premises"]:
        yield from _numbered(premise, depth + 1)


def _used(step: dict[str, Any]) -> str:
    parts = [f"{name} = {text}" for name, text, _ in step["with"]]
    if step["note"]:
        parts.append(step["note"])
    return ": " + ", ".join(parts) if parts else ""


def _claimed(step: dict[str, Any]) -> str:
    return "" if step["claim"] == "is a kernel" else f"  ({step['claim']})"


def _drawn(step: dict[str, Any], first: str, rest: str) -> list[str]:
    premises = step["premises"]
    lines = [f"{first}{step['subject']}{_claimed(step)}"]
    lines.append(f"{rest}{'│  ' if premises else '   '}by {step['rule']}{_used(step)}")
    for i, premise in enumerate(premises, 1):
        last = i == len(premises)
        lines += _drawn(
            premise, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  ")
        )
    return lines


def _html_of(step: dict[str, Any]) -> str:
    below = "".join(_html_of(p) for p in step["premises"])
    return (
        f"<li><code>{html.escape(step['subject'])}</code>{html.escape(_claimed(step))} "
        f"<i>by {html.escape(step['rule'])}</i>{html.escape(_used(step))}"
        + (f"<ul>{below}</ul>" if below else "")
        + "</li>"
    )
