#!/usr/bin/env bash
# Measures everything and writes it down: results.json, native.json and growth.json, the pictures, and the tables in
# the README of this folder and of the project. Both programs are built before anything is measured. It takes about
# an hour on two cores that have nothing else to do; `--quick` takes a quarter of that, with more noise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

# Loops begin at a multiple of 64 bytes, so that it does not depend on what else is in the program whether the processor
# can keep one in a piece: the same loop took half as much time again in one build as in the next.
align="-C llvm-args=-align-loops=64"
RUSTFLAGS="$align" cargo build --release
RUSTFLAGS="$align -C target-cpu=native" cargo build --release --target-dir target/native

target/release/peers --results results.json "$@" >/dev/null
target/native/release/peers --results native.json "$@" >/dev/null
target/release/peers --growth --results growth.json "$@" >/dev/null

target/release/peers --readme --plot
target/release/peers --from results.json --check | grep -E '^(missed|worst|nothing)'
