package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The writes that a node may make, by requests of the node {@code a} to a server that otherwise allows
 * everything (upstream: {@code noderestriction/admission_test.go}).
 */
class NodeRestrictionTest {
    private static final String V1 = "/api/v1/";
    private static final String NS = V1 + "namespaces/default/";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/";
    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";
    private static final String REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    private static final String MIRROR = """
            metadata:
              name: static-a
              annotations: {kubernetes.io/config.mirror: x, kubernetes.io/config.hash: x}
              ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: OWN-UID, controller: true}]
            spec: {nodeName: a, containers: [{name: c, image: i}], tolerations: [{operator: Exists}]}
            """;

    private RestClient rest = new RestClient();
    private String uid = "";

    @BeforeEach
    void storeObjects() {
        for (String node : List.of("a", "b")) {
            rest.create(V1 + "nodes", "{metadata: {name: %s, labels: {example.com/a: b}}}".formatted(node));
            rest.create(NS + "pods", """
                    metadata: {name: pod-%1$s, labels: {app: web}}
                    spec:
                      nodeName: %1$s
                      serviceAccountName: default
                      containers: [{name: c, image: i}]
                      volumes:
                      - {name: t, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}
                      - {name: k, projected: {sources: [{serviceAccountToken: {path: k}}]}}
                      - {name: d, csi: {driver: d.example.com}}
                    """.formatted(node));
            rest.create(SLICES, """
                    metadata: {name: slice-%1$s}
                    spec: {driver: d.example.com, nodeName: %1$s, pool: {name: p, generation: 1, resourceSliceCount: 1}}
                    """.formatted(node));
        }
        rest.create(NS + "serviceaccounts", "{metadata: {name: default}}");
        rest.create("/apis/storage.k8s.io/v1/csidrivers",
                "{metadata: {name: d.example.com}, spec: {tokenRequests: [{audience: disks}]}}");
        rest.create(NS + "persistentvolumeclaims", """
                metadata: {name: claim}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
                """);
        uid = Json.text(rest.get(V1 + "nodes/a"), "metadata", "uid");
    }

    private String node(String method, String path, String yaml) {
        JsonNode answer = Json.read(rest.content(ApiRequest.of(method, path, method.equals("PATCH")
                ? "application/strategic-merge-patch+json"
                : "application/yaml", yaml.getBytes(StandardCharsets.UTF_8))
                .withCredentials(Credentials.of(User.ofNode("a")))).body());
        return Json.text(answer, "kind").equals("Status") && Json.text(answer, "status").equals("Failure")
                ? Json.text(answer, "message")
                : "yes";
    }

