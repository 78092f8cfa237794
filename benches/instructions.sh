#!/usr/bin/env bash
# Counts the instructions of ten core operations under callgrind and compares them with benches/instructions.tsv.
# A count that grew by more than 3% fails. With --record the counts become the new record.
set -euo pipefail
cd "$(dirname "$0")/.."

record=benches/instructions.tsv
binary=$(cargo bench --bench instructions --no-run 2>&1 | sed -n 's/.*benches\/instructions.rs (\(.*\))$/\1/p')
[ -x "$binary" ] || { echo "the benchmark did not build" >&2; exit 1; }

# What one more repetition costs: the difference of two runs, so that the set-up cancels out. From the third on
# walks go by what the first two found out.
count() {
    local collected=() repetitions
    for repetitions in 3 4; do
        collected+=("$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" "$1" "$repetitions" 2>&1 |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p')")
    done
    echo $((collected[1] - collected[0]))
}

status=0
counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
printf '%-28s %14s %14s %8s\n' operation recorded counted change
for operation in $("$binary"); do
    now=$(count "$operation")
    printf '%s\t%s\n' "$operation" "$now" >>"$counted"
    before=$(awk -F '\t' -v operation="$operation" '$1 == operation { print $2 }' "$record" 2>/dev/null || true)
    if [ -z "$before" ]; then
        printf '%-28s %14s %14s\n' "$operation" - "$now"
        [ "${1:-}" = --record ] || status=1
        continue
    fi
    permille=$(((now - before) * 1000 / before))
    printf '%-28s %14s %14s %7s‰\n' "$operation" "$before" "$now" "$permille"
    if [ "$permille" -gt 30 ]; then
        echo "  $operation takes more than 3% more instructions than recorded"
        status=1
    fi
done
if [ "${1:-}" = --record ]; then
    cp "$counted" "$record"
    exit 0
fi
exit "$status"
