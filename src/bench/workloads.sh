#!/bin/sh
# Measures workloads by the real kube-controller-manager and by Wheelhouse on one real kube-apiserver:
# workloads.sh [percent of the full size, 100] [contestants, REAL,OURS]. Needs a JDK 25 in JAVA_HOME or on the PATH, and
# etcd, kube-apiserver and kube-controller-manager on the PATH. BENCH_OPTIONS may hold system properties: -Drounds=3
# repeats all phases in one process of each contestant, -Donly='Jobs.*' chooses phases by their titles,
# -Dmanager.jvm='...' replaces the JVM options of Wheelhouse.
set -eu
cd "$(dirname "$0")/../.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}
"${java}java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 || {
  echo "workloads.sh: ${java}java is no JDK 25: set JAVA_HOME to one" >&2
  exit 1
}
for program in etcd kube-apiserver kube-controller-manager; do
  command -v $program >/dev/null || { echo "workloads.sh: $program is not on the PATH" >&2; exit 1; }
done
mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=target/bench-classpath
classpath="target/bench-classes:target/classes:$(cat target/bench-classpath)"
mkdir -p target/bench-classes
"${java}javac" -proc:none -d target/bench-classes -cp "$classpath" src/bench/java/dev/wheelhouse/bench/workloads/*.java
absolute=$(printf %s "$classpath" | sed "s|target/|$PWD/target/|g")
# shellcheck disable=SC2086
exec "${java}java" ${BENCH_OPTIONS:-} -cp "$absolute" dev.wheelhouse.bench.workloads.WorkloadBenchmark "${1:-100}" "${2:-REAL,OURS}"
