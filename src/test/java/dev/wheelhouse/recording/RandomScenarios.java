package dev.wheelhouse.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Scenarios that a seed determines: users, nodes and kubelets act in any order, also in vain. */
final class RandomScenarios {
    private static final int PODS = 5;
    private static final String POD = "create: {apiVersion: v1, kind: Pod, metadata: {name: %s, labels: {app: %s}}, "
            + "spec: {%s, containers: [{name: app, image: 'app:1'%s}]}}";
    private static final List<String> HARD = List.of("pods", "count/pods", "requests.cpu", "cpu", "limits.cpu",
            "requests.memory", "limits.memory", "requests.ephemeral-storage", "services", "services.nodeports",
            "services.loadbalancers", "count/services", "configmaps", "count/configmaps", "secrets",
            "persistentvolumeclaims", "requests.storage", "gold.storageclass.storage.k8s.io/requests.storage",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims", "replicationcontrollers",
            "count/deployments.apps");
    private static final List<String> SCOPES = List.of("scopes: [Terminating]", "scopes: [NotTerminating]",
            "scopes: [BestEffort]", "scopes: [NotBestEffort]",
            "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: Exists}]}");

    private static final List<String> KINDS = List.of("ConfigMap", "Secret", "Service", "PersistentVolumeClaim",
            "ReplicationController", "Deployment");

    private final Random random;
    private final List<String> steps = new ArrayList<>();

    private RandomScenarios(long seed) {
        random = new Random(seed);
    }

    /**
     * The text of a scenario.
     *
     * @param kind {@code service}, {@code quota} or {@code node}
     */
    static String of(String kind, long seed) {
        RandomScenarios scenario = new RandomScenarios(seed);
        String head = switch (kind) {
            case "service" -> scenario.service();
            case "quota" -> scenario.quota();
            case "node" -> scenario.node();
            default -> throw new IllegalArgumentException(kind + " is not one of service, quota, node");
        };
        return "doc: Random steps of the seed " + seed + ".\n" + head + "steps:\n- "
                + String.join("\n- ", scenario.steps) + "\n";
    }

    private String any(String... words) {
        return words[random.nextInt(words.length)];
    }

    private void add(String step, Object... values) {
        steps.add(String.format(Locale.ROOT, step, values));
    }

    private String service() {
        createService();
        for (int count = 10 + random.nextInt(8); count > 0; count--) {
            int number = 1 + random.nextInt(PODS);
            String pod = "p" + number;
            switch (random.nextInt(18)) {
                case 0, 1, 2 -> add(POD, pod, any("web", "web", "db"),
                        "terminationGracePeriodSeconds: 30" + any("", "", ", hostname: h, subdomain: web"),
                        any("", ", ports: [{name: web, containerPort: 9001}]",
                                ", ports: [{name: web, containerPort: 9002}]"));
                case 3, 4, 5, 6 -> add("kubelet: {%s: [{pod: '%s*', status: {podIP: 10.1.0.%d, podIPs: [{ip: "
                        + "10.1.0.%d}]}}]}", any("ready", "ready", "run"), pod, number, number);
                case 7 -> add("kubelet: {%s: ['%s*']}", any("unready", "succeed", "fail"), pod);
                case 8 -> add("kubelet: {end: ['p*']}");
                case 9 -> add("delete: {kind: Pod, name: %s}", pod);
                case 10 -> add("patch: {kind: Pod, name: %s, body: {metadata: {labels: {app: %s}}}}", pod,
                        any("web", "db"));
                case 11, 12 -> createService();
                case 13, 14 -> add("patch: {kind: Service, name: web, body: {%s}}", any("spec: {selector: {app: db}}",
                        "spec: {selector: {app: web}}", "spec: {selector: null}",
                        "spec: {publishNotReadyAddresses: true}", "spec: {ports: [{port: 80, targetPort: web}]}",
                        "metadata: {labels: {tier: front}}", "metadata: {labels: {tier: null}}",
                        "spec: {type: ExternalName, externalName: example.com, clusterIP: null, clusterIPs: null}"));
                case 15 -> add("delete: {kind: Service, name: web}");
                case 16 -> endpoints();
                default -> {
                    String slice = "kind: EndpointSlice, name: web^IPv4-" + (1 + random.nextInt(2));
                    add(any("delete: {" + slice + "}", "patch: {" + slice + ", body: {endpoints: []}}",
                            "patch: {" + slice + ", body: {metadata: {labels: {mine: 'yes'}}}}"));
                }
            }
        }
        return """
                idle: 1500ms
                chance:
                  "writes: delete endpoints": kube-apiserver itself deletes the Endpoints of a deleted Service
                """;
    }

