#!/usr/bin/env bash
# Tests and measures AGE on this machine's NVIDIA GPU. Needs bash, tar, coreutils
# and python3 with JAX's CUDA plugin, but neither network nor Go. README.md explains
# the results.
set -uo pipefail
export LC_ALL=C

usage() {
  cat <<END
Usage: run.sh [--quick] [--plugin FILE.so] [--out DIR] [STEP ...]

Steps, each with its own time limit (default: all, in this order; about ten minutes):
  info      GPU, driver, plugin and machine
  bytes     Cora, 400 epochs, twice and stopped in between: the same bytes?
  parts     the parts of a training step
  steps     training steps, by how many an execution takes
  select    selections of pairs, on the GPU and the processor
  pubmed    400 epochs of Pubmed
  gae       GAE on Pubmed
  calls     transfers and empty executions
  product   dense products 2708×1433×500 on the GPU and the processor
  jobs      Cora, Citeseer, Wiki and 170,000 nodes, on the native backend and the GPU
  tests     every test that runs on XLA, each in its own process

--quick     few epochs and small graphs, to try the bundle itself
--plugin    a PJRT plugin. Default: \$GOMLX_BACKEND (xla:FILE.so), or else the
            CUDA plugin in python3's packages
--out       folder for the results. Default: \$OUT, or else ./results

The exit code is 1 if anything failed. A failing step does not stop the others.
END
}

all=(info bytes parts steps select pubmed gae calls product jobs tests)
epochs=400 large=20 planted=170000 gae=200 quick=
backend=${GOMLX_BACKEND:-xla:cuda}
out=${OUT:-results}
steps=()
while (($#)); do
  case $1 in
  --quick) epochs=10 large=2 planted=40000 gae=2 quick=1 ;;
  --plugin | --out)
    [ $# -gt 1 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
    if [ "$1" = --out ]; then out=$2; else backend=xla:$2; fi
    shift
    ;;
  --help | -h) usage; exit ;;
  *)
    [[ " ${all[*]} " == *" $1 "* ]] || { echo "run.sh: unknown argument $1: want ${all[*]}, or --help" >&2; exit 2; }
    steps+=("$1")
    ;;
  esac
  shift
