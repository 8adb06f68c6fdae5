package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Tables;
import dev.wheelhouse.apiserver.protocol.Tables.IncludeObject;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.ResourceInfo;

import static dev.wheelhouse.apiserver.table.TableTesting.cells;
import static dev.wheelhouse.apiserver.table.TableTesting.columns;
import static dev.wheelhouse.apiserver.table.TableTesting.object;
import static dev.wheelhouse.apiserver.table.TableTesting.table;
import static org.assertj.core.api.Assertions.assertThat;

class TablesTest {
    private static final String TEMPLATE = "template: {spec: {containers: [{name: 'a', image: 'i:1'}, {name: 'b', "
            + "image: 'j:2'}]}}";

    static Stream<Arguments> rows() {
        return Stream.of(
                row("apps/v1/deployments",
                        "spec: {replicas: 3, selector: {matchLabels: {app: 'web'}, matchExpressions: [{key: 'a', "
                                + "operator: 'In', "
                                + "values: ['y', 'x']}, {key: 'z', operator: 'DoesNotExist'}]}, " + TEMPLATE + "}, "
                                + "status: {readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1}",
                        "x", "1/3", 2L, 1L, "3m", "a,b", "i:1,j:2", "a in (x,y),app=web,!z"),
                row("apps/v1/replicasets",
                        "spec: {replicas: 3, selector: {}, " + TEMPLATE
                                + "}, status: {replicas: 2, readyReplicas: 1}",
                        "x", 3L, 2L, 1L, "3m", "a,b", "i:1,j:2", "<none>"),
                row("v1/replicationcontrollers",
                        "spec: {replicas: 1, selector: {app: 'web', b: 'c'}, " + TEMPLATE + "}",
                        "x", 1L, 0L, 0L, "3m", "a,b", "i:1,j:2", "app=web,b=c"),
                row("apps/v1/statefulsets", "spec: {replicas: 2, " + TEMPLATE + "}, status: {readyReplicas: 2}", "x",
                        "2/2", "3m", "a,b", "i:1,j:2"),
                row("apps/v1/daemonsets",
                        "spec: {selector: {matchLabels: {a: 'b'}}, template: {spec: {nodeSelector: {disk: 'ssd'}}}},"
                                + " status: "
                                + "{desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, "
                                + "updatedNumberScheduled: 2, numberAvailable: 1}",
                        "x", 5L, 4L, 3L, 2L, 1L, "disk=ssd", "3m", "", "", "a=b"),
                row("apps/v1/controllerrevisions",
                        "revision: 7, metadata: {name: 'x', ownerReferences: [{apiVersion: 'apps/v1', kind: "
                                + "'DaemonSet', "
                                + "name: 'd', controller: true}]}",
                        "x", "daemonset.apps/d", 7L, "<unknown>"),
                row("batch/v1/jobs",
                        "spec: {completions: 3, " + TEMPLATE
                                + "}, status: {succeeded: 1, startTime: '2026-03-01T11:59:00Z'}",
                        "x", "Running", "1/3", "60s", "3m", "a,b", "i:1,j:2", "<none>"),
                row("batch/v1/jobs",
                        "spec: {parallelism: 4}, status: {conditions: [{type: 'Complete', status: 'True'}], startTime: "
                                + "'2026-03-01T11:59:00Z', completionTime: '2026-03-01T11:59:05Z'}",
                        "x", "Complete", "0/1 of 4", "5s", "3m", "", "", "<none>"),
                row("batch/v1/cronjobs",
                        "spec: {schedule: '*/5 * * * *', suspend: false, jobTemplate: {spec: {" + TEMPLATE
                                + "}}}, status: {active: [{}], lastScheduleTime: '2026-03-01T11:58:00Z'}",
                        "x", "*/5 * * * *", "<none>", "False", 1L, "2m", "3m", "a,b", "i:1,j:2", "<none>"),
                row("v1/services",
                        "spec: {type: 'ClusterIP', clusterIP: '10.1.0.9', clusterIPs: ['10.1.0.9'], ports: [{port: 80, "
                                + "protocol: 'TCP'}, {port: 53, protocol: 'UDP', nodePort: 30053}], selector: {app: "
                                + "'web'}}",
                        "x", "ClusterIP", "10.1.0.9", "<none>", "80/TCP,53:30053/UDP", "3m", "app=web"),
                row("v1/services", "spec: {type: 'LoadBalancer', clusterIP: 'None'}", "x", "LoadBalancer", "None",
                        "<pending>", "<none>", "3m", "<none>"),
                row("v1/services",
                        "spec: {type: 'LoadBalancer', externalIPs: ['9.9.9.9']}, status: {loadBalancer: {ingress: "
                                + "[{ip: '2.2.2.2'}, {hostname: 'h.example'}]}}",
                        "x", "LoadBalancer", "<none>", "2.2.2.2,h.example,9.9.9.9", "<none>", "3m", "<none>"),
                row("v1/services", "spec: {type: 'ExternalName', externalName: 'db.example'}", "x", "ExternalName",
                        "<none>", "db.example", "<none>", "3m", "<none>"),
                row("v1/endpoints",
                        "subsets: [{addresses: [{ip: '1.1.1.1'}, {ip: 'fd::2'}], ports: [{port: 80}, {port: 81}]}]",
                        "x",
                        "1.1.1.1:80,[fd::2]:80,1.1.1.1:81 + 1 more...", "3m"),
                row("v1/endpoints", "subsets: []", "x", "<none>", "3m"),
                row("discovery.k8s.io/v1/endpointslices",
                        "addressType: 'IPv4', ports: [{port: 80}, {name: 'n'}, {}], endpoints: [{addresses: ['1', "
                                + "'2']}, "
                                + "{addresses: ['3', '4', '5']}]",
                        "x", "IPv4", "80,n,*", "1,2,3 + 2 more...", "3m"),
                row("v1/nodes",
                        "metadata: {name: 'x', labels: {'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': "
                                + "'edge'}}, "
                                + "spec: {unschedulable: true}, status: {conditions: [{type: 'Ready', status: "
                                + "'True'}], "
                                + "addresses: [{type: 'InternalIP', address: '10.0.0.1'}], nodeInfo: "
                                + "{kubeletVersion: 'v1.36.0', "
                                + "osImage: 'OS', kernelVersion: '6.1', architecture: 'amd64'}}",
                        "x", "Ready,SchedulingDisabled", "edge,worker", "<unknown>", "v1.36.0", "10.0.0.1", "<none>",
                        "OS", "6.1 (amd64)", "<unknown>"),
                row("v1/nodes", "status: {conditions: [{type: 'Ready', status: 'Unknown'}]}", "x", "NotReady", "<none>",
                        "3m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"),
                row("v1/namespaces", "status: {phase: 'Active'}", "x", "Active", "3m"),
                row("v1/configmaps", "data: {a: '1', b: '2'}, binaryData: {c: 'eA=='}", "x", 3L, "3m"),
                row("v1/secrets", "type: 'Opaque', data: {a: 'eA=='}", "x", "Opaque", 1L, "3m"),
                row("v1/serviceaccounts", "secrets: []", "x", "3m"),
                row("v1/resourcequotas",
                        "status: {hard: {pods: '10', 'requests.cpu': '4', 'limits.cpu': '8'}, used: {pods: '3', "
                                + "'limits.cpu': '500m'}}",
                        "x", "pods: 3/10, requests.cpu: 0/4", "limits.cpu: 500m/8", "3m"),
                row("v1/limitranges", "spec: {limits: []}", "x", "2026-03-01T11:57:00Z"),
                row("v1/podtemplates",
                        "template: {metadata: {labels: {a: 'b'}}, spec: {containers: [{name: 'c', image: 'i'}]}}",
                        "x", "c", "i", "a=b"),
                row("v1/persistentvolumes",
                        "spec: {capacity: {storage: '8Gi'}, accessModes: ['ReadWriteMany', 'ReadWriteOnce'], "
                                + "persistentVolumeReclaimPolicy: 'Retain', claimRef: {namespace: 'n', name: 'c'}, "
                                + "storageClassName: 'fast', volumeMode: 'Filesystem'}, status: {phase: 'Bound'}",
                        "x", "8Gi", "RWO,RWX", "Retain", "Bound", "n/c", "fast", "<unset>", "", "3m", "Filesystem"),
                row("v1/persistentvolumeclaims",
                        "spec: {volumeName: 'v', storageClassName: 'fast', volumeMode: 'Filesystem'}, status: {phase: "
                                + "'Bound', capacity: {storage: '8Gi'}, accessModes: ['ReadWriteOncePod']}",
                        "x", "Bound", "v", "8Gi", "RWOP", "fast", "<unset>", "3m", "Filesystem"),
                row("v1/persistentvolumeclaims", "spec: {}, status: {phase: 'Pending'}", "x", "Pending", "", "", "", "",
                        "<unset>", "3m", "<unset>"),
                row("storage.k8s.io/v1/storageclasses",
                        "provisioner: 'p', metadata: {name: 'x', annotations: "
                                + "{'storageclass.kubernetes.io/is-default-class': 'true'}}",
                        "x (default)", "p", "Delete", "Immediate", false, "<unknown>"),
                row("storage.k8s.io/v1/csidrivers", "spec: {tokenRequests: [{audience: 'a'}, {audience: 'b'}]}", "x",
                        true,
                        false, false, "a,b", false, "<none>", "3m"),
                row("storage.k8s.io/v1/volumeattachments",
                        "spec: {attacher: 'a', nodeName: 'n', source: {persistentVolumeName: 'v'}}, status: "
                                + "{attached: true}",
                        "x", "a", "v", "n", true, "3m"),
                row("networking.k8s.io/v1/ingresses",
                        "spec: {ingressClassName: 'nginx', rules: [{host: 'a'}, {host: 'b'}, {host: 'c'}, {host: "
                                + "'d'}], tls: [{}]}, "
                                + "status: {loadBalancer: {ingress: [{ip: '1.2.3.4'}]}}",
                        "x", "nginx", "a,b,c + 1 more...", "1.2.3.4", "80, 443", "3m"),
                row("networking.k8s.io/v1/ingresses", "spec: {}", "x", "<none>", "*", "", "80", "3m"),
                row("networking.k8s.io/v1/ingressclasses",
                        "spec: {controller: 'c', parameters: {apiGroup: 'g.io', kind: 'P', name: 'p'}}", "x", "c",
                        "P.g.io/p", "3m"),
                row("networking.k8s.io/v1/networkpolicies", "spec: {podSelector: {matchLabels: {a: 'b'}}}", "x", "a=b",
                        "3m"),
                row("autoscaling/v2/horizontalpodautoscalers",
                        "spec: {scaleTargetRef: {kind: 'Deployment', name: 'web'}, minReplicas: 2, maxReplicas: 9, "
                                + "metrics: "
                                + "[{type: 'Resource', resource: {name: 'cpu', target: {averageUtilization: 80}}}, "
                                + "{type: 'Pods', pods: {target: {averageValue: '10'}}}, {type: 'Odd'}]}, status: "
                                + "{currentReplicas: 3, currentMetrics: [{resource: {current: {averageUtilization: "
                                + "41}}}]}",
                        "x", "Deployment/web", "cpu: 41%/80%, <unknown>/10 + 1 more...", "2", 9L, 3L, "3m"),
                row("autoscaling/v1/horizontalpodautoscalers",
                        "spec: {scaleTargetRef: {kind: 'Deployment', name: 'web'}, maxReplicas: 9, "
                                + "targetCPUUtilizationPercentage: 70}",
                        "x", "Deployment/web", "cpu: <unknown>/70%", "<unset>", 9L, 0L, "3m"),
                row("policy/v1/poddisruptionbudgets", "spec: {maxUnavailable: '25%'}, status: {disruptionsAllowed: 1}",
                        "x",
                        "N/A", "25%", 1L, "3m"),
                row("policy/v1/poddisruptionbudgets", "spec: {minAvailable: 2}", "x", "2", "N/A", 0L, "3m"),
                row("scheduling.k8s.io/v1/priorityclasses", "value: 1000, preemptionPolicy: 'Never'", "x", 1000L, false,
                        "3m", "Never"),
                row("coordination.k8s.io/v1/leases", "spec: {holderIdentity: 'me'}", "x", "me", "3m"),
                row("rbac.authorization.k8s.io/v1/rolebindings",
                        "roleRef: {kind: 'Role', name: 'r'}, subjects: [{kind: 'User', name: 'u'}, {kind: 'User', "
                                + "name: 'v'}, "
                                + "{kind: 'Group', name: 'g'}, {kind: 'ServiceAccount', namespace: 'n', name: 's'}]",
                        "x", "Role/r", "3m", "u, v", "g", "n/s"),
                row("rbac.authorization.k8s.io/v1/clusterroles", "rules: []", "x", "2026-03-01T11:57:00Z"),
                row("certificates.k8s.io/v1/certificatesigningrequests",
                        "spec: {signerName: 's', username: 'u', expirationSeconds: 7200}, status: {certificate: 'x', "
                                + "conditions: [{type: 'Approved'}]}",
                        "x", "3m", "s", "u", "120m", "Approved,Issued"),
                row("admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "webhooks: [{}, {}]", "x", 2L,
                        "3m"),
                row("admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
                        "spec: {policyName: 'p', paramRef: {name: 'c'}}", "x", "p", "*/c", "3m"),
                row("node.k8s.io/v1/runtimeclasses", "handler: 'h'", "x", "h", "3m"),
                row("apiextensions.k8s.io/v1/customresourcedefinitions", "spec: {}", "x", "2026-03-01T11:57:00Z"),
                row("apiregistration.k8s.io/v1/apiservices",
                        "spec: {}, status: {conditions: [{type: 'Available', status: 'False', reason: 'Gone'}]}", "x",
                        "Local", "False (Gone)", "3m"),
                row("flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
                        "spec: {type: 'Limited', limited: {nominalConcurrencyShares: 5}}", "x", "Limited", 5L, "<none>",
                        "<none>", "<none>", "3m"),
                row("v1/events",
                        "type: 'Normal', reason: 'Created', message: ' made it\\n', involvedObject: {kind: 'Pod', "
                                + "name: 'p', "
                                + "fieldPath: 'spec.x'}, source: {component: 'kubelet', host: 'n1'}, firstTimestamp: "
                                + "'2026-03-01T11:50:00Z', lastTimestamp: '2026-03-01T11:59:00Z', count: 4",
                        "60s", "Normal", "Created", "pod/p", "spec.x", "kubelet, n1", "made it", "10m", 4L, "x"),
                row("v1/events",
                        "eventTime: '2026-03-01T11:59:00.123456Z', involvedObject: {kind: 'Node'}, "
                                + "reportingComponent: 'c'",
                        "59s", "", "", "node", "", "c", "", "59s", 1L, "x"),
                row("events.k8s.io/v1/events",
                        "type: 'Warning', reason: 'R', note: 'm', regarding: {kind: 'Pod', name: 'p'}, "
                                + "reportingController: 'c', "
                                + "reportingInstance: 'i', eventTime: '2026-03-01T11:50:00.000000Z', series: "
                                + "{count: 7, "
                                + "lastObservedTime: '2026-03-01T11:59:50.000000Z'}",
                        "10s", "Warning", "R", "pod/p", "", "c, i", "m", "10m", 7L, "x"));
    }

