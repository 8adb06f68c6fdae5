#!/usr/bin/env bash
# Changes the decisions that have a table of cases (PIT), and fails unless the tables notice. Recordings prove the other
# decisions; to replay them after each change would take hours. JAVA25_HOME names the JDK.
set -euo pipefail
cd "$(dirname "$0")/../.."
java=${JAVA25_HOME:+$JAVA25_HOME/bin/}java
mvn -q -B -Pbench -Dmain.unchecked=true process-test-classes dependency:build-classpath -DincludeScope=test -Dmdep.outputFile=target/jmh.classpath >&2
decisions=dev.wheelhouse.controllers
exec "$java" -cp "target/test-classes:target/classes:$(<target/jmh.classpath)" org.pitest.mutationtest.commandline.MutationCoverageReport \
  --sourceDirs src/main/java --reportDir target/pit-reports --timestampedReports=false --threads 2 --mutationThreshold 60 \
  --jvmArgs -Djunit.jupiter.execution.parallel.enabled=false --excludedClasses '*Test' --targetTests "$decisions.*Decision*Test" \
  --targetClasses "$decisions.deployment.DeploymentDecision,$decisions.garbagecollector.Decisions*,$decisions.statefulset.StatefulSetDecisions*,$decisions.volume.ClaimDecisions,$decisions.volume.VolumeDecisions"
