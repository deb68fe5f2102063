#!/usr/bin/env bash
# run_fuzz.sh <program> <name> <fuzz source folder> <build folder> <inputs of a short run>
#
# Without MERCER_FUZZ_SECONDS, a short run that is the same every time: a fixed seed, a fixed number of
# inputs, the seeds of the source tree; a test that fails must have a reason in the change. With it, so
# many seconds of real search: inputs that reach new code are kept in <build>/corpus/<name> for the next
# run. Either way, inputs that break something go to <build>/crashes/<name> and are tried first next
# time: found stays found, until it is fixed.
set -euo pipefail
program=$1 name=$2 source=$3 build=$4 runs=$5

grown=$build/corpus/$name
crashes=$build/crashes/$name
mkdir -p "$grown" "$crashes"
inputs=("$crashes")
if [[ -d $source/corpus/$name ]]; then inputs+=("$source/corpus/$name"); fi
options=(-max_len=4096 -timeout=30 -rss_limit_mb=2048 -artifact_prefix="$crashes/"
  -print_final_stats=1)
if [[ -f $source/$name.dict ]]; then options+=(-dict="$source/$name.dict"); fi
if [[ -n ${MERCER_FUZZ_SECONDS:-} ]]; then
  options+=(-max_total_time="$MERCER_FUZZ_SECONDS")
  inputs=("$grown" "${inputs[@]}")
else
  # The first folder is the one that libFuzzer writes new inputs to: an empty one of this run.
  fresh=$(mktemp -d)
  trap 'rm -rf "$fresh"' EXIT
  options+=(-seed=1 -runs="$runs" -max_total_time=120)
  inputs=("$fresh" "${inputs[@]}")
fi

# The library never prints, the fuzzer prints a lot: its report is shown only when it matters.
log=$build/$name.log
if "$program" "${options[@]}" "${inputs[@]}" >"$log" 2>&1; then
  grep -E '^(Done|stat::number_of_executed_units)' "$log" || true
else
  status=$?
  tail -n 80 "$log"
  echo
  echo "fuzz.$name found something. Inputs: $crashes  Full report: $log"
  echo "Once more: $program <input>"
  exit "$status"
fi