    private static Arguments row(String resource, String json, Object... cells) {
        return Arguments.of(resource, json, List.of(cells));
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("rows")
    void aRowSaysWhatUpstreamsPrinterSays(String resource, String json, List<Object> cells) {
        assertThat(cells(resource, json)).isEqualTo(cells);
    }

    @Test
    void aTableHasItsListsMetadataAndTheColumnsThatKubectlExpects() {
        var meta = Json.object().put("resourceVersion", "42").put("continue", "abc");

        var table = Tables.table(TableTesting.resource("apps/v1/deployments"), List.of(), IncludeObject.METADATA, true,
                meta, TableTesting.NOW);

        assertThat(table.get("kind").asString()).isEqualTo("Table");
        assertThat(table.get("apiVersion").asString()).isEqualTo("meta.k8s.io/v1");
        assertThat(table.get("metadata")).isEqualTo(meta);
        assertThat(table.get("rows").isArray()).isTrue();
        assertThat(table.at("/columnDefinitions/0/format").asString()).isEqualTo("name");
        assertThat(columns("apps/v1/deployments")).containsExactly("Name", "Ready", "Up-to-date", "Available", "Age",
                "(Containers)", "(Images)", "(Selector)");
    }

    @Test
    void aRowCarriesAsMuchOfItsObjectAsWasAskedFor() {
        var map = object("data: {a: 'b'}");

        assertThat(table("v1/configmaps", IncludeObject.NONE, map).at("/rows/0/object").isNull()).isTrue();
        var partial = table("v1/configmaps", IncludeObject.METADATA, map).at("/rows/0/object");
        assertThat(partial.get("kind").asString()).isEqualTo("PartialObjectMetadata");
        assertThat(partial.get("apiVersion").asString()).isEqualTo("meta.k8s.io/v1");
        assertThat(partial.at("/metadata/name").asString()).isEqualTo("x");
        assertThat(partial.has("data")).isFalse();
        var whole = table("v1/configmaps", IncludeObject.OBJECT, map).at("/rows/0/object");
        assertThat(whole.get("kind").asString()).isEqualTo("ConfigMap");
        assertThat(whole.at("/data/a").asString()).isEqualTo("b");
    }

    @Test
    void laterEventsOfAWatchComeWithoutColumnDefinitions() {
        var table = Tables.table(TableTesting.resource("v1/configmaps"), List.of(object("data: {}")),
                IncludeObject.NONE, false, Json.object(), TableTesting.NOW);

        assertThat(table.get("columnDefinitions").isNull()).isTrue();
        assertThat(cells(table, 0)).containsExactly("x", 0L, "3m");
    }

    @Test
    void anOddObjectDoesNotBreakTheRowsOfTheOthers() {
        var odd = object("metadata: 'no', spec: {containers: 5, initContainers: [3]}, status: {containerStatuses: {}, "
                + "initContainerStatuses: [null, 'x'], conditions: [[]]}");
        var table = table("v1/pods", IncludeObject.METADATA, odd, object("status: {phase: 'Running'}"));

        assertThat(cells(table, 0)).hasSize(9);
        assertThat(cells(table, 1)).startsWith("x", "0/0", "Running", "0", "3m");
    }

    @Test
    void everyKindsTableHasACellForEachColumnEvenOfAnEmptyObject() {
        for (ResourceInfo resource : ResourceRegistry.builtIn().all()) {
            var table = Tables.table(resource, List.of(Json.object()), IncludeObject.NONE, true, Json.object(),
                    TableTesting.NOW);
            assertThat(cells(table, 0)).as(resource.toString()).hasSameSizeAs(table.get("columnDefinitions"))
                    .doesNotContain("<invalid>");
        }
    }

    @Test
    void theScaleOfADeploymentHasColumnsOfItsOwn() {
        var table = table("apps/v1/deployments", IncludeObject.NONE,
                object("kind: 'Scale', spec: {replicas: 3}, status: {replicas: 2}"));

        assertThat(cells(table, 0)).containsExactly("x", 3L, 2L, "3m");
    }

    @Test
    void customResourcesShowNameAndAge() {
        var custom = new BuiltInResource(new ResourceType("orders.shop.k8s.io", "v1", "orders", "Order", true), "order",
                List.of(), List.of(), Set.of("get"), List.of());
        var table = Tables.table(custom, List.of(object("spec: {}")), IncludeObject.NONE, true, Json.object(),
                TableTesting.NOW);

        assertThat(cells(table, 0)).containsExactly("x", "3m");
    }
}
