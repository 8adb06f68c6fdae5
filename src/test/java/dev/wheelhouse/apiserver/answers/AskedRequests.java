package dev.wheelhouse.apiserver.answers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** Requests to subresources, reviews and deletions, about most of which admission webhooks are asked. */
final class AskedRequests {
    private static final String CORE = "/api/v1/namespaces/asked/";
    private static final String PODS = CORE + "pods";
    private static final String APPS = "/apis/apps/v1/namespaces/asked/";
    private static final String YARDS = "/apis/example.com/v1/namespaces/asked/yards";
    private static final String TEMPLATE = "\"selector\": {\"matchLabels\": {\"a\": \"b\"}}, \"template\": "
            + "{\"metadata\": {\"labels\": {\"a\": \"b\"}}, \"spec\": {\"containers\": [{\"name\": \"c\", "
            + "\"image\": \"i\"}]}}";

    private AskedRequests() {}

    private static Probe make(String path, String apiVersion, String kind, String name, String more) {
        return Probe.post(path, "{\"kind\": \"" + kind + "\", \"apiVersion\": \"" + apiVersion
                + "\", \"metadata\": {\"name\": \"" + name + "\"}" + more + "}");
    }

    private static Probe pod(String name, String more) {
        return make(PODS, "v1", "Pod", name, ", \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\", "
                + "\"resources\": {\"requests\": {\"cpu\": \"2m\"}}}], \"automountServiceAccountToken\": false" + more
                + "}");
    }

    private static String scale(String name, int replicas) {
        return "{\"kind\": \"Scale\", \"apiVersion\": \"autoscaling/v1\", \"metadata\": {\"name\": \"" + name
                + "\", \"namespace\": \"asked\"}, \"spec\": {\"replicas\": " + replicas + "}}";
    }

