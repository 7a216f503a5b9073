#!/usr/bin/env bash
# Makes everything that a release has, in .bin/release, and uploads nothing:
#   scripts/release.sh [VERSION]   (default: the newest in CHANGELOG.md, or else "unreleased")
# RELEASE_SYSTEMS names other systems than all six, RELEASE_PARTS other parts than all of:
# archives wheels sbom site gpu. The GPU bundle needs data sets (docs/gpu.md); where they are
# missing, it is left out, or if RELEASE_PARTS is set, nothing is made.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
version=${1:-$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)}
version=${version:-unreleased}
if [ "$version" != unreleased ] && ! grep -qF "## [$version]" CHANGELOG.md; then
  echo "release: CHANGELOG.md has no section ## [$version]" >&2
  exit 1
fi
systems=${RELEASE_SYSTEMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
parts=${RELEASE_PARTS:-archives wheels sbom site gpu}
AGEKIT_VERSION=$version AGEKIT_COMMIT=$(git describe --always --abbrev=40 --exclude='*' --dirty)
# The date of the commit, in all archives.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export AGEKIT_VERSION AGEKIT_COMMIT SOURCE_DATE_EPOCH
out=$PWD/.bin/release
rm -rf "$out"
mkdir -p "$out"
has() { [[ " $parts " == *" $1 "* ]]; }
host=$(mktemp -d)/agekit
trap 'rm -r "${host%/*}"' EXIT
scripts/program.sh "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$host"
without=""
if has gpu && ! "$host" data fetch citeseer wiki pubmed >/dev/null; then
  without="release: no GPU bundle: it needs the data sets citeseer, wiki and pubmed; AGEKIT_DATA names a folder that has them (docs/gpu.md)"
  echo "$without" >&2
  if [ -n "${RELEASE_PARTS:-}" ]; then exit 1; fi
  parts=${parts/gpu/}
fi

if has archives; then
  shared=$out/shared
  mkdir -p "$shared"
  go -C tools/release build -o "$out/thirdparty" ./thirdparty
  "$out/thirdparty" -texts "$shared/licenses" >"$shared/THIRD_PARTY.md"
  rm "$out/thirdparty"
  cp LICENSE README.md CHANGELOG.md CITATION.cff SECURITY.md "$shared"
  cp docs/cli.md "$shared/commands.md"
  # Links to what an archive lacks lead to the repository.
  lacks=$(git ls-tree --name-only HEAD | grep -vxF "$(ls "$shared")" | paste -sd '|')
  sed -E -i "s,\]\(($lacks)([/#)]),](https://github.com/agekit/age/blob/${AGEKIT_COMMIT%-dirty}/\1\2,g" "$shared"/*.md
  for system in $systems; do
    name=agekit-$version-${system/\//-}
    cp -r "$shared" "$out/$name"
    extension=""
    if [ "${system%/*}" = windows ]; then extension=.exe; fi
    scripts/program.sh "$system" "$out/$name/agekit$extension"
    # The same bytes each time: sorted, without owners, with the commit's time.
    find "$out/$name" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    if [ -n "$extension" ]; then
      (cd "$out" && find "$name" -type f | LC_ALL=C sort | python3 -I "$OLDPWD/scripts/zip.py" "$name.zip")
    else
      tar -C "$out" --sort=name --mode=u+rwX,go+rX,go-w --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
    fi
    rm -rf "${out:?}/$name"
  done
  rm -rf "$shared"
fi
if has wheels; then
  rm -rf python/dist
  # shellcheck disable=SC2086 # names of systems
  scripts/wheels.sh $systems >/dev/null
  cp python/dist/*.whl "$out"
fi
if has sbom; then
  make .bin/.release
  # The program, which the wheels have as well; their Python packages, and those of the image.
  # The first is of what the linker put into the program.
  scripts/program.sh linux/amd64 "$out/agekit"
  .bin/cyclonedx-gomod bin -json -std -version "$(sed 's/^[0-9]/v&/' <<<"$version")" -output "$out/agekit-$version.cdx.json" "$out/agekit"
  rm "$out/agekit"
  python3 -I -c 'import tomllib; print(*tomllib.load(open("python/pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' |
    .venv-sbom/bin/cyclonedx-py requirements --pyproject <(sed "s/^dynamic = .*/version = \"$version\"/" python/pyproject.toml) --output-reproducible --of JSON -o "$out/agekit-$version-wheel-python.cdx.json" -
  .venv-sbom/bin/cyclonedx-py requirements --output-reproducible --of JSON -o "$out/agekit-$version-image-python.cdx.json" scripts/requirements.txt
fi
if has site; then
  if grep -q '^site:' Makefile; then
    make site
    tar -C . --sort=name --mode=u+rwX,go+rX,go-w --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "${SITE_DIR:-reports/site}" | gzip -9n >"$out/agekit-$version-site.tar.gz"
  else
    echo "release: no site: the Makefile has no target of this name" >&2
  fi
fi
if has gpu; then
  make gpu-bundle
  cp .bin/gpu-bundle.tar.gz "$out/agekit-$version-gpu-bundle.tar.gz"
fi
cd "$out"
find . -type f ! -name SHA256SUMS -printf '%f\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS
cat SHA256SUMS
if [ -n "$without" ]; then echo "$without" >&2; fi
