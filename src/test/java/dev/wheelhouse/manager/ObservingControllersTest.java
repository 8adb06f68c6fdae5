package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** Every built-in controller that only observes a cluster in which objects of all kinds come and go. */
class ObservingControllersTest {
    private static final String TEMPLATE = "{metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}";

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.CONFIG_MAPS, ResourceType.NODES,
            ResourceType.SERVICES, ResourceType.REPLICA_SETS, ResourceType.JOBS);
    private final AllControllers all = new AllControllers(cluster, cluster.context(
            new ControllerContext.Settings((controller, preset) -> 1, Parallel.inOrder(), controller -> true,
                    controller -> false, ControllerMetrics.NONE,
                    Options.DEFAULTS
                            .with(new ControllerOptions.NodeIpam(true, List.of("10.1.0.0/22"), List.of(), 0, 0, 0)),
                    Journal.NONE)));
    private final List<ResourceType> types = new ArrayList<>();
    private final List<ObjectKey> keys = new ArrayList<>();
    @AfterEach
    void close() {
        cluster.close();
    }

    private void put(String group, String version, String plural, String kind, String namespace, String name,
            String rest) {
        ResourceType type = new ResourceType(group, version, plural, kind, !namespace.isEmpty());
        KubernetesObject object = Yaml.read("{apiVersion: %s, kind: %s, metadata: {%s name: %s}, %s}".formatted(
                type.apiVersion(), kind, namespace.isEmpty() ? "" : "namespace: " + namespace + ",", name, rest),
                Unstructured.class);
        cluster.store(type, object);
        types.add(type);
        keys.add(ObjectKey.of(object));
    }

    /** Creates objects of every kind that a controller follows. */
    private void populate(String n) {
        String d = "default";
        put("", "v1", "namespaces", "Namespace", "", "ns" + n, "spec: {finalizers: [kubernetes]}");
        put("", "v1", "nodes", "Node", "", "n" + n, "spec: {taints: [{key: a, effect: NoExecute}]}, status: {"
                + "allocatable: {cpu: 4, pods: 10}, volumesAttached: [{name: kubernetes.io/csi/d^h" + n
                + ", devicePath: ''}]}");
        String owner = "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone" + n + ", uid: gone" + n
                + ", controller: true}]";
        put("", "v1", "configmaps", "ConfigMap", d, "c" + n + ", " + owner, "data: {}");
        put("apps", "v1", "deployments", "Deployment", d, "d" + n, "spec: {replicas: 2, selector: {matchLabels: {app: d"
                + n + "}}, template: " + TEMPLATE.replace("app: a", "app: d" + n) + "}");
        put("apps", "v1", "replicasets", "ReplicaSet", d, "r" + n, "spec: {replicas: 2, selector: {matchLabels: {app: r"
                + n + "}}, template: " + TEMPLATE.replace("app: a", "app: r" + n) + "}");
        put("", "v1", "replicationcontrollers", "ReplicationController", d, "rc" + n, "spec: {replicas: 2, selector: "
                + "{app: rc" + n + "}, template: " + TEMPLATE.replace("app: a", "app: rc" + n) + "}");
        put("apps", "v1", "statefulsets", "StatefulSet", d, "s" + n, "spec: {replicas: 2, serviceName: a, selector: "
                + "{matchLabels: {app: s" + n + "}}, template: " + TEMPLATE.replace("app: a", "app: s" + n) + "}");
        put("apps", "v1", "daemonsets", "DaemonSet", d, "ds" + n, "spec: {selector: {matchLabels: {app: ds" + n
                + "}}, template: " + TEMPLATE.replace("app: a", "app: ds" + n) + "}");
        put("batch", "v1", "jobs", "Job", d, "j" + n,
                "spec: {parallelism: 2, completions: 2, backoffLimit: 6, selector:"
                        + " {matchLabels: {app: j" + n + "}}, template: " + TEMPLATE.replace("app: a", "app: j" + n)
                        + "}");
        put("batch", "v1", "jobs", "Job", d, "done" + n, "spec: {ttlSecondsAfterFinished: 1, selector: {matchLabels: "
                + "{app: x}}, template: " + TEMPLATE + "}, status: {conditions: [{type: Complete, status: 'True', "
                + "lastTransitionTime: '2020-01-01T00:00:00Z'}]}");
        put("batch", "v1", "cronjobs", "CronJob", d, "cj" + n, "spec: {schedule: '* * * * *', jobTemplate: {spec: "
                + "{template: " + TEMPLATE + "}}}");
        put("", "v1", "pods", "Pod", d, "p" + n + ", labels: {app: svc" + n + "}", "spec: {nodeName: n" + n
                + ", containers: [{name: a, image: a}], volumes: [{name: v, persistentVolumeClaim: {claimName: pvc" + n
                + "}}, {name: e, ephemeral: {volumeClaimTemplate: {spec: {resources: {}}}}}], resourceClaims: ["
                + "{name: r, resourceClaimTemplateName: t" + n
                + "}]}, status: {phase: Running, podIP: 10.0.0.1, conditions: [{type: Ready, status: 'True'}, "
                + "{type: DisruptionTarget, status: 'True', lastTransitionTime: "
                + "'2020-01-01T00:00:00Z'}]}");
        put("", "v1", "pods", "Pod", d, "f" + n + ", labels: {app: j" + n + "}", "spec: {nodeName: gone, containers: "
                + "[{name: a, image: a}]}, status: {phase: Failed}");
        put("", "v1", "services", "Service", d, "svc" + n,
                "spec: {selector: {app: svc" + n + "}, ports: [{port: 80}]}");
        put("", "v1", "endpoints", "Endpoints", d, "own" + n,
                "subsets: [{addresses: [{ip: 10.0.0.2}], ports: [{port: 80"
                        + "}]}]");
        put("", "v1", "services", "Service", d, "own" + n, "spec: {ports: [{port: 80}]}");
        put("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", d, "slice" + n + ", labels: {"
                + "kubernetes.io/service-name: svc" + n + ", endpointslice.kubernetes.io/managed-by: "
                + "endpointslice-controller.k8s.io}", "addressType: IPv4, endpoints: [{addresses: [10.0.0.9]}]");
        put("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", d, "pvc" + n, "spec: {storageClassName: '', "
                + "volumeName: pv" + n + ", accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}, "
                + "status: {phase: Bound, capacity: {storage: 1Gi}}");
        put("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", d, "want" + n,
                "spec: {storageClassName: sc" + n
                        + ", accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}");
        put("storage.k8s.io", "v1", "storageclasses", "StorageClass", "", "sc" + n, "provisioner: d, "
                + "allowVolumeExpansion: true");
        put("", "v1", "persistentvolumes", "PersistentVolume", "", "pv" + n, "spec: {capacity: {storage: 1Gi}, "
                + "accessModes: [ReadWriteOnce], storageClassName: '', persistentVolumeReclaimPolicy: Delete, csi: "
                + "{driver: d, volumeHandle: h" + n + "}, claimRef: {namespace: default, name: pvc" + n
                + ", uid: stored-pvc" + n + "}}");
        put("", "v1", "persistentvolumes", "PersistentVolume", "", "rec" + n, "spec: {capacity: {storage: 1Gi}, "
                + "accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Recycle, hostPath: {path: /a}, "
                + "claimRef: {namespace: default, name: gone" + n + ", uid: gone}}, status: {phase: Released}");
        put("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", "", "va" + n,
                "spec: {attacher: d, nodeName:"
                        + " n" + n + ", source: {persistentVolumeName: pv" + n + "}}, status: {attached: true}");
        put("storage.k8s.io", "v1", "volumeattributesclasses", "VolumeAttributesClass", "", "vac" + n, "driverName: d");
        put("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", d, "h" + n,
                "spec: {minReplicas: "
                        + "3, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d" + n
                        + "}}");
        put("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", d, "pdb" + n, "spec: {maxUnavailable: 1, "
                + "selector: {matchLabels: {app: svc" + n + "}}}");
        put("", "v1", "resourcequotas", "ResourceQuota", d, "q" + n, "spec: {hard: {pods: 100, services: 100}}");
        put("", "v1", "serviceaccounts", "ServiceAccount", d, "sa" + n, "secrets: []");
        put("", "v1", "secrets", "Secret", d, "tok" + n + ", annotations: {kubernetes.io/service-account.name: sa" + n
                + "}", "type: kubernetes.io/service-account-token");
        put("", "v1", "secrets", "Secret", d, "lost" + n + ", annotations: {kubernetes.io/service-account.name: gone}",
                "type: kubernetes.io/service-account-token");
        put("", "v1", "secrets", "Secret", "kube-system", "bootstrap-token-" + "abcdef".substring(n.length()) + n,
                "type: bootstrap.kubernetes.io/token, data: {expiration: MjAyMC0wMS0wMVQwMDowMDowMFo=}");
        put("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", "", "csr" + n,
                "spec: {signerName: kubernetes.io/kubelet-serving, request: YQ==, usages: [digital signature]}");
        put("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", "", "cr" + n + ", labels: {agg: x" + n
                + "}", "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]");
        put("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", "", "agg" + n, "aggregationRule: {"
                + "clusterRoleSelectors: [{matchLabels: {agg: x" + n + "}}]}, rules: []");
        put("resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", d, "t" + n, "spec: {spec: {}}");
        put("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", d, "rcl" + n,
                "spec: {}, status: {reservedFor: ["
                        + "{resource: pods, name: gone, uid: gone}]}");
        put("resource.k8s.io", "v1", "resourceslices", "ResourceSlice", "", "rs" + n,
                "spec: {driver: d, nodeName: n" + n
                        + ", pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: g}]}");
        put("networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR", "", "sc" + n, "spec: {cidrs: [10.9.0.0/24]}");
        put("networking.k8s.io", "v1", "ipaddresses", "IPAddress", "", "10.9.0." + n, "spec: {parentRef: {resource: "
                + "services, namespace: default, name: svc" + n + "}}");
        put("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", "",
                "vap" + n, "spec: {matchConstraints: {resourceRules: []}, validations: [{expression: 'true'}]}");
        put("coordination.k8s.io", "v1", "leases", "Lease", "kube-node-lease", "n" + n, "spec: {holderIdentity: n" + n
                + "}");
    }

    private void round(int number) {
        populate(Integer.toString(number));
        all.settle();
        for (int i = types.size() - 1; i >= 0; i--) {
            ResourceType type = types.get(i);
            ObjectKey key = keys.get(i);
            long version = cluster.json(type, key).at("/metadata/resourceVersion").asLong();
            cluster.server.store().delete(type.groupResource(), key.namespace(), key.name(), version);
        }
        types.clear();
        keys.clear();
        all.settle();
        // Longer than everything that is remembered for a time.
        cluster.clock.advance(Duration.ofMinutes(90));
        all.settle();
    }

    @Test
    void anObserverKeepsNothingOfObjectsThatAreGoneAndWritesNothing() {
        all.settle();
        round(1);
        Map<String, Integer> before = all.kept();
        for (int i = 2; i <= 4; i++) {
            round(i);
        }
        Map<String, String> grown = new TreeMap<>();
        all.kept().forEach((path, size) -> {
            int first = before.getOrDefault(path, 0);
            // The owners that the collector knows to be absent are bounded by number.
            if (size > first && !path.endsWith("graph.absent")) {
                grown.put(path, first + " -> " + size);
            }
        });
        assertThat(grown).isEmpty();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }
}
