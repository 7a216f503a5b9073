#!/usr/bin/env bash
# Builds the image and uses it as people do: runs notebook 01 without a network,
# opens the lab, asks for its health, stops it, and starts it as Binder does. Lists its
# Debian packages in .bin/image-debian.cdx.json. make image-test installs what that needs.
#   scripts/image-test.sh [BUILD-FLAG...]    such as --build-arg NB_USER=jovyan
# Runs on Docker or Podman, and as root on Debian and Ubuntu without them: there
# Buildah builds the image on a base made of Debian's packages and this machine's Go,
# and unshare runs it in namespaces of its own. AGEKIT_IMAGE_ENGINE chooses docker,
# podman or buildah, AGEKIT_IMAGE_MIRROR another mirror of Debian, and AGEKIT_IMAGE_STORAGE a
# folder in which Buildah keeps the base and the image for the next run. What is
# special to this machine, such as certificates and proxies, goes into the base only.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
engine=${AGEKIT_IMAGE_ENGINE:-}
for name in docker podman; do
  if [ -z "$engine" ] && $name info >/dev/null 2>&1; then engine=$name; fi
done
engine=${engine:-buildah}
work=$(mktemp -d)
image=agekit-image-test
started=

say() { echo "image-test: $*"; }
fail() {
  say "FAILED: $*" >&2
  if [ -s "$work/lab.log" ]; then tail -n 40 "$work/lab.log" >&2; fi
  exit 1
}
clean() {
  if [ -n "$started" ]; then kill_lab; fi
  rm -rf "$work"
}
trap clean EXIT

# Each engine has the same functions: build; inside, which runs a command in a new
# container without a network; start, which starts the image's own command or another
# one; try, which runs a command beside it; stop, which ends it as `docker stop` does and
# sets status; kill_lab; size, in bytes; and config, which prints the image's settings.
case $engine in
docker | podman)
  # shellcheck source=scripts/image-docker.sh
  . scripts/image-docker.sh
  ;;
buildah)
  # shellcheck source=scripts/image-buildah.sh
  . scripts/image-buildah.sh
  ;;
*) fail "AGEKIT_IMAGE_ENGINE is $engine, want docker, podman or buildah" ;;
esac

# setting CODE prints part of the image's settings, which are in c.
setting() { config | python3 -I -c "import json, sys; c = json.load(sys.stdin); $1"; }

# wait_for WHAT COMMAND... tries a command until it succeeds, for a minute.
wait_for() {
  for _ in $(seq 60); do
    if try "${@:2}" >/dev/null 2>&1; then return; fi
    sleep 1
  done
  fail "no answer from $1"
}

SECONDS=0
say "building with $engine"
build "$@"
say "built in $SECONDS s, $(($(size) / 1000000)) MB unpacked"
user=$(setting 'print(c["User"])')
health=$(setting 'print("\n".join(c["Healthcheck"]["Test"][1:]))')
mapfile -t health <<<"$health"
[ "$(setting 'print(c["Healthcheck"]["Test"][0])')" = CMD ] || fail "the health check is not a plain command"

[ "$(inside id -un)" = "$user" ] && [ "$user" != root ] || fail "the image runs as $(inside id -un), want $user"
say "runs as user $user"
SECONDS=0
inside agekit walkthrough --notebooks 01 || fail "notebook 01"
say "notebook 01 ran without a network, in $SECONDS s with the start"
inside agekit doctor >"$work/lab.log" || fail "agekit doctor"

mkdir -p .bin
# shellcheck disable=SC2016 # the inner shell's variables, and dpkg-query's
inside sh -c '. /etc/os-release && echo "$ID $VERSION_ID" && dpkg-query --show --showformat "$1"' sh \
  '${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n' |
  .venv-sbom/bin/python -I scripts/image_sbom.py agekit >.bin/image-debian.cdx.json || fail "the list of Debian packages"
say ".bin/image-debian.cdx.json lists $(grep -c '"purl"' .bin/image-debian.cdx.json) Debian packages"

# Colab talks to kernels over Unix sockets, which Jupyter calls ipc.
said=$(inside 2>"$work/lab.log" python3 -I -c '
from jupyter_client.manager import KernelManager
kernel = KernelManager(kernel_name="agekit", transport="ipc")
kernel.start_kernel()
client = kernel.client()
client.start_channels()
try:
    client.wait_for_ready(timeout=60)
    client.execute_interactive("%%\nfmt.Println(6 * 7)", timeout=120)
finally:
    kernel.shutdown_kernel(now=True)
') || fail "a kernel over Unix sockets"
[ "$said" = 42 ] || fail "a kernel over Unix sockets printed $said, want 42"
say "a kernel runs over Unix sockets, as on Colab"

SECONDS=0
start
wait_for "the health check ${health[*]}" "${health[@]}"
say "the lab is healthy after $SECONDS s: ${health[*]}"
url=http://localhost:8888
code=$(try curl --silent --output /dev/null --write-out '%{http_code}' $url/api/kernelspecs)
[ "$code" = 403 ] || fail "without its token the lab answers $code, want 403"
token=$(try jupyter server list --json | python3 -I -c 'import json, sys; print(json.loads(sys.stdin.readline())["token"])')
# kernels_at URL fails unless the lab there offers both kernels.
kernels_at() {
  try curl --fail --silent --header "Authorization: token $token" "$1/api/kernelspecs" |
    python3 -I -c 'import json, sys; k = json.load(sys.stdin)["kernelspecs"]; sys.exit(not {"agekit", "agekit-xla"} <= k.keys())' ||
    fail "the lab at $1 does not offer both kernels"
  try curl --fail --silent --header "Authorization: token $token" --output /dev/null "$1/lab" || fail "no page $1/lab"
}
kernels_at $url
say "the lab offers both kernels, and answers 403 without its token"
stop
[ "$status" = 0 ] || fail "stopping the lab gave exit status $status, want 0 (137 is a lab that did not hear the signal)"
say "SIGTERM stops the lab with exit status 0"

# The command and options of repo2docker and BinderHub.
token=from-binder
start jupyter notebook --ip=0.0.0.0 --port=8888 --NotebookApp.base_url=/user/someone/ --NotebookApp.token=$token
wait_for "jupyter notebook" curl --fail --silent --output /dev/null $url/user/someone/api
kernels_at $url/user/someone
try test -w . || fail "Binder's user cannot write to its folder"
stop
say "starts as Binder starts it"
say "passed"
