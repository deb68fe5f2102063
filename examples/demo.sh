#!/usr/bin/env bash
# What `./dev demo` shows: the main job of the program, one screen after the other.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
show() {
  printf '\n\033[1m$ mercer'
  printf ' %q' "$@"
  printf '\033[0m\n'
  mercer "$@"
}

echo "A kernel, said by name. What is it?"
show kernel 'rbf(0.5)*poly(2) + 0.1*linear'

echo
echo "The same kernel as a formula is the same kernel; here at two points:"
show eval 'exp(-|x-z|^2/2)*(1 + x.z)^2 + x.z/10' --x 1,2 --z 3,4

echo
echo "Simplification is exact, and a product over coordinates has a feature for every subset:"
show kernel '2*prod(i, 1 + x[i]*z[i]) - subsets' --dim 4

echo
echo "A slip of the pen is pointed at:"
printf '\n\033[1m$ mercer kernel '\''2*rfb(1) + linear'\''\033[0m\n'
mercer kernel '2*rfb(1) + linear' || true

echo
echo "Is it a kernel at all? Here is a proof,"
show prove 'min(x,z)' --over R+
echo
echo "and here a counterexample (the exit code says no):"
printf '\n\033[1m$ mercer prove '\''min(x,z)'\'' --over Z --dim 1\033[0m\n'
mercer prove 'min(x,z)' --over Z --dim 1 || true

echo
echo "Feature maps, written out:"
show features '(1 + x.z)^2' --dim 2

echo
echo "Data that no line separates, and the smallest map under which one does:"
show separable "$here/xor.csv" --smallest-map

echo
echo "A file, described; and all kernel values between its points:"
show data "$here/ellipse.csv"
show gram 'rbf(2)*poly(2)' "$here/ellipse.csv"

echo
echo "Learning: a rule from examples, and how it does on others:"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
show make moons --n 400 --seed 1 -o "$work/moons.csv"
show make moons --n 400 --seed 2 -o "$work/others.csv"
show auto "$work/moons.csv" -o "$work/moons.mercer"
show evaluate "$work/moons.mercer" "$work/others.csv"
show plot boundary "$work/moons.mercer" "$work/others.csv" -o "$work/moons.png"

echo
echo "All kernels with a name:"
show kernels

echo
echo "The program is $(command -v mercer), and --help shows the way. All of it at work in the browser:
  $(command -v mercer) studio"
