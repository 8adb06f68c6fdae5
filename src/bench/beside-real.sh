#!/bin/sh
# Runs one of the benchmarks that start a real kube-apiserver: beside-real.sh CLASS ARGUMENT... Needs a JDK 25 in
# JAVA_HOME or on the PATH, and etcd, kube-apiserver and kube-controller-manager on the PATH. BENCH_OPTIONS may hold
# system properties, quoted for the shell: -Dmanager.jvm='...' replaces the JVM options of Wheelhouse.
set -eu
cd "$(dirname "$0")/../.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}
"${java}java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 || {
  echo "beside-real.sh: ${java}java is no JDK 25: set JAVA_HOME to one" >&2
  exit 1
}
for program in etcd kube-apiserver kube-controller-manager; do
  command -v $program >/dev/null || { echo "beside-real.sh: $program is not on the PATH" >&2; exit 1; }
done
mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=target/bench-classpath
classpath="target/bench-classes:target/classes:$(cat target/bench-classpath)"
mkdir -p target/bench-classes
"${java}javac" -proc:none -d target/bench-classes -cp "$classpath" src/bench/java/dev/wheelhouse/bench/workloads/*.java
absolute=$(printf %s "$classpath" | sed "s|target/|$PWD/target/|g")
benchmark=$1
shift
# The options are words of the shell, which may be quoted.
eval "exec \"\${java}java\" ${BENCH_OPTIONS:-} -cp \"\$absolute\" \"dev.wheelhouse.bench.workloads.\$benchmark\" \"\$@\""
