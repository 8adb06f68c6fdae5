package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.runtime.SafeYaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The rights of a node, by the stored objects (upstream: {@code node_authorizer_test.go}). */
class NodeAuthorizerTest {
    private static final User NODE_A = User.ofNode("a");
    private static final String UNRELATED = "no relationship found between node 'a' and this object";

    private final ObjectStore store = new ObjectStore(new ManualClock(), Retention.standard(), Storage.inMemory());
    private final NodeAuthorizer nodes = new NodeAuthorizer(store);

    @BeforeEach
    void storePods() {
        for (String node : List.of("a", "b")) {
            create("pods", """
                    metadata: {namespace: ns, name: pod-%1$s}
                    spec:
                      nodeName: %1$s
                      serviceAccountName: account-%1$s
                      imagePullSecrets: [{name: pull-%1$s}]
                      initContainers: [{name: i, envFrom: [{configMapRef: {name: from-%1$s}}]}]
                      containers:
                      - {name: c, env: [{name: X, valueFrom: {secretKeyRef: {name: env-%1$s, key: k}}}]}
                      - {name: d, env: [{name: X, valueFrom: {configMapKeyRef: {name: map-%1$s, key: k}}}]}
                      volumes:
                      - {name: s, secret: {secretName: shared}}
                      - {name: p, projected: {sources: [{configMap: {name: root-%1$s}}]}}
                      - {name: v, persistentVolumeClaim: {claimName: claim-%1$s}}
                      - {name: e, ephemeral: {volumeClaimTemplate: {}}}
                      resourceClaims: [{name: x, resourceClaimName: device-%1$s}, {name: y}]
                    status: {resourceClaimStatuses: [{name: y, resourceClaimName: made-%1$s}]}
                    """.formatted(node));
            create("persistentvolumeclaims",
                    "{metadata: {namespace: ns, name: claim-%1$s}, spec: {volumeName: volume-%1$s}}".formatted(node));
            create("persistentvolumes", """
                    metadata: {name: volume-%1$s}
                    spec:
                      claimRef: {namespace: ns, name: claim-%1$s}
                      csi:
                        nodeStageSecretRef: {namespace: csi, name: stage-%1$s}
                        controllerPublishSecretRef: {namespace: csi, name: publish-%1$s}
                    """.formatted(node));
            create("volumeattachments.storage.k8s.io",
                    "{metadata: {name: attachment-%1$s}, spec: {nodeName: %1$s}}".formatted(node));
            create("resourceslices.resource.k8s.io",
                    "{metadata: {name: slice-%1$s}, spec: {nodeName: %1$s}}".formatted(node));
        }
        create("persistentvolumes", """
                metadata: {name: stolen}
                spec: {claimRef: {namespace: ns, name: claim-b}, rbd: {secretRef: {name: of-claims-namespace}}}
                """);
        create("pods", """
                metadata: {namespace: ns, name: mirror-a, annotations: {kubernetes.io/config.mirror: x}}
                spec: {nodeName: a, volumes: [{name: s, secret: {secretName: of-mirror}}]}
                """);
    }

    private void create(String resource, String yaml) {
        store.create(resource, (ObjectNode) Json
                .read(ModelJson.tree(SafeYaml.load(yaml.getBytes(StandardCharsets.UTF_8))).toString()));
    }

