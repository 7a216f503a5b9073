#!/usr/bin/env bash
# Unpacks Apache Spark into .spark (460 MB), and installs Java where apt-get may. Says in a
# line what is missing, and then ends with 3.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
if ! command -v java >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless
  else
    echo "spark.sh: Java is missing: Spark needs version 17 or later (on Debian: openjdk-17-jre-headless)"
    exit 3
  fi
fi
pins=scripts/spark-requirements.txt
if [ "$(cat .spark/agekit-pins 2>/dev/null || true)" = "$(cksum <$pins)" ]; then exit; fi
rm -rf .spark
mkdir .spark
python3 -I -m venv .spark/venv
if ! .spark/venv/bin/python -I -m pip download --quiet --disable-pip-version-check --no-input \
  --no-deps --no-binary=:all: --require-hashes -r $pins -d .spark; then
  echo "spark.sh: Spark could not be downloaded"
  rm -rf .spark
  exit 3
fi
tar -xzf .spark/pyspark-*.tar.gz -C .spark --strip-components=1 --wildcards 'pyspark-*/deps/bin' 'pyspark-*/deps/jars'
rm -r .spark/venv .spark/pyspark-*.tar.gz
cksum <$pins >.spark/agekit-pins
