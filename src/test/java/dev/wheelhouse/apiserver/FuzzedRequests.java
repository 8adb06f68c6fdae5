package dev.wheelhouse.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.POJONode;
import tools.jackson.databind.util.RawValue;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

/** Generates almost valid requests from a seed. */
final class FuzzedRequests {
    private static final String TOO_LARGE = "1e400";
    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS",
            "TRACE", "NONSENSE");
    private static final List<String> PARAMETERS = List.of("watch", "limit", "continue", "resourceVersion",
            "resourceVersionMatch", "labelSelector", "fieldSelector", "timeoutSeconds", "sendInitialEvents",
            "allowWatchBookmarks", "dryRun", "fieldValidation", "fieldManager", "force", "pretty", "includeObject",
            "propagationPolicy", "gracePeriodSeconds", "orphanDependents", "tailLines", "follow");
    private static final List<String> VALUES = List.of("true", "false", "1", "0", "-1", "99999999999999999999", "All",
            "a=b", "a in (b,c)", "!a", "a notin (", "metadata.name=x", "spec.nodeName=", "%zz", "%00", "%F0%9F%98%80",
            "Exact", "NotOlderThan", "Strict", "Background", "e30=", "eyJ2IjoxfQ", "..", "x".repeat(300));
    private static final List<String> TYPES = List.of("application/json", "application/yaml", "",
            "application/vnd.kubernetes.protobuf", "application/json-patch+json", "application/merge-patch+json",
            "application/strategic-merge-patch+json", "application/apply-patch+yaml", "text/plain", "a/b;c=\"",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "*/*", "application/cbor");
    private static final List<String> NAMES = List.of("a", "b", "default", "kube-system", "kubernetes", "node-1", "A",
            "..", "%2F", "%", "a%00b", "x".repeat(300), "", "status", "scale", "watch", "proxy", "log", "é");
    private static final List<String> TEMPLATES = List.of("""
            {"metadata": {"name": "a", "labels": {"x": "1"}, "finalizers": ["e.io/f"]}, "spec": {"replicas": 1,
            "selector": {"matchLabels": {"x": "1"}}, "template": {"metadata": {"labels": {"x": "1"}}, "spec":
            {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}], "resources": {"limits":
            {"cpu": "1"}}, "env": [{"name": "E", "value": "v"}]}], "volumes": [{"name": "v", "emptyDir": {}}]}}}}""",
            """
                    {"metadata": {"name": "b"}, "spec": {"containers": [{"name": "c", "image": "i",
                     "livenessProbe": {"httpGet":
                    {"path": "/", "port": "http"}}}], "nodeName": "node-1", "tolerations": [{"operator": "Exists"}]},
                    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}""",
            """
                    {"metadata": {"name": "a"}, "data": {"k": "v"}, "binaryData": {"b": "AAAA"}, "type": "Opaque"}""",
            """
                    {"metadata": {"name": "a"}, "spec": {"type": "NodePort", "selector": {"x": "1"},
                     "ports": [{"port": 80,
                    "targetPort": "http", "nodePort": 30001}], "clusterIP": "10.96.0.9"}}""",
            """
                    {"metadata": {"name": "as.e.io"}, "spec": {"group": "e.io", "scope": "Namespaced",
                     "names": {"plural": "as",
                    "kind": "A"}, "versions": [{"name": "v1", "served": true, "storage": true,
                     "schema": {"openAPIV3Schema":
                    {"type": "object", "properties": {"spec": {"type": "object"}}}}}]}}""",
            """
                    [{"op": "add", "path": "/metadata/labels/z", "value": "1"}, {"op": "remove",
                     "path": "/spec/replicas"},
                    {"op": "copy", "from": "/metadata/name", "path": "/data/n"}, {"op": "test", "path": "",
                     "value": {}}]""",
            """
                    {"spec": {"template": {"spec": {"containers": [{"name": "c", "$patch": "delete"}],
                    "$setElementOrder/containers": [{"name": "c"}]}}}, "metadata": {"$retainKeys": ["name"],
                    "$deleteFromPrimitiveList/finalizers": ["e.io/f"]}}""",
            """
                    {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0,
                     "propagationPolicy": "Foreground",
                    "preconditions": {"uid": "u", "resourceVersion": "1"}, "dryRun": ["All"]}""",
            """
                    {"metadata": {"name": "a"}, "spec": {"replicas": 3}, "target": {"kind": "Node",
                     "name": "node-1"}}""",
            """
                    {"metadata": {"name": "a", "labels": {"x": "1"}}, "rules": [{"verbs": ["get"], "apiGroups": [""],
                    "resources": ["pods", "*/log"], "resourceNames": ["x"]}, {"verbs": ["*"],
                     "nonResourceURLs": ["/a*"]}],
                    "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"x": "1"}}]}}""",
            """
                    {"metadata": {"name": "b"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                     "kind": "ClusterRole",
                    "name": "a"}, "subjects": [{"kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io"},
                    {"kind": "ServiceAccount", "name": "default", "namespace": "default"}]}""",
            """
                    {"spec": {"user": "u", "groups": ["g"], "extra": {"k": ["v"]}, "resourceAttributes": {"verb": "get",
                    "resource": "pods", "namespace": "default"}, "nonResourceAttributes": {"verb": "get",
                     "path": "/"}}}""",
            """
                    {"spec": {"token": "a.b.c", "audiences": ["x"], "namespace": "default", "expirationSeconds": 600,
                    "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "b"}}}""");

    private final Random random;
    private final List<ResourceInfo> resources = ResourceRegistry.builtIn().all();

    record Fuzzed(String method, String pathAndQuery, String accept, String contentType, byte[] body) {
        @Override
        public String toString() {
            return method + " " + pathAndQuery + " [" + accept + "] [" + contentType + "] "
                    + new String(body, StandardCharsets.ISO_8859_1);
        }
    }

    FuzzedRequests(long seed) {
        this.random = new Random(seed);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    Fuzzed next() {
        String method = oneIn(12) ? any(METHODS) : any(METHODS.subList(0, 5));
        String type = switch (method) {
            case "PATCH" -> any(TYPES.subList(4, 8));
            default -> "application/json";
        };
        return new Fuzzed(method, path(method) + query(), oneIn(3) ? any(TYPES) : "application/json",
                oneIn(6) ? any(TYPES) : type, method.equals("GET") && !oneIn(10) ? new byte[0] : body());
    }

    private String path(String method) {
        if (oneIn(25)) {
            return any(List.of("/", "/api", "/apis", "//", "/api/v1/", "/openapi/v2", "/openapi/v3", "/version/x",
                    "/api/v1/namespaces//pods", "/apis/apps", "/apis/%2e%2e/v1", "/livez/ping", "/apis/e.io/v1/as",
                    "/metrics", "/openapi/v3/apis/apps/v1", "/api/v1/namespaces/default/" + any(NAMES)));
        }
        ResourceInfo resource = oneIn(2)
                ? any(resources)
                : any(resources.stream().filter(r -> r.type().group().isEmpty() || r.type().group().equals("apps"))
                        .toList());
        StringBuilder path = new StringBuilder(resource.type().group().isEmpty() ? "/api/" : "/apis/");
        path.append(resource.type().group().isEmpty() ? "" : resource.type().group() + "/")
                .append(resource.type().version());
        path.append(oneIn(40) ? "/watch" : "");
        if (resource.type().namespaced() && !oneIn(10)) {
            path.append("/namespaces/").append(oneIn(8) ? any(NAMES) : "default");
        }
        path.append('/').append(resource.type().plural());
        if (method.equals("POST") ? oneIn(5) : !oneIn(3)) {
            path.append('/').append(oneIn(3) ? any(NAMES) : any(NAMES.subList(0, 2)));
            if (oneIn(4)) {
                path.append('/')
                        .append(any(List.of("status", "scale", "binding", "eviction", "finalize", "token", "log",
                                "exec", "proxy", "x", "approval", "ephemeralcontainers", "resize")));
            }
        }
        return path.toString();
    }

    private String query() {
        StringBuilder query = new StringBuilder();
        while (oneIn(3)) {
            query.append(query.isEmpty() ? '?' : '&').append(any(PARAMETERS)).append('=').append(any(VALUES));
        }
        return query.toString();
    }

    private byte[] body() {
        JsonNode tree = Json.read(any(TEMPLATES));
        int changes = random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            mutate(tree);
        }
        byte[] bytes = Json.bytes(tree);
        if (oneIn(15)) {
            for (int i = 0; i < 3; i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
        }
        return oneIn(30) ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private void mutate(JsonNode tree) {
        List<JsonNode> containers = new ArrayList<>();
        collect(tree, containers);
        switch (any(containers)) {
            case ObjectNode object when object.isEmpty() || oneIn(4) -> object.set(any(List.of("x", "spec", "metadata",
                    "status", "name", "namespace", "uid", "resourceVersion", "generateName", "ownerReferences",
                    "managedFields", "kind", "apiVersion", "deletionTimestamp", "creationTimestamp", "annotations",
                    "$patch",
                    "containers", "initContainers", "")), value());
            case ObjectNode object -> object.set(any(object.propertyStream().map(java.util.Map.Entry::getKey).toList()),
                    value());
            case ArrayNode array when array.isEmpty() || oneIn(3) -> array.add(value());
            case ArrayNode array -> array.set(random.nextInt(array.size()), value());
            default -> {
            }
        }
    }

    private static void collect(JsonNode node, List<JsonNode> containers) {
        if (node.isContainer()) {
            containers.add(node);
            node.forEach(child -> collect(child, containers));
        }
    }

    private JsonNode value() {
        String text = any(List.of("null", "true", "0", "-1", "1.5", TOO_LARGE, "99999999999999999999999", "\"\"",
                "\"x\"", "\"\\u0000\"", "\"\\ud800\"", "[]", "{}", "[null]", "[[]]", "{\"\": null}", "[{}]",
                "{\"a\": {}}",
                "[{\"name\": \"c\"}, {\"name\": \"c\"}]", "\"2024-13-45T99:99:99Z\"", "\"1Ki\"", "\"50%\"",
                "[\"a\", 1]"));
        // The server's own parser refuses this number, but a client may send it.
        return text.equals(TOO_LARGE) ? new POJONode(new RawValue(text)) : Json.read(text);
    }
}