    private String asked(User user, String verb, String resource, String namespace, String name, String selector) {
        String[] parts = resource.split("/");
        int dot = parts[0].indexOf('.');
        AuthorizationDecision decision = nodes.authorize(user, new RequestInfo(true, "", verb,
                dot < 0 ? "" : parts[0].substring(dot + 1), "v1", namespace,
                dot < 0 ? parts[0] : parts[0].substring(0, dot), parts.length > 1 ? parts[1] : "", name,
                FieldSelector.parse(selector)));
        return decision.allowed() ? "yes" : "no: " + decision.reason();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "", textBlock = """
            get | secrets | ns | env-a | | yes
            list | secrets | ns | pull-a | | yes
            watch | secrets | ns | shared | | yes
            get | secrets | csi | stage-a | | yes
            get | secrets | csi | publish-a | | unrelated
            get | secrets | csi | stage-b | | unrelated
            get | secrets | ns | of-mirror | | unrelated
            get | secrets | ns | env-b | | unrelated
            get | secrets | other | env-a | | unrelated
            get | secrets | ns | of-claims-namespace | | unrelated
            list | secrets | ns | - | | no: No Object name found
            list | secrets | - | env-a | | no: can only read namespaced object of this type
            update | secrets | ns | env-a | | no: can only read resources of this type
            get | configmaps | ns | from-a | | yes
            get | configmaps | ns | map-a | | yes
            watch | configmaps | ns | root-a | | yes
            get | configmaps | ns | map-b | | unrelated
            get | persistentvolumeclaims | ns | claim-a | | yes
            get | persistentvolumeclaims | ns | pod-a-e | | yes
            get | persistentvolumeclaims | ns | claim-b | | unrelated
            list | persistentvolumeclaims | ns | claim-a | | no: can only get individual resources of this type
            patch | persistentvolumeclaims/status | ns | claim-a | | yes
            get | persistentvolumeclaims/status | ns | claim-a | | no: can only get/update/patch this type
            get | persistentvolumes | - | volume-a | | yes
            get | persistentvolumes | - | volume-b | | unrelated
            get | resourceclaims.resource.k8s.io | ns | device-a | | yes
            get | resourceclaims.resource.k8s.io | ns | made-a | | yes
            get | resourceclaims.resource.k8s.io | ns | device-b | | unrelated
            get | volumeattachments.storage.k8s.io | - | attachment-a | | yes
            get | volumeattachments.storage.k8s.io | - | attachment-b | | unrelated
            create | serviceaccounts/token | ns | account-a | | yes
            create | serviceaccounts/token | ns | account-b | | unrelated
            get | serviceaccounts | ns | account-a | | yes
            create | serviceaccounts | ns | account-a | | no: can only create token subresource of serviceaccount
            list | serviceaccounts | ns | account-a | | no: can only create tokens for individual service accounts
            get | leases.coordination.k8s.io | kube-node-lease | a | | yes
            create | leases.coordination.k8s.io | kube-node-lease | - | | yes
            update|leases.coordination.k8s.io|kube-node-lease|b||no: can only access node lease with the same name …
            get|leases.coordination.k8s.io|ns|a||no: can only access leases in the "kube-node-lease" system namespace
            list|leases.coordination.k8s.io|kube-node-lease|-||no: can only get, create, …
            delete | csinodes.storage.k8s.io | - | a | | yes
            get|csinodes.storage.k8s.io|-|b||no: can only access CSINode with the same name as the requesting node
            get | csinodes.storage.k8s.io/x | - | a | | no: cannot authorize CSINode subresources
            watch | csinodes.storage.k8s.io | - | - | | no: can only get, create, update, patch, or delete a CSINode
            create | resourceslices.resource.k8s.io | - | - | | yes
            update | resourceslices.resource.k8s.io | - | slice-a | | yes
            update | resourceslices.resource.k8s.io | - | slice-b | | unrelated
            deletecollection | resourceslices.resource.k8s.io | - | - | spec.nodeName=a | yes
            list|resourceslices.resource.k8s.io|-|-|spec.nodeName=b|no: can only list/watch/deletecollection …
            get | nodes | - | a | | yes
            get | nodes | - | b | | no: node 'a' cannot read 'b', only its own Node object
            list | nodes | - | - | | no: node 'a' cannot read all nodes, only its own Node object
            patch | nodes | - | b | | yes
            delete | nodes | - | a | | no:
            patch | nodes/status | - | a | | yes
            get | nodes/proxy | - | a | | no:
            list | pods | - | - | spec.nodeName=a | yes
            watch | pods | - | - | spec.nodeName=a,status.phase!=Failed | yes
            list | pods | - | - | spec.nodeName=b | no: can only list/watch pods with spec.nodeName field selector
            list | pods | - | - | spec.nodeName!=a | no: can only list/watch pods with spec.nodeName field selector
            watch | pods | ns | pod-a | | yes
            get | pods | ns | pod-a | | yes
            get | pods | ns | pod-b | | unrelated
            create | pods | ns | - | | yes
            update | pods | ns | pod-a | | no:
            patch | pods/status | ns | pod-b | | yes
            create | pods/eviction | ns | pod-b | | yes
            create | pods/exec | ns | pod-a | | no:
            list | services | - | - | | yes
            create | events | ns | - | | yes
            create | certificatesigningrequests.certificates.k8s.io | - | - | | yes
            create | podcertificaterequests.certificates.k8s.io | ns | - | | no:
            list | deployments.apps | ns | - | | no:
            """)
    void aNodeReadsWhatItsPodsNameAndItsOwnObjects(String verb, String resource, String namespace, String name,
            String selector, String answer) {
        String told = asked(NODE_A, verb, resource, namespace.replaceFirst("^-$", ""), name.replaceFirst("^-$", ""),
                selector == null ? "" : selector);
        assertThat(answer.endsWith("…") ? told.substring(0, Math.min(told.length(), answer.length() - 1)) + "…" : told)
                .isEqualTo(answer.replaceFirst("^unrelated$", "no: " + UNRELATED).replaceFirst("^no:$", "no: "));
    }

