# shellcheck shell=bash
# Part of image-test.sh: Buildah, where there is neither a daemon nor a registry.
: "${image:?}" "${work:?}"
[ "$(id -u)" = 0 ] || fail "without Docker and Podman, this needs root"
for tool in buildah mmdebstrap ip; do
  command -v $tool >/dev/null || missing="${missing:-} ${tool/#ip/iproute2}"
done
if [ -n "${missing:-}" ]; then
  command -v apt-get >/dev/null || fail "install Docker, Podman or${missing}"
  # shellcheck disable=SC2086 # several packages
  apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
storage=${AGEKIT_IMAGE_STORAGE:-$work/storage}
bh() { buildah --root "$storage" --runroot "$work/run" --storage-driver "${STORAGE_DRIVER:-vfs}" "$@"; }

# base makes what the Dockerfile builds on: of what the official image has, only what
# the Dockerfile's head says it needs.
base() {
  local want have certificates=/etc/ssl/certs/ca-certificates.crt
  want=$(sed -n 's/^FROM golang:\([0-9.]*\).*/\1/p' Dockerfile)
  have=$(go env GOVERSION)
  [ "$have" = "go$want" ] || fail "this machine has $have, and the Dockerfile wants go$want"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates,curl,gcc,git,libc6-dev,make \
    bookworm "$work/base.tar" ${AGEKIT_IMAGE_MIRROR:+"$AGEKIT_IMAGE_MIRROR"}
  bh from --name base scratch >/dev/null
  bh add --quiet base "$work/base.tar" / >/dev/null
  rm "$work/base.tar"
  bh copy --quiet base "$(go env GOROOT)" /usr/local/go >/dev/null
  bh copy --quiet base "${SSL_CERT_FILE:-$certificates}" $certificates >/dev/null
  bh config --env PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    --env GOTOOLCHAIN=local --env "GOPROXY=$(go env GOPROXY)" --env "GOSUMDB=$(go env GOSUMDB)" --env PIP_CERT=$certificates base
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST; do
    if [ -n "${!name:-}" ]; then bh config --env "$name=${!name}" base; fi
  done
  bh commit --quiet --rm base localhost/agekit-base >/dev/null
}

build() {
  bh inspect --type image localhost/agekit-base >/dev/null 2>&1 || base
  bh bud --isolation chroot --format docker --layers=false --from localhost/agekit-base "$@" --tag "$image" .
  use
}

# use makes a container of the image, and reads how to run it.
use() {
  root=$(bh mount "$(bh from "$image")")
  environment=()
  while IFS= read -r line; do environment+=("$line"); done < <(setting 'print("\n".join(c["Env"]))')
  folder=$(setting 'print(c["WorkingDir"])')
  uid=$(chroot "$root" id -u "$(setting 'print(c["User"])')")
}

# namespaces becomes a command in the image, as its process 1, with no network but its
# own loopback.
namespaces() {
  # shellcheck disable=SC2016 # the inner shell's arguments
  exec unshare --net sh -c 'ip link set lo up && exec "$@"' sh \
    unshare --mount --pid --fork --kill-child --root="$root" --wd="$folder" --mount-proc --setuid "$uid" --setgid "$uid" env --ignore-environment "${environment[@]}" "$@"
}
inside() { (namespaces "$@"); }
start() {
  local command
  if [ $# = 0 ]; then
    command=$(setting 'print("\n".join(c["Cmd"]))')
    mapfile -t command <<<"$command"
    set -- "${command[@]}"
  fi
  (namespaces "$@") >"$work/lab.log" 2>&1 &
  started=$!
  # The lab is there once a child is process 1 of a namespace.
  until first=$(pgrep --parent "$started") && grep -q $'^NSpid:.*\t1$' "/proc/$first/status" 2>/dev/null; do
    kill -0 "$started" || fail "$1 does not start"
  done
}
try() {
  nsenter --target "$first" --mount --pid --net --root --wd --setuid "$uid" --setgid "$uid" \
    env --ignore-environment "${environment[@]}" "$@"
}
stop() {
  kill "$first"
  for _ in $(seq 100); do
    kill -0 "$started" 2>/dev/null || break
    sleep 0.1
  done
  kill_lab
}
kill_lab() {
  kill -KILL "$first" 2>/dev/null || true
  status=0
  # shellcheck disable=SC2034 # image-test.sh reads it
  wait "$started" || status=$?
  started=
}
size() { du --summarize --block-size=1 "$root" | cut -f1; }
config() { bh inspect --type image "$image" | python3 -I -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["Docker"]["config"]))'; }
