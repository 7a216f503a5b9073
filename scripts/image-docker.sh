# shellcheck shell=bash
# Part of image-test.sh: Docker and Podman.
: "${engine:?}" "${image:?}" "${work:?}"
# Podman's own format of images has no health check.
format=()
if [ "$engine" = podman ]; then format=(--format docker); fi

build() { "$engine" build "${format[@]}" "$@" --tag "$image" .; }
inside() { "$engine" run --rm --network none "$image" "$@"; }
start() { started=$("$engine" run --detach "$image" "$@"); }
try() { "$engine" exec "$started" "$@"; }
stop() {
  "$engine" stop "$started" >/dev/null
  # shellcheck disable=SC2034 # image-test.sh reads it
  status=$("$engine" inspect --format '{{.State.ExitCode}}' "$started")
  kill_lab
}
kill_lab() {
  "$engine" logs "$started" >"$work/lab.log" 2>&1
  "$engine" rm --force "$started" >/dev/null
  started=
}
size() { "$engine" image inspect --format '{{.Size}}' "$image"; }
# Podman tells the health check beside the other settings.
config() {
  "$engine" image inspect "$image" | python3 -I -c 'import json, sys
image = json.load(sys.stdin)[0]
print(json.dumps({"Healthcheck": image.get("Healthcheck"), **image["Config"]}))'
}
