package dev.wheelhouse.quota;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceClass;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The amounts that objects take from quotas (upstream: {@code pkg/quota/v1/evaluator/core/*_test.go}). */
class EvaluatorsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final List<V1DeviceClass> classes = new ArrayList<>();
    private final Map<ObjectKey, V1Pod> pods = new TreeMap<>();
    private final List<ResourceV1ResourceClaim> claims = new ArrayList<>();
    private final Evaluators evaluators = new Evaluators(new Devices() {
        @Override
        public Collection<V1DeviceClass> classes() {
            return classes;
        }

        @Override
        public @Nullable V1Pod pod(ObjectKey key) {
            return pods.get(key);
        }

        @Override
        public List<ResourceV1ResourceClaim> claims(String namespace) {
            return claims;
        }
    });

    private KubernetesObject read(String resource, String yaml) {
        return Yaml.read(yaml, evaluators.of(resource).model());
    }

    /** The amounts besides the counts of objects, as text. */
    private String usage(String resource, String yaml) {
        return text(evaluators.of(resource).usage(read(resource, yaml), NOW));
    }

    private static String text(Map<String, Quantity> amounts) {
        return new TreeMap<>(amounts).entrySet().stream().filter(entry -> !entry.getKey().startsWith("count/"))
                .map(entry -> entry.getKey() + "=" + entry.getValue().toSuffixedString())
                .collect(Collectors.joining(" "));
    }

    private String pod(String spec, String status) {
        return usage("pods", "{metadata: {name: a}, spec: {" + spec + "}, status: {" + status + "}}");
    }

    @Test
    void aPodTakesTheSumOfItsContainersOrItsDemandDuringTheStart() {
        assertThat(pod("""
                containers: [{name: a, resources: {requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: 200m}}},
                 {name: b, resources: {requests: {cpu: 300m}}}],
                initContainers: [{name: i, resources: {requests: {cpu: 2, memory: 1Mi}}}]""", "")).isEqualTo(
                "cpu=2 limits.cpu=200m memory=1Gi pods=1 requests.cpu=2 requests.memory=1Gi");
    }

    @Test
    void aSidecarCountsFromItsStartOn() {
        assertThat(pod("""
                containers: [{name: a, resources: {requests: {cpu: 1}}}],
                initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 2}}},
                 {name: i, resources: {requests: {cpu: 2}}}]""", "")).isEqualTo("cpu=4 pods=1 requests.cpu=4");
        assertThat(pod("""
                containers: [{name: a, resources: {requests: {cpu: 1}}}],
                initContainers: [{name: i, resources: {requests: {cpu: 2}}},
                 {name: s, restartPolicy: Always, resources: {requests: {cpu: 2}}}]""", ""))
                .isEqualTo("cpu=3 pods=1 requests.cpu=3");
    }

    @Test
    void theOverheadOfAPodIsAddedToRequestsAndToLimitsAboveZero() {
        assertThat(pod("""
                overhead: {cpu: 10m, memory: 1Mi},
                containers: [{name: a, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 0}}}]""", ""))
                .isEqualTo("cpu=1010m limits.cpu=2010m limits.memory=0 memory=1Mi pods=1 requests.cpu=1010m "
                        + "requests.memory=1Mi");
    }

    @Test
    void theResourcesOfAPodReplaceThoseOfItsContainers() {
        assertThat(pod("""
                resources: {requests: {cpu: 3}, limits: {memory: 1Gi}},
                containers: [{name: a, resources: {requests: {cpu: 1, memory: 2Mi}}}]""", "")).isEqualTo(
                "cpu=3 limits.memory=1Gi memory=2Mi pods=1 requests.cpu=3 requests.memory=2Mi");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {"Deferred,4", "Infeasible,3"})
    void aResizeCountsWithTheLargerAmountUnlessTheNodeRefusesIt(String reason, String cpu) {
        assertThat(pod("containers: [{name: a, resources: {requests: {cpu: 4}}}]", """
                conditions: [{type: PodResizePending, status: "True", reason: %s}],
                containerStatuses: [{name: a, allocatedResources: {cpu: 3}, resources: {requests: {cpu: 2}}}]"""
                .formatted(reason))).isEqualTo("cpu=%1$s pods=1 requests.cpu=%1$s".formatted(cpu));
    }

    @Test
    void hugePagesAndExtendedResourcesCountByTheirRequests() {
        assertThat(pod("""
                containers: [{name: a, resources: {requests: {hugepages-2Mi: 4Mi, example.com/gpu: 2, odd: 1}}}]""",
                "")).isEqualTo("hugepages-2Mi=4Mi pods=1 requests.example.com/gpu=2 requests.hugepages-2Mi=4Mi");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"',
            value = {"\"metadata: {}, status: {phase: Failed}\",0", "\"metadata: {}, status: {phase: Succeeded}\",0",
                    "\"metadata: {}, status: {phase: Running}\",1",
                    "\"metadata: {deletionTimestamp: 2025-12-31T23:59:31Z, deletionGracePeriodSeconds: 30}\",1",
                    "\"metadata: {deletionTimestamp: 2025-12-31T23:59:29Z, deletionGracePeriodSeconds: 30}\",0"})
    void aPodThatHasEndedOrIsOverdueCountsOnlyAsAnObject(String fields, int pods) {
        Map<String, Quantity> usage = evaluators.of("pods").usage(
                read("pods", "{spec: {containers: [{name: a}]}, " + fields + "}"), NOW);

        assertThat(usage).containsEntry("count/pods", Amounts.of(1));
        assertThat(text(usage)).isEqualTo(pods == 1 ? "pods=1" : "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "{type: ClusterIP, ports: [{port: 1}]} | 0 | 0", "{type: NodePort, ports: [{port: 1}, {port: 2}]} | 0 | 2",
            "{type: LoadBalancer, ports: [{port: 1}, {port: 2}]} | 1 | 2",
            "{type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 1}]} | 1 | 0",
            "{type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 1, nodePort: 30001}]} | 1 | 1"})
    void aServiceTakesLoadBalancersAndNodePortsByItsType(String spec, int balancers, int nodePorts) {
        assertThat(usage("services", "{spec: " + spec + "}")).isEqualTo("services=1 services.loadbalancers=" + balancers
                + " services.nodeports=" + nodePorts);
    }

    @Test
    void aClaimTakesItsRequestAlsoFromItsStorageClass() {
        assertThat(usage("persistentvolumeclaims", """
                {metadata: {name: a}, spec: {storageClassName: gold, resources: {requests: {storage: 1500m}}}}"""))
                .isEqualTo("gold.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
                        + "gold.storageclass.storage.k8s.io/requests.storage=2 persistentvolumeclaims=1 "
                        + "requests.storage=2");
        assertThat(usage("persistentvolumeclaims", """
                {metadata: {name: a}, spec: {resources: {requests: {storage: 1Gi}}},
                 status: {allocatedResources: {storage: 2Gi}}}""")).isEqualTo(
                "persistentvolumeclaims=1 requests.storage=2Gi");
    }

    @Test
    void aClaimOfDevicesTakesTheWorstOfItsAlternatives() {
        assertThat(usage("resourceclaims.resource.k8s.io", """
                {metadata: {name: a}, spec: {devices: {requests: [
                 {name: x, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 2}},
                 {name: y, exactly: {deviceClassName: nic, allocationMode: All}},
                 {name: z, firstAvailable: [{name: p, deviceClassName: gpu, allocationMode: ExactCount, count: 3},
                  {name: q, deviceClassName: gpu, allocationMode: ExactCount, count: 1}]}]}}}"""))
                .isEqualTo("gpu.deviceclass.resource.k8s.io/devices=5 nic.deviceclass.resource.k8s.io/devices=32 "
                        + "requests.deviceclass.resource.kubernetes.io/gpu=5 "
                        + "requests.deviceclass.resource.kubernetes.io/nic=32");
    }

    @Test
    void aClaimForAnExtendedResourceTakesOnlyWhatItsPodDoesNotTake() {
        classes.add(Yaml.read("{metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}",
                V1DeviceClass.class));
        pods.put(ObjectKey.of("default", "p"), Yaml.read("""
                {metadata: {namespace: default, name: p, uid: u}, spec: {containers: [{name: a, resources:
                 {requests: {example.com/gpu: 2}}}]}}""", V1Pod.class));
        String claim = """
                {metadata: {namespace: default, name: %s, creationTimestamp: 2026-01-01T00:00:00Z,
                  annotations: {resource.kubernetes.io/extended-resource-claim: "true"}, ownerReferences:
                  [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]},
                 spec: {devices: {requests: [{name: x, exactly: {deviceClassName: gpu, allocationMode: ExactCount,
                  count: 3}}]}}}""";
        claims.add(Yaml.read(claim.formatted("a"), ResourceV1ResourceClaim.class));
        String rest = "gpu.deviceclass.resource.k8s.io/devices=3 requests.deviceclass.resource.kubernetes.io/gpu=3";

        assertThat(usage("resourceclaims.resource.k8s.io", claim.formatted("a")))
                .isEqualTo(rest + " requests.example.com/gpu=1");
        assertThat(usage("resourceclaims.resource.k8s.io", claim.formatted("b"))).as("it is not the pod's first claim")
                .isEqualTo(rest + " requests.example.com/gpu=3");
    }

    @ParameterizedTest
    @CsvSource({"pods,requests.cpu,true", "pods,count/pods,true", "pods,hugepages-2Mi,true",
            "pods,requests.example.com/gpu,true", "pods,requests.storage,false", "pods,limits.example.com/gpu,false",
            "services,services.nodeports,true", "services,pods,false", "persistentvolumeclaims,requests.storage,true",
            "persistentvolumeclaims,gold.storageclass.storage.k8s.io/requests.storage,true",
            "persistentvolumeclaims,gold.storageclass.storage.k8s.io/requests.cpu,false", "secrets,secrets,true",
            "deployments.apps,count/deployments.apps,true", "deployments.apps,deployments.apps,false",
            "resourceclaims.resource.k8s.io,gpu.deviceclass.resource.k8s.io/devices,true",
            "resourceclaims.resource.k8s.io,requests.example.com/gpu,false"})
    void countAgainstTheirOwnLimits(String resource, String limit, boolean counts) {
        assertThat(evaluators.of(resource).counts(limit)).isEqualTo(counts);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"Terminating | Exists | | activeDeadlineSeconds: 0 | true",
            "NotTerminating | Exists | | activeDeadlineSeconds: 5 | false", "PriorityClass | In | a | | false",
            "PriorityClass | In | a | priorityClassName: a | true", "PriorityClass | NotIn | a | | true",
            "PriorityClass | NotIn | a | priorityClassName: a | false", "PriorityClass | DoesNotExist | | | true",
            "PriorityClass | Exists | | priorityClassName: a | true", "VolumeAttributesClass | Exists | | | false",
            "CrossNamespacePodAffinity | Exists | | 'affinity: {podAffinity: "
                    + "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, namespaces: [o]}]}}' | true"})
    void aQuotaCoversThePodsInAllItsScopes(String scope, String operator, @Nullable String value,
            @Nullable String spec, boolean covered) {
        V1ResourceQuotaSpec quota = Yaml.read("{scopes: [NotBestEffort], scopeSelector: {matchExpressions: "
                + "[{scopeName: " + scope + ", operator: " + operator + ", values: [" + (value == null ? "" : value)
                + "]}]}}", V1ResourceQuotaSpec.class);
        String pod = "{spec: {containers: [{name: a}]" + (spec == null ? "" : ", " + spec)
                + "}, status: {qosClass: %s}}";
        Evaluator evaluator = evaluators.of("pods");

        assertThat(Scopes.cover(quota, evaluator, read("pods", pod.formatted("Burstable")))).isEqualTo(covered);
        assertThat(Scopes.cover(quota, evaluator, read("pods", pod.formatted("BestEffort")))).isFalse();
    }

    @Test
    void aQuotaWithAScopeCoversNoObjectsThatHaveNone() {
        V1ResourceQuotaSpec quota = Yaml.read("{scopes: [NotTerminating]}", V1ResourceQuotaSpec.class);

        assertThat(Scopes.cover(quota, evaluators.of("configmaps"), read("configmaps", "{metadata: {name: a}}")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "pods | {spec: {containers: []}} | {spec: {containers: [], activeDeadlineSeconds: 3}} | true",
            "pods | {status: {phase: Running}, metadata: {}, spec: {}} | {status: {phase: Failed}, metadata: {}, "
                    + "spec: {}} | true",
            "pods | {status: {phase: Pending}, metadata: {}, spec: {}} | {status: {phase: Running}, metadata: {}, "
                    + "spec: {}} | false",
            "pods | {spec: {}, status: {containerStatuses: [{name: a, resources: {requests: {cpu: 1}}}]}} "
                    + "| {spec: {}, status: {containerStatuses: [{name: a, resources: {requests: {cpu: 2}}}]}} | true",
            "services | {spec: {type: NodePort}} | {spec: {type: ClusterIP}} | true",
            "services | {spec: {type: ExternalName}} | {spec: {type: ClusterIP}} | false",
            "persistentvolumeclaims | {spec: {}} | {spec: {}} | true", "secrets | {} | {} | false"})
    void areCountedAgainAfterUpdatesThatMayFreeSomething(String resource, String before, String after, boolean again) {
        assertThat(evaluators.of(resource).isCountedAgain(read(resource, before), read(resource, after), NOW))
                .isEqualTo(again);
    }
}
