#!/usr/bin/env bash
# Runs agekit on a Spark cluster of one master and two workers on loopback: a planted graph
# of 200,000 nodes, from Parquet that Spark writes to clusters in Parquet. The files must be
# those of --engine local, byte for byte, also after workers, an executor and the command
# itself were killed. AGEKIT names the program.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
agekit=${AGEKIT:-$PWD/.bin/agekit}
scripts/spark.sh || { [ $? = 3 ] && exit 0; exit 1; }
export SPARK_HOME=$PWD/.spark/deps SPARK_LOCAL_IP=127.0.0.1 SPARK_DAEMON_MEMORY=256m SPARK_CONF_DIR=$PWD/.spark/none
top=$(mktemp -d)
export AGEKIT_CACHE=$top/cache
started=()
finish() {
  kill "${started[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$top"
}
trap finish EXIT

# await TEXT FILE: waits until the text is in the file
await() {
  for _ in $(seq 600); do
    if grep -q -- "$1" "$2" 2>/dev/null; then return; fi
    sleep 0.2
  done
  echo "spark-test: $2 never said \"$1\":"
  tail -n 20 "$2"
  exit 1
}
class="$SPARK_HOME/bin/spark-class org.apache.spark.deploy"
$class.master.Master --host 127.0.0.1 --port 0 --webui-port 0 >"$top/master.log" 2>&1 &
started+=($!)
await 'Starting Spark master at' "$top/master.log"
master=$(sed -n 's/.*Starting Spark master at \(spark:[^ ]*\).*/\1/p' "$top/master.log")
for w in 1 2; do
  $class.worker.Worker --host 127.0.0.1 -c 1 -m 1g --webui-port 0 -d "$top/worker$w" "$master" >"$top/worker$w.log" 2>&1 &
  started+=($!)
done
await 'Successfully registered' "$top/worker1.log"
await 'Successfully registered' "$top/worker2.log"

# Five groups; four of five edges stay inside.
conf=(spark.executor.memory=512m spark.executor.cores=1 spark.driver.host=127.0.0.1 spark.driver.bindAddress=127.0.0.1 spark.ui.enabled=false)
columns=$(for j in $(seq 0 31); do printf ', CAST(randn(%d) + 2 * sin(%d * (id %% 5) + %d) AS FLOAT) AS x%d' "$j" "$((j + 1))" "$j" "$j"; done)
cat >"$top/make.sql" <<END
INSERT OVERWRITE DIRECTORY '$top/nodes' USING parquet SELECT id$columns, id % 5 AS class FROM range(0, 200000, 1, 1);
INSERT OVERWRITE DIRECTORY '$top/edges' USING parquet
  SELECT source, CASE WHEN away = 0 THEN other ELSE source % 5 + 5 * (other div 5) END AS target
  FROM (SELECT id % 200000 AS source, pmod(xxhash64(id), 200000) AS other, pmod(xxhash64(id, 7), 5) AS away FROM range(0, 1000000, 1, 1));
INSERT OVERWRITE DIRECTORY '$top/parts' USING parquet SELECT /*+ REPARTITION(4) */ * FROM parquet.\`$top/edges\`;
END
"$SPARK_HOME/bin/spark-sql" --master "$master" "${conf[@]/#/--conf=}" --conf=spark.sql.catalogImplementation=in-memory -f "$top/make.sql" >"$top/make.log" 2>&1 || { tail -n 20 "$top/make.log"; exit 1; }

# The same graph from Spark's four files as from one.
for edges in "$(echo "$top"/edges/*.parquet)" "$top/parts"; do
  "$agekit" graph build "$top/folder" --edges "$edges" 2>/dev/null | grep -o '[0-9]* nodes, [0-9]* edges of 1000000' >>"$top/built"
  rm -r "$top/folder"
done
[ "$(find "$top/parts" -name '*.parquet' | wc -l)" = 4 ] && [ "$(wc -l <"$top/built")" = 2 ] && [ "$(sort -u "$top/built" | wc -l)" = 1 ] ||
  { echo "spark-test: the graph of four files is not that of one"; cat "$top/built"; exit 1; }

fit=("$agekit" fit --nodes "$(echo "$top"/nodes/*.parquet)" --edges "$(echo "$top"/edges/*.parquet)" --id id --label class
  --clusters 5 --layers 4 --sample 8000 --epochs 10 --epoch-pairs 5000 --dims 64 --no-auto --verbose --export parquet)
spark=("${fit[@]}" --engine spark --master "$master" --workers 2 "${conf[@]/#/--spark-conf=}")
"${fit[@]}" --engine local --out "$top/local" >"$top/local.out" 2>&1 || { cat "$top/local.out"; exit 1; }
grep ACC "$top/local.out"

# killed SIGNAL PATTERN: kills the first process with the pattern in its command, once one is there
killed() {
  for _ in $(seq 3000); do
    if pkill -KILL -o -f -- "$1"; then return; fi
    sleep 0.02
  done
  echo "spark-test: no process to kill: $1"
  exit 1
}
"${spark[@]}" --out "$top/killed" >"$top/killed.out" 2>&1 &
driver=$!
killed "^$agekit worker run $top/killed.work/stages/0.-smooth"
await 'stage smooth' "$top/killed.out"
killed "^$agekit worker run $top/killed.work/stages/"
await 'stage degrees' "$top/killed.out"
killed "CoarseGrainedExecutorBackend.*--worker-url"
await 'stage product' "$top/killed.out"
kill -KILL $driver
wait $driver 2>/dev/null || true
"${spark[@]}" --out "$top/killed" >"$top/killed.out" 2>&1 || { cat "$top/killed.out"; exit 1; }
for file in nodes.parquet nodes.csv labels.txt embeddings.npy model.npz; do
  cmp "$top/local/$file" "$top/killed/$file"
done
awk '/^stage .* tasks in/ { made += $3; sub(/.*, /, ""); made -= $1; there += $1; stages++ }
  END { print "spark-test: the same bytes as --engine local; in " stages " stages, " made " tasks were done, and " there " had been" }' "$top/killed.out"
if ! grep -q 'stage smooth: 2 tasks in .*, 2 of them were done before' "$top/killed.out"; then
  echo "spark-test: blocks were made again"
  cat "$top/killed.out"
  exit 1
fi
if ls -d "$top"/*.work 2>/dev/null; then
  echo "spark-test: files of the stages are left"
  exit 1
fi
