#!/usr/bin/env bash
# Configures (Release, Ninja) and builds.
#
#   scripts/build.sh [TARGET]...        without a target: everything
#
# LIMBER_BUILD_DIR     build folder (default: build, beside this folder)
# LIMBER_CMAKE_FLAGS   further arguments for CMake, for example "-DLIMBER_WERROR=ON"
# LIMBER_JOBS          parallel compilations (default: one a core, and 1.5 GB of free memory for each)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${LIMBER_BUILD_DIR:-$root/build}

jobs=${LIMBER_JOBS:-}
if [[ -z $jobs ]]; then
  jobs=$(nproc)
  fitting=$(awk '/^MemAvailable:/ { print int($2 / 1.5e6) }' /proc/meminfo)
  ((fitting < 1)) && fitting=1
  ((jobs > fitting)) && jobs=$fitting
fi

# Unquoted on purpose: several flags, separated by spaces.
# shellcheck disable=SC2086
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release --log-level=NOTICE ${LIMBER_CMAKE_FLAGS:-}
cmake --build "$build" --parallel "$jobs" ${1:+--target "$@"}
