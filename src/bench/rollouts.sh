#!/bin/sh
# Measures rollouts: rollouts.sh [Deployments, 1000] [replicas of each, 10] [processes, 1 or 2; 2]. Needs a JDK 25 in JAVA_HOME or on the PATH.
set -eu
cd "$(dirname "$0")/../.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}
"${java}java" -XX:+UseCompactObjectHeaders -version >/dev/null 2>&1 || {
  echo "rollouts.sh: ${java}java is no JDK 25: set JAVA_HOME to one" >&2
  exit 1
}
mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=target/bench-classpath
classpath="target/bench-classes:target/classes:$(cat target/bench-classpath)"
mkdir -p target/bench-classes
"${java}javac" -proc:none -d target/bench-classes -cp "$classpath" \
  src/bench/java/dev/wheelhouse/bench/RolloutBenchmark.java
absolute=$(printf %s "$classpath" | sed "s|target/|$PWD/target/|g")
exec "${java}java" -cp "$absolute" dev.wheelhouse.bench.RolloutBenchmark "${1:-1000}" "${2:-10}" "${3:-2}"
