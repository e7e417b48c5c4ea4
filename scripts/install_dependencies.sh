#!/usr/bin/env bash
# Installs what limber needs to be built, tested and looked at, on Debian 12, as root or with sudo.
# Only what is missing is installed; with nothing missing it needs no network and no rights.
#
#   scripts/install_dependencies.sh [--checks]      --checks: also clang-format and clang-tidy
set -euo pipefail

packages=(
  build-essential cmake ninja-build pkg-config ccache git
  petsc-dev openmpi-bin libopenmpi-dev libhdf5-openmpi-dev
  libopenblas0-pthread # petsc-dev alone brings the reference BLAS, with which direct solves take 5 times as long
  libsuitesparse-dev libmetis-dev libgmsh-dev libvtk9-dev
  libyaml-cpp-dev libmuparser-dev libcli11-dev libeigen3-dev libspdlog-dev
  libgtest-dev libbenchmark-dev nlohmann-json3-dev
  python3 python3-vtk9 python3-numpy python3-matplotlib python3-pil xvfb xauth
)
case "${1:-}" in
  "") ;;
  --checks) packages+=(clang-format clang-tidy) ;;
  *) echo "usage: scripts/install_dependencies.sh [--checks]" >&2; exit 1 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: the libraries named in README.md are expected to be installed already." >&2
  exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
            awk '$1 == "installed" { print $2 }' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing, and installing them needs root or sudo:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo "${as_root[@]}")
fi

echo "Installing ${#missing[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get -qq -o Acquire::Retries=3 update
"${as_root[@]}" apt-get -qq -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" >/dev/null
