package dev.wheelhouse.apiserver.defaults;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.PodResources;
import dev.wheelhouse.facts.QosClass;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;
import static dev.wheelhouse.apiserver.json.Json.child;
import static dev.wheelhouse.apiserver.json.Json.copyMissing;
import static dev.wheelhouse.apiserver.json.Json.text;

/**
 * The defaults of pods, pod templates, and their parts that no row of {@code defaults.tsv} can say (upstream:
 * {@code pkg/apis/core/v1/defaults.go}).
 */
public final class PodDefaults {
    /** The most characters of a valid reference: a path of 255, a tag of 128, and a digest. */
    private static final int MOST_OF_IMAGE = 1_024;

    private static final String HOST = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
    private static final String PATH = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    /** Optional registry and port, path, optional tag and digest (upstream: {@code distribution/reference}). */
    private static final Pattern IMAGE = Pattern.compile("(?:(?:" + HOST + "(?:\\." + HOST
            + ")*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?/)?" + PATH + "(?:/" + PATH + ")*(?::\\w[\\w.-]{0,127})?"
            + "(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?");

    private static final TypeDefaults ALONE = alone();

    private PodDefaults() {}

    private static TypeDefaults alone() {
        Map<String, Consumer<ObjectNode>> rules = new HashMap<>();
        DefaultRows.addTo(rules);
        addTo(rules);
        return new TypeDefaults(rules);
    }

    /**
     * Sets the missing fields of a pod that have defaults, in place.
     *
     * @throws dev.wheelhouse.apiserver.json.TooLargeException if the pod would become too large
     */
    public static void apply(ObjectNode pod) {
        ALONE.apply(ResourceType.PODS, pod);
    }

    /** Adds the rules of pods and their parts, by the full names of types. */
    public static void addTo(Map<String, Consumer<ObjectNode>> rules) {
        String core = "io.k8s.api.core.v1.";
        rules.merge(core + "Pod", PodDefaults::pod, Consumer::andThen);
        rules.merge(core + "PodSpec", PodDefaults::account, Consumer::andThen);
        rules.merge(core + "Container", PodDefaults::container, Consumer::andThen);
        rules.merge(core + "EphemeralContainer", PodDefaults::container, Consumer::andThen);
        rules.merge(core + "Volume", PodDefaults::volume, Consumer::andThen);
    }

    private static void pod(ObjectNode pod) {
        ObjectNode spec = child(pod, "spec");
        boolean hostNetwork = spec.path("hostNetwork").asBoolean(false);
        for (String list : new String[]{"containers", "initContainers"}) {
            for (JsonNode container : spec.path(list)) {
                requestsFromLimits((ObjectNode) container);
                if (hostNetwork) {
                    hostPorts(container);
                }
            }
        }
        podLevelRequests(spec);
        set(spec, "enableServiceLinks", true);
        ObjectNode status = child(pod, "status");
        if (text(status, "phase").isEmpty()) {
            status.put("phase", "Pending");
            status.put("qosClass", QosClass.of(spec));
        }
    }

    private static void requestsFromLimits(ObjectNode container) {
        if (Json.at(container, "resources", "limits") instanceof ObjectNode limits && !limits.isEmpty()) {
            copyMissing(limits, child(child(container, "resources"), "requests"));
        }
    }

    private static void podLevelRequests(ObjectNode spec) {
        if (Json.at(spec, "resources", "limits") instanceof ObjectNode limits && !limits.isEmpty()) {
            ObjectNode requests = child(child(spec, "resources"), "requests");
            PodResources.aggregateRequests(spec).forEach((name, quantity) -> {
                if (!requests.has(name) && (name.equals("cpu") || name.equals("memory"))) {
                    requests.put(name, quantity);
                }
            });
            copyMissing(limits, requests);
        }
    }

    private static void hostPorts(JsonNode container) {
        for (JsonNode port : container.path("ports")) {
            if (Json.number(port, 0, "hostPort") == 0) {
                ((ObjectNode) port).put("hostPort", (int) Json.number(port, 0, "containerPort"));
            }
        }
    }

    private static void account(ObjectNode spec) {
        String account = text(spec, "serviceAccountName");
        if (account.isEmpty()) {
            account = text(spec, "serviceAccount");
        }
        if (!account.isEmpty()) {
            spec.put("serviceAccountName", account);
            spec.put("serviceAccount", account);
        }
    }

    private static void container(ObjectNode container) {
        set(container, "imagePullPolicy", pullPolicy(text(container, "image")));
    }

    /** {@code Always} for a valid reference with the tag {@code latest} or without tag and digest. */
    static String pullPolicy(String image) {
        if (image.length() > MOST_OF_IMAGE || !IMAGE.matcher(image).matches()) {
            return "IfNotPresent";
        }
        int digest = image.indexOf('@');
        String name = digest < 0 ? image : image.substring(0, digest);
        int colon = name.lastIndexOf(':');
        boolean tagged = colon > name.lastIndexOf('/');
        boolean latest = tagged ? name.substring(colon + 1).equals("latest") : digest < 0;
        return latest ? "Always" : "IfNotPresent";
    }

    private static void volume(ObjectNode volume) {
        if (volume.properties().stream()
                .allMatch(field -> field.getKey().equals("name") || field.getValue().isNull())) {
            volume.putObject("emptyDir");
        }
        if (volume.get("image") instanceof ObjectNode image) {
            set(image, "pullPolicy", pullPolicy(text(image, "reference")));
        }
    }
}