    private void createService() {
        add("create: {apiVersion: v1, kind: Service, metadata: {name: web, labels: {tier: back}}, spec: {%s%s%sports: "
                + "[%s]}}", any("selector: {app: web}, ", "selector: {app: web}, ", ""),
                any("", "", "clusterIP: None, "), any("", "publishNotReadyAddresses: true, "),
                any("{name: http, port: 80, targetPort: 8080}", "{port: 80, targetPort: web}",
                        "{name: a, port: 80, targetPort: web}, {name: b, port: 53, protocol: UDP}"));
    }

    private void endpoints() {
        String subsets = any("[]", "[{addresses: [{ip: 192.0.2.1, hostname: one}], ports: [{name: http, port: 8080}]}]",
                "[{addresses: [{ip: 192.0.2.1}, {ip: '2001:db8::1'}], notReadyAddresses: [{ip: 192.0.2.2}], "
                        + "ports: [{port: 8080}]}]",
                "[{addresses: [{ip: 192.0.2.3}]}, {addresses: [{ip: 192.0.2.4}]}]");
        switch (random.nextInt(4)) {
            case 0, 1 -> add("create: {apiVersion: v1, kind: Endpoints, metadata: {name: web}, subsets: %s}", subsets);
            case 2 -> add("patch: {kind: Endpoints, name: web, body: {subsets: %s}}", subsets);
            default -> add("delete: {kind: Endpoints, name: web}");
        }
    }

    private String quota() {
        KINDS.forEach(kind -> create(kind, 'z'));
        createQuota("q0");
        createQuota("q1");
        char last = 'a';
        for (int count = 14 + random.nextInt(10); count > 0; count--) {
            char other = (char) ('a' + random.nextInt(last - 'a' + 1));
            String kind = KINDS.get(random.nextInt(KINDS.size()));
            switch (random.nextInt(16)) {
                case 0, 1, 2, 3 -> add(POD, "p" + last++, "web", "terminationGracePeriodSeconds: 30"
                        + any("", "", ", activeDeadlineSeconds: 3600")
                        + any("", "", ", priorityClassName: system-node-critical"), resources());
                case 4 -> add("kubelet: {%s: ['p%s*']}", any("ready", "succeed", "fail"), other);
                case 5 -> add("kubelet: {end: ['p*']}");
                case 6, 7 -> add("delete: {kind: Pod, name: p%s%s}", other,
                        any("", ", options: {gracePeriodSeconds: 0}"));
                case 8 -> add("patch: {kind: Pod, name: p%s, body: {spec: {activeDeadlineSeconds: 1800}}}", other);
                case 9, 10, 11 -> create(kind, last++);
                case 12 -> add("delete: {kind: %s, name: o%s}", kind, any("z", other + ""));
                case 13 -> add("patch: {kind: Service, name: oz, body: {spec: {type: %s}}}",
                        any("ClusterIP", "NodePort", "LoadBalancer"));
                case 14 -> add("patch: {kind: ResourceQuota, name: q%d, body: {spec: {hard: {'%s': %s}}}}",
                        random.nextInt(2), hard(), any("null", "'0'", "'2'", "'3'"));
                default -> {
                    add("delete: {kind: ResourceQuota, name: q0}");
                    createQuota("q0");
                }
            }
        }
        return """
                chance:
                  "ProvisioningFailed": the binder says so every 15 seconds
                """;
    }

    /** The names are new: kube-apiserver charges a quota also if the object exists, until the next count. */
    private void create(String kind, char name) {
        add("create: {apiVersion: %s, kind: %s, metadata: {name: o%s}%s}",
                kind.equals("Deployment") ? "apps/v1" : "v1", kind, name, spec(kind));
    }

    private String hard() {
        return HARD.get(random.nextInt(HARD.size()));
    }

