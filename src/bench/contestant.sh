#!/usr/bin/env bash
# Runs Wheelhouse as a contestant of the informer benchmark. The benchmark's own contract: the task comes from the
# environment, the result is the last line.
#
#   contestant.sh [protobuf|json]    the preferred encoding
#
#   BENCH_HARNESS  the harness's compiled classes, or its jar (default: harness/target/classes beside the caller)
#   BENCH_AOT      if set: starts from jars with the image's JVM options and an AOT cache, which the first run records
#   JAVA25_HOME    the JDK (default: the java of the PATH); BENCH_HEAP, BENCH_JVM_OPTS as for the other contestants
#
# Needs "mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=target/bench.classpath" once, and does it if missing.
set -euo pipefail
harness=${BENCH_HARNESS:-$PWD/harness/target/classes}
[[ -e $harness ]] || { echo "no benchmark harness at $harness: set BENCH_HARNESS" >&2; exit 2; }
harness=$(realpath "$harness")
cd "$(dirname "$0")/../.."
java=${JAVA25_HOME:+$JAVA25_HOME/bin/}java
javac=${JAVA25_HOME:+$JAVA25_HOME/bin/}javac
classes=${BENCH_CLASSES:-target/classes}
if [[ ! -s target/bench.classpath || pom.xml -nt target/bench.classpath || ! -d $classes ]]; then
  mvn -q -B compile dependency:build-classpath -DincludeScope=runtime -Dmdep.outputFile=target/bench.classpath >&2
fi
path=$classes:$harness:$(<target/bench.classpath)
if [[ ! -d target/bench-peer || -n $(find src/bench/peer -newer target/bench-peer -name '*.java') ]]; then
  rm -rf target/bench-peer && mkdir -p target/bench-peer
  "$javac" --release 21 -nowarn -d target/bench-peer -cp "$path" src/bench/peer/bench/WheelhousePeer.java >&2
fi
options=(${BENCH_HEAP:--Xmx8g} ${BENCH_JVM_OPTS:-} -Dlogback.configurationFile=src/bench/logback.xml)
if [[ -n ${BENCH_AOT:-} ]]; then
  aot=target/bench-aot
  # The JVM keeps no classes of folders in a cache.
  path=$aot/peer.jar:$aot/harness.jar:$aot/main.jar:$(tr ':' '\n' <target/bench.classpath | grep '\.jar$' | paste -sd:)
  options+=(@src/build/jvm.options -cp "$path")
  if [[ ! -s $aot/cache || -n $(find "$classes" target/bench-peer "$harness" -newer $aot/cache -name '*.class' -print -quit) ]]; then
    rm -rf $aot && mkdir -p $aot
    for folder in peer=target/bench-peer harness="$harness" main="$classes"; do
      "${java%java}jar" --create --no-compress --file "$aot/${folder%%=*}.jar" -C "${folder#*=}" .
    done
    BENCH_SCENARIO=sync BENCH_RUNS=3 BENCH_CLEAN_EXIT=1 "$java" "${options[@]}" -XX:AOTCacheOutput=$aot/cache \
      bench.WheelhousePeer "$@" >&2
  fi
  options+=(-XX:AOTCache=$aot/cache)
else
  options+=(-cp "target/bench-peer:$path")
fi
exec "$java" "${options[@]}" bench.WheelhousePeer "$@"
