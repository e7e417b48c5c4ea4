#!/usr/bin/env bash
# Sets up, builds and runs a simulation.
#
#   scripts/run.sh [CONFIG] [-n RANKS] [arguments of limber run]...
#
# CONFIG   default: configs/quickstart.yaml
# RANKS    MPI ranks, default 2
# Examples: scripts/run.sh configs/quickstart.yaml --overwrite
#           scripts/run.sh configs/quickstart.yaml -n 4 --set simulation.duration=0.5 --output out/short
#
# Ctrl-C or SIGTERM asks the simulation to write a checkpoint and stop (exit code 4); a second one ends it.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$scripts")
build=${LIMBER_BUILD_DIR:-$root/build}

config=$root/configs/quickstart.yaml
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
  exit 0
fi
if [[ $# -gt 0 && $1 != -* ]]; then
  config=$1
  shift
fi
ranks=2
directory=
arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -n) [[ $# -gt 1 && $2 =~ ^[1-9][0-9]*$ ]] || { echo "run.sh: -n needs a number of ranks" >&2; exit 1; }
        ranks=$2; shift 2 ;;
    --) arguments+=("$@"); break ;;
    *)  case $1 in
          --output) directory=${2:-} ;;
          --output=*) directory=${1#--output=} ;;
          output.directory=*) directory=${1#output.directory=} ;;
          --set=output.directory=*) directory=${1#--set=output.directory=} ;;
        esac
        arguments+=("$1"); shift ;;
  esac
done
if [[ ! -f $config ]]; then
  echo "run.sh: there is no configuration file $config" >&2
  exit 1
fi

"$scripts/install_dependencies.sh"
"$scripts/build.sh" limber
# shellcheck source=scripts/environment.sh
source "$scripts/environment.sh"
# limber itself says why it stopped; mpirun's own banner below that would only hide it.
export OMPI_MCA_orte_execute_quiet="${OMPI_MCA_orte_execute_quiet:-1}"

started=$(mktemp)
trap 'rm -f "$started"' EXIT

# mpirun gets a process group of its own (set -m), so that Ctrl-C reaches this script alone. SIGUSR1 is the one signal
# that mpirun forwards and after which it returns the program's exit code.
pid=
signals=0
interrupted=
# shellcheck disable=SC2317 # called by the trap
stop() {
  interrupted=1
  signals=$((signals + 1))
  if ((signals == 1)); then kill -USR1 "$pid" 2>/dev/null || true
  else kill -TERM "$pid" 2>/dev/null || true; fi
}
trap stop INT TERM
set -m
mpirun -n "$ranks" "$build/bin/limber" run "$config" "${arguments[@]}" </dev/null &
pid=$!
status=0
while :; do
  interrupted=
  wait "$pid" && status=0 || status=$?
  [[ -z $interrupted ]] && break # otherwise a signal, not the end, may have ended the wait
done
set +m
trap - INT TERM

# Where the results are: the .pvd file that this run wrote.
if [[ -z $directory ]]; then
  directory=$(awk '/^output:/ { inside = 1; next } /^[^ #]/ { inside = 0 }
                   inside && $1 == "directory:" { print $2; exit }' "$config" | tr -d "\"'")
  directory=${directory:-out}
fi
pvd=
if [[ -d $directory ]]; then
  pvd=$(find "$directory" -maxdepth 2 -name '*.pvd' -newer "$started" -print -quit)
fi
if [[ -n $pvd ]]; then
  echo
  echo "Results: $(dirname "$pvd")"
  echo "  In ParaView: File > Open $(realpath "$pvd"), then Apply."
  echo "  A picture without a screen: ${scripts#"$PWD"/}/render.py $pvd --png picture.png"
  echo "  Energies and iterations:    ${scripts#"$PWD"/}/plot.py $(dirname "$pvd") --out plot.png"
fi
exit "$status"