    private void createQuota(String name) {
        Set<String> resources = new TreeSet<>(Set.of("pods"));
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            resources.add(hard());
        }
        String limits = resources.stream().map(each -> "'" + each + "': '" + (1 + random.nextInt(4)) + "'")
                .collect(Collectors.joining(", "));
        add("create: {apiVersion: v1, kind: ResourceQuota, metadata: {name: %s}, spec: {hard: {%s}%s}}", name, limits,
                random.nextInt(3) > 0 ? "" : ", " + SCOPES.get(random.nextInt(SCOPES.size())));
    }

    private String resources() {
        return any("", ", resources: {requests: {cpu: 500m, memory: '1'}, limits: {cpu: '1', memory: '2'}}",
                ", resources: {limits: {cpu: 1500m, memory: '1', ephemeral-storage: '1'}}",
                ", resources: {requests: {cpu: 300m}}");
    }

    private String spec(String kind) {
        return switch (kind) {
            case "Service" -> ", spec: {type: " + any("ClusterIP", "NodePort", "LoadBalancer")
                    + ", ports: [{port: 80}]}";
            case "PersistentVolumeClaim" -> ", spec: {accessModes: [ReadWriteOnce], storageClassName: "
                    + any("gold", "tin") + ", resources: {requests: {storage: '" + (1 + random.nextInt(2)) + "'}}}";
            case "ReplicationController" -> ", spec: {replicas: 0, selector: {app: no}, template: {metadata: {labels: "
                    + "{app: no}}, spec: {containers: [{name: app, image: 'app:1'}]}}}";
            case "Deployment" -> ", spec: {replicas: 0, selector: {matchLabels: {app: no}}, template: {metadata: "
                    + "{labels: {app: no}}, spec: {containers: [{name: app, image: 'app:1'}]}}}";
            default -> "";
        };
    }

    private String node() {
        int nodes = 2 + random.nextInt(3);
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= nodes; i++) {
            names.add("node-" + i);
            add("node: {name: node-%d, labels: {topology.kubernetes.io/zone: %s}}", i, any("a", "a", "b"));
        }
        String heartbeat = "heartbeat: [" + String.join(", ", names) + "]";
        add(heartbeat);
        for (int i = 1; i <= PODS; i++) {
            add(POD, "p" + i, "web", "nodeName: " + names.get(random.nextInt(nodes)) + ", tolerations: [" + any("",
                    "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 4}", "{key: a, operator: Exists}",
                    "{key: a, value: x, effect: NoExecute, tolerationSeconds: 9}",
                    "{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 3}",
                    "{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 3}")
                    + "]", "");
        }
        add(heartbeat);
        add("kubelet: {ready: ['p*']}");
        for (int count = 5 + random.nextInt(4); count > 0; count--) {
            String node = names.get(random.nextInt(nodes));
            switch (random.nextInt(8)) {
                case 0, 1 -> add("node: {name: %s, taints: [%s]}", node, any("", "{key: a, effect: NoExecute}",
                        "{key: a, value: x, effect: NoExecute}", "{key: b, effect: NoSchedule}",
                        "{key: a, value: x, effect: NoExecute}, {key: b, effect: NoExecute}"));
                case 2, 3 -> add("node: {name: %s, ready: %s}", node, any("true", "false"));
                case 4 -> add("node: {name: %s, unschedulable: %s}", node, any("true", "false"));
                case 5 -> add("kubelet: {end: ['p*']}");
                case 6 -> add("node: {name: %s, absent: true}", node);
                default -> add("patch: {kind: Node, name: %s, body: {metadata: {labels: {topology.kubernetes.io/zone: "
                        + "%s}}}}", node, any("a", "b"));
            }
            add("heartbeat: [%s]", String.join(", ", random.nextInt(4) > 0 ? names : names.subList(1, nodes)));
            add("wait: %ds", 2 + random.nextInt(4));
        }
        add("kubelet: {end: ['p*']}");
        add("wait: 6s");
        // The idle time is longer than the period in which the real controller looks at the nodes.
        return """
                idle: 1500ms
                controllers: [node-lifecycle-controller, taint-eviction-controller, ttl-controller]
                options: {node-monitor-period: 1s, node-monitor-grace-period: 20s, node-startup-grace-period: 10s, \
                node-eviction-rate: "100"}
                chance:
                  "Pod/.*/labels/topology.kubernetes.io/zone": kube-apiserver copies the zone of a node to its pods
                  "Node/.*/spec/taints/[01]/effect": the real manager adds the taints of both effects at the same time
                """;
    }
}
