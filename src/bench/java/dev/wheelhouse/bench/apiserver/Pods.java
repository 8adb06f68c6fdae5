package dev.wheelhouse.bench.apiserver;

import java.nio.charset.StandardCharsets;

/** The pods of the load: about 1.2 KB as sent, as a Deployment's are. */
final class Pods {
    static final String NAMESPACE = "load";
    static final String PATH = "/api/v1/namespaces/" + NAMESPACE + "/pods";
    static final String ALL = "/api/v1/pods";

    private Pods() {}

    /** @param node the node that it is bound to */
    static byte[] pod(String name, String node) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s", "labels": {"app": "web",
                "pod-template-hash": "6d4cf56db6", "tier": "front"}, "annotations": {"example.com/config":
                "3f786850e387550fdab836ed7e6dc881de23001b"}}, "spec": {"nodeName": "%s", "containers": [{"name": "web",
                "image": "registry.example.com/web:1.27.3", "args": ["--port=8080", "--log=info"], "ports":
                [{"containerPort": 8080, "name": "http"}], "env": [{"name": "REGION", "value": "north"}, {"name":
                "ZONE",
                "value": "north-1"}], "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory":
                "256Mi"}}, "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 5}},
                {"name": "proxy", "image": "registry.example.com/proxy:4.2", "resources": {"requests": {"cpu": "50m",
                "memory": "64Mi"}}}], "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "web",
                "effect": "NoSchedule"}]}}"""
                .formatted(name, node).getBytes(StandardCharsets.UTF_8);
    }

    /** A status as a kubelet patches it. */
    static byte[] running() {
        return """
                {"status": {"phase": "Running", "podIP": "10.1.2.3", "podIPs": [{"ip": "10.1.2.3"}], "hostIP":
                "10.0.0.9",
                "startTime": "2026-01-02T03:04:05Z", "conditions": [{"type": "Ready", "status": "True",
                "lastTransitionTime": "2026-01-02T03:04:07Z"}, {"type": "ContainersReady", "status": "True",
                "lastTransitionTime": "2026-01-02T03:04:07Z"}], "containerStatuses": [{"name": "web", "image":
                "registry.example.com/web:1.27.3", "imageID": "registry.example.com/web@sha256:12ab", "ready": true,
                "restartCount": 0, "containerID": "containerd://web", "started": true, "state": {"running":
                {"startedAt": "2026-01-02T03:04:06Z"}}}]}}"""
                .getBytes(StandardCharsets.UTF_8);
    }

    static byte[] label(String value) {
        return "{\"metadata\": {\"labels\": {\"generation\": \"%s\"}}}".formatted(value)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Deletes at once, as a kubelet does when the containers have stopped. */
    static byte[] now() {
        return "{\"kind\": \"DeleteOptions\", \"apiVersion\": \"v1\", \"gracePeriodSeconds\": 0}"
                .getBytes(StandardCharsets.UTF_8);
    }
}
