#!/usr/bin/env bash
# run_fuzz.sh <program> <name> <fuzz source folder> <build folder> <default seconds>
#
# One timed run of a libFuzzer program. Seeds come from the source tree and are only read; inputs
# that reach new code are kept in <build>/corpus/<name> for the next run, inputs that break
# something in <build>/crashes/<name>. Those are tried first next time: found stays found, until
# it is fixed.
set -euo pipefail
program=$1 name=$2 source=$3 build=$4 seconds=${MERCER_FUZZ_SECONDS:-$5}

grown=$build/corpus/$name
crashes=$build/crashes/$name
mkdir -p "$grown" "$crashes"
inputs=("$grown" "$crashes")
if [[ -d $source/corpus/$name ]]; then inputs+=("$source/corpus/$name"); fi
options=(-max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=2048
  -artifact_prefix="$crashes/" -print_final_stats=1)
if [[ -f $source/$name.dict ]]; then options+=(-dict="$source/$name.dict"); fi

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
