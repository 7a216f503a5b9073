# shellcheck shell=bash
# Part of image-test.sh: Docker and Podman.
build() { "$engine" build "$@" --tag $image .; }
inside() { "$engine" run --rm --network none $image "$@"; }
start() { started=$("$engine" run --detach $image "$@"); }
try() { "$engine" exec "$started" "$@"; }
stop() {
  "$engine" stop "$started" >/dev/null
  status=$("$engine" inspect --format '{{.State.ExitCode}}' "$started")
  kill_lab
}
kill_lab() {
  "$engine" logs "$started" >"$work/lab.log" 2>&1
  "$engine" rm --force "$started" >/dev/null
  started=
}
size() { "$engine" image inspect --format '{{.Size}}' $image; }
config() { "$engine" image inspect --format '{{json .Config}}' $image; }