    @Test
    void aRightBeginsAndEndsWithThePod() {
        String later = """
                metadata: {namespace: ns, name: later}
                spec: {volumes: [{name: s, secret: {secretName: l}}]}
                """;
        assertThat(asked(NODE_A, "get", "secrets", "ns", "l", "")).startsWith("no");
        create("pods", later);
        assertThat(asked(NODE_A, "get", "secrets", "ns", "l", "")).startsWith("no");
        store.guaranteedUpdate("pods", "ns", "later", pod -> {
            Json.child(pod, "spec").put("nodeName", "a");
            return true;
        });
        assertThat(asked(NODE_A, "get", "secrets", "ns", "l", "")).isEqualTo("yes");
        assertThat(asked(User.ofNode("b"), "get", "secrets", "ns", "l", "")).startsWith("no");
        store.compact();
        store.delete("pods", "ns", "later", store.get("pods", "ns", "later").version());
        store.compact();
        assertThat(asked(NODE_A, "get", "secrets", "ns", "l", "")).startsWith("no");
        assertThat(asked(NODE_A, "get", "secrets", "ns", "env-a", "")).isEqualTo("yes");
    }

    @Test
    void onlyMembersOfTheGroupOfNodesAreNodes() {
        User alone = new User("system:node:a", "", List.of("system:authenticated"), Map.of());
        assertThat(asked(alone, "get", "nodes", "", "a", "")).isEqualTo("no: ");
        assertThat(asked(User.ofNode(""), "get", "nodes", "", "a", ""))
                .isEqualTo("no: unknown node for user \"system:node:\"");
    }

    @Test
    void rolesGiveNodesFurtherRightsAndBothReasonsAreTold() {
        AuthorizerChain both = new AuthorizerChain(List.of(nodes, new Authorizer() {
            @Override
            public AuthorizationDecision authorize(User user, RequestInfo request) {
                return new AuthorizationDecision(request.name().equals("env-b"), "RBAC: a reason");
            }

            @Override
            public List<PolicyRule> rules(User user, String namespace) {
                return PolicyRule.EVERYTHING;
            }
        }));
        RequestInfo of = RequestInfo.ofResource("get", "", "secrets", "", "ns", "env-b");
        assertThat(both.authorize(NODE_A, of).allowed()).isTrue();
        assertThat(both.authorize(NODE_A, RequestInfo.ofResource("get", "", "secrets", "", "ns", "pull-b")).reason())
                .isEqualTo(UNRELATED + "\nRBAC: a reason");
    }
}
