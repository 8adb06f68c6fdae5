#!/usr/bin/env bash
# The benchmarks of single parts (JMH): src/bench/jmh.sh [JMH's arguments], such as "-prof gc DecodeBenchmark" or "-l".
# "retained" instead: CPU time of decoding and memory per object. "growth [PODS]": how memory, CPU time and threads grow with
# objects and informers. JAVA25_HOME names the JDK.
set -euo pipefail
cd "$(dirname "$0")/../.."
java=${JAVA25_HOME:+$JAVA25_HOME/bin/}java
mvn -q -B -Pbench -Dmain.unchecked=true process-test-classes dependency:build-classpath -DincludeScope=test -Dmdep.outputFile=target/jmh.classpath >&2
path=target/bench-classes:target/test-classes:target/classes:$(<target/jmh.classpath)
"${java}c" -nowarn -proc:full -d target/bench-classes -cp "$path" $(find src/bench/java -name '*.java')
options="-Dlogback.configurationFile=src/bench/logback.xml --enable-native-access=ALL-UNNAMED"
if [[ ${1:-} == retained ]]; then
  exec "$java" -Xmx1g -XX:+UseSerialGC $options -cp "$path" dev.wheelhouse.client.decode.RetainedBenchmark
fi
if [[ ${1:-} == growth ]]; then
  shift
  exec "$java" ${BENCH_HEAP:--Xmx8g} $options -cp "$path" dev.wheelhouse.bench.GrowthBenchmark "$@"
fi
exec "$java" $options -cp "$path" org.openjdk.jmh.Main -jvmArgsAppend "$options" "$@"
