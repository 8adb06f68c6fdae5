#!/usr/bin/env bash
# Measures the embedded API server, and a real kube-apiserver with etcd beside it where both are on the PATH:
#
#   src/bench/apiserver.sh [SECONDS of each load, 8] [PODS, 100000] [SECTIONS, start,embedded,inprocess,durable,real]
#
# after "mvn compile". Prints Markdown tables; those of the last quiet run are in docs/performance.md.
# BENCH_JVM_OPTS are passed to the server's JVM; BENCH_CLASSES and BENCH_CLASSPATH replace Maven's.
set -euo pipefail
cd "$(dirname "$0")/../.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}
classes=${BENCH_CLASSES:-target/classes}
if [[ -z ${BENCH_CLASSPATH:-} ]]; then
  [[ -s target/bench.classpath && ! pom.xml -nt target/bench.classpath ]] ||
    mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=target/bench.classpath >&2
  BENCH_CLASSPATH=$(<target/bench.classpath)
fi
out=target/bench-apiserver
rm -rf "$out" && mkdir -p "$out"
"${java}javac" --release 21 -nowarn -proc:none -d "$out" -cp "$classes:$BENCH_CLASSPATH" \
  src/bench/java/dev/wheelhouse/bench/apiserver/*.java
exec "${java}java" -Xmx1g -Dlogback.configurationFile=src/bench/logback.xml \
  -cp "$PWD/$out:$PWD/$classes:$BENCH_CLASSPATH" dev.wheelhouse.bench.apiserver.ApiServerBenchmark \
  "${1:-8}" "${2:-100000}" "${3:-start,embedded,inprocess,durable,real}"