    /** The objects that the requests are about. */
    static List<Probe> objects() {
        String version = "{\"name\": \"v1\", \"served\": true, \"storage\": true, \"schema\": {\"openAPIV3Schema\": "
                + "{\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true}}, \"subresources\": "
                + "{\"status\": {}, \"scale\": {\"specReplicasPath\": \".spec.size\", \"statusReplicasPath\": "
                + "\".status.size\"}}}";
        List<Probe> objects = new ArrayList<>(List.of(make("/api/v1/namespaces", "v1", "Namespace", "asked", ""),
                make("/api/v1/nodes", "v1", "Node", "n", ", \"spec\": {\"taints\": [{\"key\": "
                        + "\"node.kubernetes.io/not-ready\", \"effect\": \"NoSchedule\"}]}"),
                make(CORE + "serviceaccounts", "v1", "ServiceAccount", "a", ""),
                make(CORE + "services", "v1", "Service", "s", ", \"spec\": {\"ports\": [{\"port\": 80}]}"),
                make(CORE + "configmaps", "v1", "ConfigMap", "m", ""),
                make(CORE + "replicationcontrollers", "v1", "ReplicationController", "rc",
                        ", \"spec\": {" + TEMPLATE.replace("{\"matchLabels\": {\"a\": \"b\"}}", "{\"a\": \"b\"}")
                                + "}"),
                make(APPS + "deployments", "apps/v1", "Deployment", "d", ", \"spec\": {" + TEMPLATE + "}"),
                make(APPS + "replicasets", "apps/v1", "ReplicaSet", "rs", ", \"spec\": {" + TEMPLATE + "}"),
                make(APPS + "statefulsets", "apps/v1", "StatefulSet", "ss",
                        ", \"spec\": {\"serviceName\": \"s\", " + TEMPLATE + "}"),
                make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "apiextensions.k8s.io/v1",
                        "CustomResourceDefinition", "yards.example.com",
                        ", \"spec\": {\"group\": \"example.com\", \"scope\": \"Namespaced\", \"names\": {\"plural\": "
                                + "\"yards\", \"kind\": \"Yard\", \"singular\": \"yard\", \"listKind\": \"YardList\"}, "
                                + "\"versions\": [" + version + "]}")));
        for (String name : List.of("p", "q", "r", "t")) {
            objects.add(pod(name, ""));
        }
        for (String name : List.of("on-node", "short", "now", "pending", "c1", "c2")) {
            objects.add(pod(name, ", \"nodeName\": \"n\""));
        }
        return objects;
    }

    /** A custom resource, which can be created a while after its definition. */
    static Probe yard() {
        return make(YARDS, "example.com/v1", "Yard", "x", ", \"spec\": {\"size\": 1}");
    }

    /** A configuration of webhooks of a kind, such as Validating, about everything that users do. */
    static Probe configuration(String kind, String client) {
        return Probe.post("/apis/admissionregistration.k8s.io/v1/" + kind.toLowerCase(Locale.ROOT)
                + "webhookconfigurations",
                """
                        {"kind": "%sWebhookConfiguration", "apiVersion": "admissionregistration.k8s.io/v1", "metadata":
                         {"name": "asked"}, "webhooks": [{"name": "asked.example.com", "admissionReviewVersions":
                         ["v1"], "sideEffects": "None", "timeoutSeconds": 30, "clientConfig": %s, "rules":
                         [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}],
                         "matchConditions": [{"name": "c", "expression":
                         "!request.userInfo.username.startsWith('system:apiserver')"}]}]}
                        """
                        .formatted(kind, client));
    }

    static List<Probe> requests() {
        String labels = "{\"metadata\": {\"labels\": {\"x\": \"y\"}}}";
        String target = ", \"target\": {\"kind\": \"Node\", \"name\": \"n\"}";
        String attributes = ", \"spec\": {\"user\": \"u\", \"resourceAttributes\": {\"verb\": \"get\", \"resource\": "
                + "\"pods\", \"namespace\": \"asked\"}}";
        String authorization = "/apis/authorization.k8s.io/v1/";
        return List.of(
                make(PODS + "/p/binding?dryRun=All", "v1", "Binding", "p", target),
                make(PODS + "/p/binding", "v1", "Binding", "p", target),
                make(CORE + "bindings", "v1", "Binding", "q", target),
                make(PODS + "/r/eviction", "policy/v1", "Eviction", "r", ""),
                make(PODS + "/gone/eviction", "policy/v1", "Eviction", "gone",
                        ", \"deleteOptions\": {\"gracePeriodSeconds\": 5}"),
                Probe.post(PODS + "/p/exec?command=ls&command=-l&container=c&stdin=1&stdout=true", ""),
                Probe.get(PODS + "/p/exec?command=ls&tty=1&stdout=false"), Probe.get(PODS + "/p/attach?container=c"),
                Probe.post(PODS + "/p/portforward?ports=80&ports=81", ""), Probe.get(PODS + "/gone/portforward"),
                Probe.get(PODS + "/p/proxy"), Probe.get(PODS + "/p/proxy/a/b?x=y"),
                Probe.post(PODS + "/http:p:81/proxy/a/", "{}"), Probe.delete(PODS + "/p/proxy/a"),
                Probe.get(CORE + "services/s/proxy/"), Probe.get("/api/v1/nodes/n/proxy/metrics"),
                Probe.get(PODS + "/p/log"), Probe.get(APPS + "deployments/d/scale"),
                make(CORE + "serviceaccounts/a/token", "authentication.k8s.io/v1", "TokenRequest", "", ""),
                make(CORE + "serviceaccounts/a/token", "authentication.k8s.io/v1", "TokenRequest", "a",
                        ", \"spec\": {\"audiences\": [\"x\"], \"expirationSeconds\": 700}"),
                Probe.put(APPS + "deployments/d/scale", scale("d", 2)),
                Probe.merge(APPS + "deployments/d/scale?fieldManager=me", "{\"spec\": {\"replicas\": 3}}"),
                Probe.apply(APPS + "deployments/d/scale?fieldManager=you&force=true", scale("d", 4)),
                Probe.merge(APPS + "replicasets/rs/scale", "{\"spec\": {\"replicas\": 3}}"),
                Probe.merge(APPS + "statefulsets/ss/scale?dryRun=All", "{\"spec\": {\"replicas\": 3}}"),
                Probe.merge(CORE + "replicationcontrollers/rc/scale", "{\"spec\": {\"replicas\": 3}}"),
                Probe.merge(YARDS + "/x/scale", "{\"spec\": {\"replicas\": 3}}"),
                Probe.merge(YARDS + "/x/status", "{\"status\": {\"size\": 3}}"),
                Probe.merge(APPS + "deployments/d/status", labels), Probe.merge("/api/v1/nodes/n/status", labels),
                Probe.merge("/api/v1/namespaces/asked/status", labels),
                Probe.put("/api/v1/namespaces/asked/finalize",
                        "{\"kind\": \"Namespace\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"asked\", "
                                + "\"labels\": {\"x\": \"y\", \"kubernetes.io/metadata.name\": \"asked\"}}, "
                                + "\"spec\": {\"finalizers\": [\"kubernetes\"]}}"),
                Probe.merge(PODS + "/p/status", "{\"status\": {\"message\": \"m\"}}"),
                Probe.strategic(PODS + "/c2/resize",
                        "{\"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": "
                                + "{\"cpu\": \"1m\"}}}]}}"),
                Probe.strategic(PODS + "/p/ephemeralcontainers",
                        "{\"spec\": {\"ephemeralContainers\": [{\"name\": \"e\", \"image\": \"i\"}]}}"),
                make("/apis/authentication.k8s.io/v1/tokenreviews", "authentication.k8s.io/v1", "TokenReview", "",
                        ", \"spec\": {\"token\": \"t\"}"),
                make("/apis/authentication.k8s.io/v1/selfsubjectreviews", "authentication.k8s.io/v1",
                        "SelfSubjectReview", "", ""),
                make(authorization + "subjectaccessreviews", "authorization.k8s.io/v1", "SubjectAccessReview", "",
                        attributes),
                make(authorization + "selfsubjectaccessreviews", "authorization.k8s.io/v1",
                        "SelfSubjectAccessReview", "", attributes.replace("\"user\": \"u\", ", "")),
                make(authorization + "selfsubjectrulesreviews", "authorization.k8s.io/v1", "SelfSubjectRulesReview",
                        "", ", \"spec\": {\"namespace\": \"asked\"}"),
                make(authorization + "namespaces/asked/localsubjectaccessreviews", "authorization.k8s.io/v1",
                        "LocalSubjectAccessReview", "", attributes),
                Probe.delete(PODS + "/on-node?dryRun=All"), Probe.delete(PODS + "/on-node"),
                Probe.delete(PODS + "/on-node"), Probe.delete(PODS + "/on-node?gracePeriodSeconds=40"),
                Probe.delete(PODS + "/on-node?gracePeriodSeconds=3"),
                Probe.delete(PODS + "/short", "{\"gracePeriodSeconds\": 5}"),
                Probe.delete(PODS + "/now?gracePeriodSeconds=0"), Probe.delete(PODS + "/t"),
                Probe.delete(PODS + "/pending?gracePeriodSeconds=-7"),
                Probe.delete(CORE + "configmaps/m", "{\"preconditions\": {\"uid\": \"other\"}}"),
                Probe.delete(CORE + "configmaps/m", "{\"gracePeriodSeconds\": 5, \"propagationPolicy\": \"Orphan\"}"),
                Probe.delete(PODS + "?fieldSelector=metadata.name=c1"), Probe.delete(PODS + "/gone"));
    }

    /** The question of a review in a few words: operation, resource, name, kind of the object, grace period. */
    static String summary(JsonNode review) {
        JsonNode request = review.path("request");
        String part = Json.text(request, "subResource");
        JsonNode grace = request.path("options").path("gracePeriodSeconds");
        return Json.text(request, "operation") + " " + Json.text(request, "resource", "resource")
                + (part.isEmpty() ? "" : "/" + part) + " " + Json.text(request, "name") + " "
                + Json.text(request, "kind", "kind") + (grace.isMissingNode() ? "" : " " + grace.asInt());
    }
}
