#!/bin/sh
# What hollow nodes cost: nodes.sh [nodes, 1000] [pods, 10000]. Needs a JDK 25 in JAVA_HOME or on the PATH. The figures are in
# docs/performance.md.
set -eu
cd "$(dirname "$0")/../.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}
"${java}java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 || {
  echo "nodes.sh: ${java}java is no JDK 25: set JAVA_HOME to one" >&2
  exit 1
}
mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=target/bench-classpath
classpath="target/bench-classes:target/classes:$(cat target/bench-classpath)"
mkdir -p target/bench-classes
"${java}javac" -proc:none -d target/bench-classes -cp "$classpath" src/bench/java/dev/wheelhouse/bench/NodesBenchmark.java
exec "${java}java" -Xmx2g -XX:+UseCompactObjectHeaders -Dlogback.configurationFile=src/bench/logback.xml \
  -cp "$classpath" dev.wheelhouse.bench.NodesBenchmark "${1:-1000}" "${2:-10000}"
