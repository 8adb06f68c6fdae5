package dev.wheelhouse.operator;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class ReadinessTest {
    private static final Map<String, Class<? extends KubernetesObject>> MODELS = Map.ofEntries(
            Map.entry("Deployment", V1Deployment.class), Map.entry("StatefulSet", V1StatefulSet.class),
            Map.entry("DaemonSet", V1DaemonSet.class), Map.entry("ReplicaSet", V1ReplicaSet.class),
            Map.entry("Job", V1Job.class), Map.entry("Pod", V1Pod.class), Map.entry("Service", V1Service.class),
            Map.entry("Claim", V1PersistentVolumeClaim.class), Map.entry("Namespace", V1Namespace.class),
            Map.entry("Definition", V1CustomResourceDefinition.class), Map.entry("Node", V1Node.class),
            Map.entry("Secret", V1Secret.class), Map.entry("ConfigMap", V1ConfigMap.class),
            Map.entry("Site", Site.class), Map.entry("Unstructured", Unstructured.class));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            Secret | {} |
            ConfigMap | {metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}} | terminating
            Deployment | {metadata: {generation: 1}, spec: {replicas: 0}} \
                    | waits for its controller
            Deployment | {spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 1}} | 1/2 updated
            Deployment | {spec: {replicas: 2}, status: {replicas: 3, updatedReplicas: 2}} \
                    | 1 old pods left
            Deployment | {spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 2, \
                    availableReplicas: 1}} | 0/2 ready
            Deployment | {metadata: {generation: 2}, spec: {replicas: 1}, status: {observedGeneration: 1, \
                    replicas: 1, updatedReplicas: 1, availableReplicas: 1}} \
                    | waits for its controller
            Deployment | {metadata: {generation: 2}, spec: {}, status: {observedGeneration: 2, replicas: 1, \
                    updatedReplicas: 1, availableReplicas: 1}} |
            StatefulSet | {spec: {replicas: 3}, status: {readyReplicas: 2}} | 2/3 ready
            StatefulSet | {spec: {replicas: 3}, status: {readyReplicas: 3, updatedReplicas: 1}} \
                    | 1/3 updated
            StatefulSet | {spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}}, \
                    status: {readyReplicas: 3, updatedReplicas: 1}} |
            StatefulSet | {spec: {replicas: 3, updateStrategy: {type: OnDelete}}, status: {readyReplicas: 3}} |
            DaemonSet | {status: {desiredNumberScheduled: 2, updatedNumberScheduled: 2, \
                    numberAvailable: 1}} | 0/2 ready
            DaemonSet | {status: {desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}} |
            ReplicaSet | {spec: {replicas: 1}, status: {availableReplicas: 0}} | 0/1 ready
            Job | {} | not complete
            Job | {status: {conditions: [{type: Failed, status: "True", message: too often}]}} \
                    | failed: too often
            Job | {status: {conditions: [{type: Complete, status: "True"}]}} |
            Pod | {status: {phase: Running}} | not ready
            Pod | {status: {phase: Running, conditions: [{type: Ready, status: "False", \
                    message: not yet}]}} | not ready: not yet
            Pod | {status: {phase: Succeeded, conditions: [{type: Ready, status: "False"}]}} |
            Claim | {status: {phase: Pending}} | pending: it waits for a volume
            Claim | {status: {phase: Bound}} |
            Namespace | {status: {phase: Active}} |
            Service | {spec: {type: ClusterIP}} |
            Service | {spec: {type: LoadBalancer}} | no address: it waits for an address, which no controller has set
            Service | {spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}} |
            Definition | {status: {conditions: [{type: Established, status: "False"}]}} | not established
            Node | {status: {conditions: [{type: Ready, status: Unknown}]}} | not ready
            Site | {spec: {replicas: 1}} \
                    | it has no condition Ready. If it never has one, say by readyWhen when it is ready
            Site | {metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", \
                    observedGeneration: 1}]}} | waits for its controller
            Site | {metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", \
                    observedGeneration: 2}]}} |
            Unstructured | {apiVersion: example.com/v1, kind: Pod, status: {phase: Succeeded}} \
                    | it has no condition Ready. If it never has one, say by readyWhen when it is ready
            Unstructured | {apiVersion: example.com/v1, kind: Pod, metadata: {generation: 3}, \
                    status: {observedGeneration: 2}} | waits for its controller
            Unstructured | {apiVersion: batch/v1, kind: Job, status: {conditions: [{type: Complete, \
                    status: "True"}]}} |
            """)
    void eachKindIsReadyInItsOwnSense(String kind, String object, String why) {
        KubernetesObject read = Yaml.read(object, MODELS.get(kind));
        assertThat(Readiness.whyNot(read)).isEqualTo(why == null ? "" : why);
        assertThat(Readiness.isReady(read)).isEqualTo(why == null);
    }
}