    private void assertNode(String method, String path, String yaml, String answer) {
        String told = node(method, path, yaml);
        assertThat(answer.endsWith("…") ? told.substring(0, Math.min(told.length(), answer.length() - 1)) + "…" : told)
                .as("%s %s %s", method, path, yaml).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name: static-a | name: static-a | yes
            config.mirror: x, | config.x: z, | pod does not have "kubernetes.io/config.mirror" annotation, ONLY …
            nodeName: a | nodeName: b | ONLY pods with spec.nodeName set to itself
            kind: Node | kind: Pod | ONLY pods with an owner reference set to itself
            name: a, uid | name: b, uid | ONLY pods with an owner reference set to itself
            controller: true | controller: false | ONLY pods with a controller owner reference set to itself
            true}] | true}, {apiVersion: v1, kind: Node, name: b, uid: z}] | ONLY pods with a single …
            true}] | true, blockOwnerDeletion: true}] | node "a" must not set blockOwnerDeletion on an owner reference
            uid: OWN-UID | uid: other | node a UID mismatch: expected other got OWN-UID
            image: i | image: i, envFrom: [{secretRef: {name: s}}] | CANNOT secrets
            image: i | image: i, envFrom: [{configMapRef: {name: s}}] | CANNOT configmaps
            nodeName: a | nodeName: a, serviceAccountName: s | CANNOT serviceaccounts
            nodeName: a | VOLUME persistentVolumeClaim: {claimName: c} | CANNOT persistentvolumeclaims
            nodeName: a | VOLUME csi: {driver: d} | CANNOT csidrivers
            nodeName: a | VOLUME projected: {sources: [{serviceAccountToken: {path: x}}]} | CANNOT serviceaccounts
            """)
    void aNodeCreatesMirrorPodsOfItsOwnThatNameNoObjects(String from, String to, String answer) {
        String wanted = answer.replace("ONLY", "node \"a\" can only create")
                .replace("CANNOT", "node \"a\" can not create pods that reference").replace("OWN-UID", uid);
        String pod = MIRROR.replace(from, to.replaceFirst("VOLUME (.*)", "nodeName: a, volumes: [{name: v, $1}]"));
        assertNode("POST", NS + "pods", pod.replace("OWN-UID", uid),
                wanted.equals("yes") ? wanted : "pods \"static-a\" is forbidden: " + wanted);
    }

    @Test
    void aNodeDeletesAndEvictsItsOwnPodsAndWritesTheirStatus() {
        String pod = "pods \"pod-b\" is forbidden: ";
        assertNode("DELETE", NS + "pods/pod-b", "",
                pod + "node \"a\" can only delete pods with spec.nodeName set to itself");
        assertNode("DELETE", NS + "pods/none", "", "pods \"none\" not found");
        assertNode("POST", NS + "pods/pod-b/eviction", "{metadata: {name: pod-b}}",
                pod + "node a can only evict pods with spec.nodeName set to itself");
        assertNode("PATCH", NS + "pods/pod-b/status", "{\"status\": {\"phase\": \"Failed\"}}",
                pod + "node \"a\" can only update pod status for pods with spec.nodeName set to itself");
        assertNode("PATCH", NS + "pods/pod-a/status", "{\"metadata\": {\"labels\": {\"app\": \"x\"}}}",
                "pods \"pod-a\" is forbidden: node \"a\" cannot update labels through pod status");
        assertNode("PATCH", NS + "pods/pod-a/status",
                "{\"status\": {\"resourceClaimStatuses\": [{\"name\": \"x\", \"resourceClaimName\": \"y\"}]}}",
                "pods \"pod-a\" is forbidden: node \"a\" cannot update resource claim statues");
        assertNode("PATCH", NS + "pods/pod-a", "{\"metadata\": {\"labels\": {\"app\": \"x\"}}}", "pods \"pod-a\" is "
                + "forbidden: unexpected operation \"UPDATE\", node \"a\" can only create and delete mirror pods");
        assertNode("POST", NS + "pods/pod-a/binding", "{metadata: {name: pod-a}, target: {name: a}}",
                "pods \"pod-a\" is forbidden: unexpected pod subresource \"binding\", only 'status' and 'eviction' are "
                        + "allowed");
        assertNode("POST", NS + "pods/pod-a/exec?command=id", "",
                "pods \"pod-a\" is forbidden: unexpected pod subresource \"exec\", only 'status' and 'eviction' are "
                        + "allowed");
        assertNode("PATCH", NS + "pods/pod-a/status", "{\"status\": {\"phase\": \"Running\"}}", "yes");
        assertNode("POST", NS + "pods/pod-a/eviction", "{metadata: {name: pod-a}}", "yes");
        assertNode("DELETE", NS + "pods/pod-a?gracePeriodSeconds=0", "", "yes");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    {"metadata": {"labels": {"x": "z", "example.com/c": "d", "kubernetes.io/arch": "arm64"}}} | yes
                    {"metadata": {"labels": {"x.node.kubernetes.io/y": "z", "kubelet.kubernetes.io/y": "z"}}} | yes
                    {"metadata": {"labels": {"node-restriction.kubernetes.io/x": "y"}}} | LABELS node-restriction.…
                    {"metadata": {"labels": {"node-role.kubernetes.io/x": ""}}} | LABELS node-role.kubernetes.io/x
                    {"metadata": {"labels": {"k8s.io/x": "y", "a.k8s.io/x": "y"}}} | LABELS a.k8s.io/x, k8s.io/x
                    {"spec": {"taints": [{"key": "x", "effect": "NoSchedule"}]}} | NOT taints
                    {"spec": {"taints": null}} | NOT taints
                    {"metadata": {"ownerReferences": [OWNER]}} | NOT ownerReferences
                    {"spec": {"podCIDR": "10.0.0.0/24"}} | yes
                    """)
    void aNodeChangesItsNodeButNothingThatSteersWorkloads(String patch, String answer) {
        assertNode("PATCH", V1 + "nodes/a",
                patch.replace("OWNER", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"name\": \"x\", \"uid\": \"z\"}"),
                answer.equals("yes")
                        ? answer
                        : "nodes \"a\" is forbidden: " + answer
                                .replace("LABELS", "is not allowed to modify labels:")
                                .replace("NOT", "node \"a\" is not allowed to modify"));
        assertNode("PATCH", V1 + "nodes/b", "{\"metadata\": {\"labels\": {\"x\": \"z\"}}}",
                "nodes \"b\" is forbidden: node \"a\" is not allowed to modify node \"b\"");
    }

    @Test
    void aNodeRegistersItselfAlone() {
        rest.delete(V1 + "nodes/a");
        assertNode("POST", V1 + "nodes", "{metadata: {name: c}}",
                "nodes \"c\" is forbidden: node \"a\" is not allowed to modify node \"c\"");
        assertNode("POST", V1 + "nodes", "{metadata: {name: a, labels: {node-role.kubernetes.io/control-plane: ''}}}",
                "nodes \"a\" is forbidden: node \"a\" is not allowed to set the following labels: "
                        + "node-role.kubernetes.io/control-plane");
        assertNode("POST", V1 + "nodes",
                "{metadata: {name: a, labels: {a: b}}, spec: {taints: [{key: x, effect: NoSchedule}]}}", "yes");
        assertNode("PATCH", V1 + "nodes/a/status",
                "{\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}}", "yes");
    }

    @Test
    void aNodeWritesLeasesCsiNodesAndSlicesOfItsOwn() {
        String name = " with the same name as the requesting node";
        assertNode("POST", LEASES + "kube-node-lease/leases", "{metadata: {name: a}}", "yes");
        assertNode("POST", LEASES + "kube-node-lease/leases", "{metadata: {name: b}}",
                "leases.coordination.k8s.io \"b\" is forbidden: can only access node lease" + name);
        assertNode("POST", LEASES + "default/leases", "{metadata: {name: a}}", "leases.coordination.k8s.io \"a\" is "
                + "forbidden: can only access leases in the \"kube-node-lease\" system namespace");
        assertNode("POST", "/apis/storage.k8s.io/v1/csinodes", "{metadata: {name: b}, spec: {drivers: []}}",
                "csinodes.storage.k8s.io \"b\" is forbidden: can only access CSINode" + name);
        assertNode("POST", "/apis/storage.k8s.io/v1/csinodes", "{metadata: {name: a}, spec: {drivers: []}}", "yes");
        String slice = "resourceslices.resource.k8s.io \"%s\" is forbidden: can only %s ResourceSlice with the same "
                + "NodeName as the requesting node";
        assertNode("POST", SLICES, "{metadata: {name: x}, spec: {driver: d, nodeName: b}}",
                slice.formatted("x", "create"));
        assertNode("DELETE", SLICES + "/slice-b", "", slice.formatted("slice-b", "delete"));
        assertNode("DELETE", SLICES + "/slice-a", "", "yes");
        assertNode("DELETE", SLICES + "?fieldSelector=spec.nodeName=b", "", slice.formatted("", "delete"));
    }

    @Test
    void aNodeReportsTheSizeOfAClaimAndNothingElse() {
        String claim = NS + "persistentvolumeclaims/claim";
        String problem = "persistentvolumeclaims \"claim\" is forbidden: ";
        assertNode("PATCH", claim, "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}",
                problem + "may only update PVC status");
        assertNode("PATCH", claim + "/status", "{\"status\": {\"phase\": \"Bound\"}}", problem + "node \"a\" is not "
                + "allowed to update fields other than status.quantity and status.conditions");
        assertNode("PATCH", claim + "/status", "{\"status\": {\"capacity\": {\"storage\": \"2Gi\"}}}", "yes");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            pod-a | UID | | yes
            pod-a | UID | vault | yes
            pod-a | UID | disks | yes
            pod-a | UID | other | audience "other" not found in pod spec volume, system:node:a is not authorized to …
            pod-a | UID | vault, disks | node may only request 0 or 1 audiences
            pod-b | UID | | node requested token bound to a pod scheduled on a different node
            pod-a | x | | the UID in the bound object reference (x) does not match the UID in record. …
            pod-a | '' | | node requested token with a pod binding without a uid
            '' | x | | node requested token not bound to a pod
            """)
    void aNodeGetsTokensForItsOwnPods(String pod, String given, String audiences, String answer) {
        // A server that allows everything allows other audiences, too.
        rest = new RestClient(Security.of(AuthorizationMode.RBAC, Map.of(), ServerKeys.inMemory()));
        storeObjects();
        String wanted = given.replace("UID", Json.text(rest.get(NS + "pods/" + pod), "metadata", "uid"));
        assertNode("POST", NS + "serviceaccounts/default/token", """
                apiVersion: authentication.k8s.io/v1
                kind: TokenRequest
                spec: {audiences: [%s], boundObjectRef: {apiVersion: v1, kind: Pod, name: '%s', uid: '%s'}}
                """.formatted(audiences == null ? "" : audiences, pod, wanted), answer.equals("yes")
                ? answer
                : "serviceaccounts \"default\" is forbidden: " + answer);
    }

    @Test
    void aNodeRequestsCertificatesOfItsOwnNameAlone() {
        KeyPair keys = Keys.newPair();
        for (String name : List.of("a", "b")) {
            String pem = CertificateRequest.create(keys, "CN=system:node:" + name + ",O=system:nodes");
            assertNode("POST", REQUESTS, """
                    metadata: {name: for-%s}
                    spec: {signerName: kubernetes.io/kube-apiserver-client-kubelet, usages: [client auth], request: %s}
                    """.formatted(name, Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8))),
                    name.equals("a")
                            ? "yes"
                            : "certificatesigningrequests.certificates.k8s.io \"for-b\" is forbidden: "
                                    + "can only create a node CSR with CN=system:node:a");
        }
    }

    @Test
    void othersAreNotLimited() {
        assertThat(rest.merge(V1 + "nodes/a", "{\"metadata\": {\"labels\": {\"node-role.kubernetes.io/x\": \"\"}}}")
                .path("metadata").path("labels").has("node-role.kubernetes.io/x")).isTrue();
    }
}
