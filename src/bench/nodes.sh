#!/bin/bash
# What hollow nodes cost: src/bench/nodes.sh [NODES [PODS]], after mvn compile. Figures are in docs/performance-nodes.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
mvn -q -B dependency:build-classpath -Dmdep.outputFile=target/bench.classpath
CP="target/classes:$(cat target/bench.classpath)"
mkdir -p target/bench
javac -d target/bench -cp "$CP" src/bench/java/dev/wheelhouse/bench/NodesBenchmark.java
exec java -Xmx2g -XX:+UseCompactObjectHeaders -cp "target/bench:$CP" dev.wheelhouse.bench.NodesBenchmark "$@"