done
((${#steps[@]})) || steps=("${all[@]}")
if [[ $backend == xla:*/* ]]; then
  plugin=$(realpath -e "${backend#xla:}") || exit 2
  backend=xla:$plugin
fi
unset GOMLX_BACKEND

bundle=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd)
mkdir -p -- "$out" && out=$(CDPATH="" cd -- "$out" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tar -xzf "$bundle/payload.tar.gz" -C "$work" || exit 1
export AGEKIT_DATA=$work/data AGEKIT_TEST_XLA=$backend AGEKIT_REQUIRE_XLA=1
export AGEKIT_FIGURES=$out/figures.jsonl AGEKIT_QUICK=$quick
agekit=$work/agekit
failed=0

# check NAME LIMIT COMMAND... runs a command for at most LIMIT seconds and records
# the outcome in checks.jsonl, replacing that of an earlier call.
check() {
  local name=$1 limit=$2 start=${EPOCHREALTIME/./} lines passed=true seconds
  shift 2
  lines=$(wc -l <"$out/log.txt")
  echo "=== $name" >>"$out/log.txt"
  if ! timeout --kill-after=10 "$limit" "$@" </dev/null >>"$out/log.txt" 2>&1; then
    passed=false
    failed=1
  fi
  seconds=$(((${EPOCHREALTIME/./} - start) / 1000))
  seconds=$(printf '%d.%03d' $((seconds / 1000)) $((seconds % 1000)))
  printf '%-7s %8s s  %s\n' "$([ $passed = true ] && echo passed || echo FAILED)" "$seconds" "$name"
  [ $passed = true ] || tail -n +$((lines + 2)) "$out/log.txt" | tail -n 20 | sed 's/^/    /'
  grep -vF "{\"check\":\"$name\"," "$out/checks.jsonl" >"$work/checks"
  printf '{"check":"%s","passed":%s,"seconds":%s,"limit":%s,"backend":"%s"}\n' \
    "$name" $passed "$seconds" "$limit" "$backend" >>"$work/checks"
  cp "$work/checks" "$out/checks.jsonl"
}
touch "$out/checks.jsonl" "$out/log.txt"

# Missing items are not failures: such a machine needs nothing for notebooks.
describe() {
  date -u
  uname -a
  lscpu | grep -E '^(Model name|CPU\(s\))'
  grep MemTotal /proc/meminfo
  nvidia-smi
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap,clocks.max.sm --format=csv
  echo "backend $backend"
  python3 -I - <<'END'
import importlib.metadata, pathlib, site, sys
places = [*filter(None, sys.path), site.getusersitepackages()]
print("python", sys.version)
packages = {(d.name or "", d.version) for d in importlib.metadata.distributions(path=places)}
for name, version in sorted(packages):
    if name.lower().startswith(("jax", "nvidia", "xla")):
        print(name, version)
for place in map(pathlib.Path, places):
    for pattern in ("jax_plugins/*/*.so", "xla_plugins/*/*.so", "nvidia/*/nvvm/libdevice/*", "nvidia/*/bin/ptxas"):
        for path in place.glob(pattern):
            print(path)
END
  echo "ptxas on the PATH: $(command -v ptxas || echo none); CUDA in /usr/local: $(echo /usr/local/cuda*)"
  "$agekit" backend list
  "$agekit" doctor
}

step_info() { describe 2>&1 | tee "$out/info.txt"; }

# figure NAME VALUE UNIT records a figure, as the measurements of the test binaries do.
figure() {
  printf '{"backend":"%s","figure":"%s","unit":"%s","value":%s}\n' "$backend" "$1" "$3" "$2" >>"$AGEKIT_FIGURES"
}

# seconds_since START prints seconds, START being $EPOCHREALTIME.
seconds_since() {
  local took=$(((${EPOCHREALTIME/./} - ${1/./}) / 1000))
  printf '%d.%03d' $((took / 1000)) $((took % 1000))
}

# train NAME OUT ARGUMENTS... trains with an empty store, and records the seconds.
train() {
  local name=$1 to=$2 start=$EPOCHREALTIME
  shift 2
  AGEKIT_STORE=$work/store-$to check "$name" 240 "$agekit" fit --json --no-map --backend "$backend" "$@"
  figure "$name" "$(seconds_since "$start")" s
}

# weights FOLDER prints the checksum of a run's embedding.
weights() { sha256sum <"$work/$1/embeddings.npy"; }

# The first training also warms the machine's files. The third one is stopped as soon as it
# has a second checkpoint, within an epoch where the steps are slow, and goes on.
step_bytes() {
  local run=(--dataset cora --epochs "$epochs" --no-auto --no-views) same training checkpoint first=
  for k in 1 2; do
    train "Cora, run $k" "bytes$k" "${run[@]}" --out "$work/bytes$k"
  done
  AGEKIT_STORE=$work/store-bytes3 "$agekit" fit --no-map --backend "$backend" "${run[@]}" --checkpoint-every 1ms --verbose --out "$work/bytes3" >>"$out/log.txt" 2>&1 &
  training=$!
  while kill -0 "$training" 2>/dev/null; do
    checkpoint=$(stat -c %i "$work"/store-bytes3/*-checkpoint.entry 2>/dev/null) && first=${first:-$checkpoint}
    [ "$checkpoint" = "$first" ] || break
    sleep .02
  done
  kill -INT "$training" 2>/dev/null
  wait "$training"
  check "Cora, stopped and resumed" 240 env AGEKIT_STORE="$work/store-bytes3" "$agekit" fit --no-map --backend "$backend" "${run[@]}" --verbose --out "$work/bytes3"
  check "the resumed run had a checkpoint" 5 grep -E "resumed after epoch" "$work/bytes3/log.txt"
  for k in 2 3; do
    same=false
    [ "$(weights bytes1)" = "$(weights "bytes$k")" ] && same=true
    figure "Cora: run $k has the bytes of run 1" $same ""
    check "Cora: run $k has the bytes of run 1" 5 "$same"
  done
}

# measure NAME LIMIT runs the measurements of that name.
measure() {
  check "$1" "$2" "$work/tests/agekit/encoder/gomlx/xla.test" -test.v -test.run "^TestFigure$1\$"
}
step_parts() { measure Parts 60; }
step_steps() { measure Steps 120; }
step_select() { measure Selection 90; }
step_calls() { measure Calls 30; }

step_pubmed() { train "Pubmed, $epochs epochs" pubmed --dataset pubmed --epochs "$epochs" --no-auto --no-views; }
step_gae() { train "GAE on Pubmed, $gae epochs" gae --dataset pubmed --method GAE --epochs "$gae"; }

step_product() {
  check "dense product" 60 bash -o pipefail -c '"$0" -test.run "^$" -test.bench "^BenchmarkProduct$" | tee "$1"' \
    "$work/tests/agekit/encoder/gomlx/xla.test" "$out/product.txt"
}

# Each test has its own process, so that one that crashes or hangs does not hide the
# others.
step_tests() {
  local binary package tests test end=$((SECONDS + 540)) left
  while read -r binary; do
    package=${binary#"$work/tests/"} package=${package%/*}
    if ! tests=$("$binary" -test.list '^Test' 2>>"$out/log.txt") || [ -z "$tests" ]; then
      check "$package" 10 false
    fi
    for test in $tests; do
      left=$((end - SECONDS))
      check "$package $test" $((left > 180 ? 180 : left > 1 ? left : 1)) \
        env -C "${binary%/*}" ./xla.test -test.v -test.run "^$test\$"
    done
  done < <(find "$work/tests" -name xla.test | sort)
}

# job NAME LIMIT measures a job on native and on the GPU.
job() {
  local where
  for where in native "$backend"; do
    check "$1 on $where" "$2" python3 -I "$work/jobs.py" "$1" --program "$agekit" --backend "$where" --out "$out/jobs.json"
  done
}
step_jobs() {
  for name in "cora@$epochs" "citeseer@$epochs" "wiki@$epochs" "planted-$planted@$large"; do
    job "$name" 120
  done
}

for step in "${steps[@]}"; do
  "step_$step"
done
if [ -s "$out/jobs.json" ]; then
  python3 -I "$work/jobs.py" --out "$out/jobs.json" >"$out/jobs.md"
fi
{
  printf '# Checks\n\n| check | passed | seconds | limit | backend |\n| --- | --- | ---: | ---: | --- |\n'
  sed -E 's/^\{"check":"(.*)","passed":(.*),"seconds":(.*),"limit":(.*),"backend":"(.*)"\}$/| \1 | \2 | \3 | \4 | \5 |/' "$out/checks.jsonl"
} >"$out/checks.md"
echo "results in $out: $(grep -c '"passed":true' "$out/checks.jsonl") checks passed, $(grep -c '"passed":false' "$out/checks.jsonl") failed"
exit $failed
