#!/usr/bin/env bash
# Sets up, builds and runs all tests. The last line of the output is "N passed, N failed".
#
#   scripts/test.sh [arguments of ctest]...         for example: scripts/test.sh -R mesh
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${LIMBER_BUILD_DIR:-$(dirname "$scripts")/build}

"$scripts/install_dependencies.sh"
"$scripts/build.sh"
# shellcheck source=scripts/environment.sh
source "$scripts/environment.sh"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
ctest --test-dir "$build" --output-on-failure -j2 "$@" 2>&1 | tee "$log" || status=$?

# "97% tests passed, 2 tests failed out of 66"; ctest counts skipped tests as passed.
read -r failed total < <(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests\{0,1\} failed out of \([0-9]*\)$/\1 \2/p' "$log" |
                         tail -n 1; echo "0 0")
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
passed=$((total - failed - skipped))
echo
((passed == 0 && failed == 0)) && echo "no test ran" && status=1
((failed > 0 && status == 0)) && status=1
echo "$passed passed, $failed failed"
exit "$status"
