package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.json.Json.child;
import static dev.wheelhouse.apiserver.json.Json.text;

/** The defaults of types other than pods' and workloads', and the table of all. Each rule may rely on the fields that its type always has. */
final class DefaultRules {
    private static final String RBAC_GROUP = "rbac.authorization.k8s.io";

    private DefaultRules() {}

    /** The rules by full type name. */
    static Map<String, Consumer<ObjectNode>> byType() {
        Map<String, Consumer<ObjectNode>> rules = new HashMap<>();
        rules.put("io.k8s.api.discovery.v1.EndpointPort", port -> {
            set(port, "name", "");
            set(port, "protocol", "TCP");
        });
        rules.put("io.k8s.api.networking.v1.NetworkPolicyPort", port -> set(port, "protocol", "TCP"));
        rules.put("io.k8s.api.networking.v1.NetworkPolicySpec", DefaultRules::networkPolicy);
        rules.put("io.k8s.api.networking.v1.IngressClassParametersReference", p -> set(p, "scope", "Cluster"));
        rules.put("io.k8s.api.rbac.v1.ClusterRoleBinding", DefaultRules::roleBinding);
        rules.put("io.k8s.api.rbac.v1.RoleBinding", DefaultRules::roleBinding);
        rules.put("io.k8s.api.rbac.v1.Subject", subject -> {
            if (!text(subject, "kind").equals("ServiceAccount")) {
                set(subject, "apiGroup", RBAC_GROUP);
            }
        });
        rules.put("io.k8s.api.storage.v1.StorageClass", storageClass -> {
            set(storageClass, "reclaimPolicy", "Delete");
            set(storageClass, "volumeBindingMode", "Immediate");
        });
        rules.put("io.k8s.api.storage.v1.CSIDriverSpec", DefaultRules::csiDriver);
        rules.put("io.k8s.api.scheduling.v1.PriorityClass", c -> set(c, "preemptionPolicy", "PreemptLowerPriority"));
        addAdmission(rules);
        addCustomResources(rules);
        for (String version : new String[]{"v1", "v1beta1", "v1beta2"}) {
            rules.put("io.k8s.api.resource." + version + ".ExactDeviceRequest", DefaultRules::deviceRequest);
            rules.put("io.k8s.api.resource." + version + ".DeviceSubRequest", DefaultRules::deviceRequest);
        }
        rules.putAll(Strategies.defaults());
        return Map.copyOf(rules);
    }

    /** Sets a text that is missing or empty. */
    static void set(ObjectNode object, String field, String value) {
        JsonNode present = Json.at(object, field);
        if (present == null || present.isString() && present.stringValue().isEmpty()) {
            object.put(field, value);
        }
    }

    static void set(ObjectNode object, String field, int value) {
        if (Json.at(object, field) == null) {
            object.put(field, value);
        }
    }

    static void set(ObjectNode object, String field, boolean value) {
        if (Json.at(object, field) == null) {
            object.put(field, value);
        }
    }

    static boolean isEmpty(ObjectNode object, String field) {
        JsonNode value = Json.at(object, field);
        return value == null || value.isEmpty();
    }

    /** Copies the entries of a map that another one does not have. */
    static void copyMissing(JsonNode from, ObjectNode to) {
        for (Map.Entry<String, JsonNode> entry : from.properties()) {
            if (!to.has(entry.getKey())) {
                to.set(entry.getKey(), entry.getValue());
            }
        }
    }

    /** The write-only texts become data, over what data says of the same keys. */
    private static void secret(ObjectNode secret) {
        if (secret.remove("stringData") instanceof ObjectNode texts) {
            for (Map.Entry<String, JsonNode> text : texts.properties()) {
                child(secret, "data").put(text.getKey(), Base64.getEncoder()
                        .encodeToString(text.getValue().asString("").getBytes(StandardCharsets.UTF_8)));
            }
        }
        set(secret, "type", "Opaque");
    }

    private static void nodeStatus(ObjectNode status) {
        JsonNode capacity = Json.at(status, "capacity");
        if (capacity != null && Json.at(status, "allocatable") == null) {
            status.set("allocatable", capacity.deepCopy());
        }
    }

    private static void networkPolicy(ObjectNode spec) {
        if (isEmpty(spec, "policyTypes")) {
            ArrayNode types = spec.putArray("policyTypes").add("Ingress");
            if (!isEmpty(spec, "egress")) {
                types.add("Egress");
            }
        }
    }

    private static void roleBinding(ObjectNode binding) {
        set(child(binding, "roleRef"), "apiGroup", RBAC_GROUP);
    }

    private static void csiDriver(ObjectNode spec) {
        set(spec, "attachRequired", true);
        set(spec, "podInfoOnMount", false);
        set(spec, "storageCapacity", false);
        set(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
        if (isEmpty(spec, "volumeLifecycleModes")) {
            spec.putArray("volumeLifecycleModes").add("Persistent");
        }
        set(spec, "requiresRepublish", false);
        set(spec, "seLinuxMount", false);
    }

    private static void deviceRequest(ObjectNode request) {
        set(request, "allocationMode", "ExactCount");
        if (text(request, "allocationMode").equals("ExactCount") && Json.number(request, 0, "count") == 0) {
            request.put("count", 1);
        }
    }

    private static void addAdmission(Map<String, Consumer<ObjectNode>> rules) {
        String group = "io.k8s.api.admissionregistration.v1.";
        rules.put(group + "ValidatingWebhook", DefaultRules::webhook);
        rules.put(group + "MutatingWebhook", webhook -> {
            webhook(webhook);
            set(webhook, "reinvocationPolicy", "Never");
        });
        rules.put(group + "RuleWithOperations", rule -> set(rule, "scope", "*"));
        rules.put(group + "NamedRuleWithOperations", rule -> set(rule, "scope", "*"));
        rules.put(group + "ServiceReference", service -> set(service, "port", 443));
        rules.put(group + "ValidatingAdmissionPolicySpec", spec -> set(spec, "failurePolicy", "Fail"));
        rules.put(group + "MutatingAdmissionPolicySpec", spec -> set(spec, "failurePolicy", "Fail"));
        rules.put(group + "MatchResources", DefaultRules::matching);
    }

    private static void webhook(ObjectNode webhook) {
        set(webhook, "failurePolicy", "Fail");
        matching(webhook);
        set(webhook, "timeoutSeconds", 10);
    }

    private static void matching(ObjectNode matcher) {
        set(matcher, "matchPolicy", "Equivalent");
        child(matcher, "namespaceSelector");
        child(matcher, "objectSelector");
    }

    private static void addCustomResources(Map<String, Consumer<ObjectNode>> rules) {
        String group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
        rules.put(group + "CustomResourceDefinition", definition -> {
            ObjectNode names = child(child(definition, "spec"), "names");
            String kind = text(names, "kind");
            set(names, "singular", kind.toLowerCase(Locale.ROOT));
            if (!kind.isEmpty()) {
                set(names, "listKind", kind + "List");
            }
            ObjectNode spec = child(definition, "spec");
            if (!(spec.get("conversion") instanceof ObjectNode)) {
                spec.putObject("conversion").put("strategy", "None");
            }
            ObjectNode status = child(definition, "status");
            if (isEmpty(status, "storedVersions") && spec.get("versions") instanceof ArrayNode versions) {
                for (JsonNode version : versions) {
                    if (version.path("storage").asBoolean(false)) {
                        status.putArray("storedVersions").add(text(version, "name"));
                        break;
                    }
                }
            }
        });
        rules.put(group + "ServiceReference", service -> set(service, "port", 443));
    }
}
