package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.PodResources;
import dev.wheelhouse.facts.Quantities;

/** The rules of resource requests and limits (upstream: {@code pkg/apis/core/validation/validation.go}). */
public final class ResourceValidation {
    private static final String HUGE_PAGES = "hugepages-";
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> COUNTED = Set.of("pods", "services", "replicationcontrollers", "resourcequotas",
            "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers");
    private static final Set<String> STANDARD = Set.of("cpu", "memory", "ephemeral-storage", "storage",
            "requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage", "limits.cpu",
            "limits.memory", "limits.ephemeral-storage");

    private ResourceValidation() {}

    /** Checks the resources of a pod as a whole, and those of its containers beside them. */
    static void podResources(Subject subject) {
        JsonNode spec = subject.value();
        String path = subject.path() + ".resources";
        Problems problems = subject.problems();
        JsonNode resources = spec.path("resources");
        if (!resources.isObject()) {
            return;
        }
        if (Json.text(spec, "os", "name").equals("windows")) {
            problems.forbidden(path, "may not be set for a windows pod");
            return;
        }
        if (resources.has("claims")) {
            problems.forbidden(path + ".claims", "claims may not be set for Resources at pod-level");
        }
        Rules.shared().check("PodResources", resources, null, path, problems);
        atLeastTheContainers(spec, path, "requests", problems);
        atLeastTheContainers(spec, path, "limits", problems);
        JsonNode limits = resources.path("limits");
        int i = 0;
        for (JsonNode container : spec.path("containers")) {
            for (Map.Entry<String, JsonNode> limit : container.path("resources").path("limits").properties()) {
                String name = limit.getKey();
                if (limits.has(name) && value(limit.getValue()).compareTo(value(limits.get(name))) > 0) {
                    problems.invalid(Problems.key(path + ".containers[" + i + "]", name) + ".limits",
                            limit.getValue().asString(""),
                            "must be less than or equal to pod limits of " + limits.get(name).asString(""));
                }
            }
            i++;
        }
    }

    /** Of the limits only those of huge pages, because the sum of the others may exceed the pod's. */
    private static void atLeastTheContainers(JsonNode spec, String path, String list, Problems problems) {
        JsonNode amounts = spec.path("resources").path(list);
        PodResources.aggregate(spec, list).forEach((name, sum) -> {
            boolean counts = list.equals("requests") || name.startsWith(HUGE_PAGES);
            if (counts && amounts.has(name) && sum.compareTo(value(amounts.get(name))) > 0) {
                problems.invalid(Problems.key(path + "." + list, name), amounts.get(name).asString(""),
                        "must be greater than or equal to aggregate container " + list + " of "
                                + PodResources.text(name, sum, spec, list));
            }
        });
    }

    static void amountOfContainer(Subject amount) {
        amount(amount, false);
    }

    static void amountOfPod(Subject amount) {
        amount(amount, true);
    }

    /** Checks one of the limits or requests of a container or a pod. */
    private static void amount(Subject amount, boolean ofPod) {
        String name = amount.key();
        boolean isCommon = name.equals("cpu") || name.equals("memory");
        if (!isCommon || amount.text().startsWith("-")) {
            if (ofPod) {
                nameOfPod(name, amount);
            } else {
                name(name, amount);
            }
            quantity(amount.value(), amount.path(), !overcommits(name), amount.problems());
            if (name.startsWith(HUGE_PAGES) && !isMultiple(amount.value(), name.substring(HUGE_PAGES.length()))) {
                amount.problems().invalid(amount.path(), amount.text(),
                        amount.text() + " is not positive integer multiple of " + name);
            }
        }
    }

    private static boolean isMultiple(JsonNode amount, String pageSize) {
        BigDecimal size = Quantities.parse(pageSize);
        return size != null && size.signum() > 0 && size.stripTrailingZeros().scale() <= 0
                && value(amount).setScale(0, RoundingMode.UP).remainder(size).signum() == 0;
    }

    /** The claims of a container, which are among those of its pod. The value is the list of them. */
    static void claims(Subject claims) {
        Set<String> ofPod = claims.names("claims");
        String unknown = "must be one of the names in pod.spec.resourceClaims"
                + (ofPod.isEmpty() ? " which is empty" : ": " + String.join(", ", new TreeSet<>(ofPod)));
        Set<String> seen = new HashSet<>();
        Set<String> narrowed = new HashSet<>();
        Problems.each(claims.value(), claims.path(), (claim, at) -> {
            String name = Json.text(claim, "name");
            String request = Json.text(claim, "request");
            if (name.isEmpty()) {
                claims.problems().required(at);
                return;
            }
            String key = request.isEmpty() || seen.contains(name) ? name : name + "/" + request;
            if (!key.equals(name)) {
                claims.problems().invalid(at + ".request", request, Formats.dnsLabel(request));
            }
            if (seen.contains(key) || request.isEmpty() && narrowed.contains(name)) {
                claims.problems().duplicate(at, StringNode.valueOf(key).toString());
            }
            if (!key.equals(name)) {
                narrowed.add(name);
            }
            seen.add(key);
            if (!ofPod.contains(name)) {
                claims.problems().notFound(at, name, unknown);
            }
        });
    }

    /** Compares a request with the limit of the same name. */
    static void withinLimit(Subject request) {
        String name = request.key();
        JsonNode limit = request.object().path("limits").get(name);
        if (limit == null) {
            if (!overcommits(name)) {
                request.problems().required(request.listPath().replaceFirst("requests$", "limits"),
                        "Limit must be set for non overcommitable resources");
            }
            return;
        }
        int compared = request.value().equals(limit) ? 0 : value(request.value()).compareTo(value(limit));
        if (compared != 0 && !overcommits(name) || compared > 0) {
            request.problems().invalid(request.listPath(), request.text(), "must be "
                    + (overcommits(name) ? "less than or " : "") + "equal to " + name + " limit of "
                    + limit.asString(""));
        }
    }

    static void hugePages(Subject resources) {
        boolean isUsed = false;
        for (String list : List.of("limits", "requests")) {
            JsonNode amounts = resources.value().path(list);
            if (amounts.has("cpu") || amounts.has("memory")) {
                return;
            }
            isUsed |= amounts.propertyNames().stream().anyMatch(name -> name.startsWith(HUGE_PAGES));
        }
        if (isUsed) {
            resources.problems().forbidden(resources.path(), "HugePages require cpu or memory");
        }
    }

    private static void quantity(JsonNode quantity, String at, boolean counted, Problems problems) {
        BigDecimal value = value(quantity);
        if (value.signum() < 0) {
            problems.invalid(at, quantity.asString(""), "must be greater than or equal to 0");
        }
        if (counted && value.stripTrailingZeros().scale() > 0) {
            problems.invalid(at, quantity, "must be an integer");
        }
    }

    /** Checks an amount of a resource of a node or quota: objects and extended resources are counted. */
    public static void amount(String name, JsonNode quantity, String at, Problems problems) {
        boolean counted = COUNTED.contains(name)
                || name.contains("/") && !name.contains("kubernetes.io/") && !name.startsWith("requests.");
        quantity(quantity, at, counted, problems);
    }

    static void resourceName(Subject name) {
        name(name.text(), name);
    }

    /** Checks the name of a resource of containers. */
    private static void name(String name, Subject subject) {
        String path = subject.path();
        Problems problems = subject.problems();
        List<String> wrong = Formats.qualifiedName(name);
        problems.invalid(path, name, wrong);
        if (name.contains("/")) {
            boolean isExtended = !name.startsWith("requests.") && Formats.qualifiedName("requests." + name).isEmpty();
            if (!name.contains("kubernetes.io/") && !isExtended) {
                problems.invalid(path, name, "doesn't follow extended resource name standard");
            }
        } else if (!name.startsWith(HUGE_PAGES) && !OF_CONTAINERS.contains(name)) {
            if (wrong.isEmpty() && !STANDARD.contains(name) && !COUNTED.contains(name)) {
                problems.invalid(path, name, "must be a standard resource type or fully qualified");
            }
            problems.invalid(path, name, "must be a standard resource for containers");
        }
    }

    private static void nameOfPod(String name, Subject subject) {
        List<String> wrong = Formats.qualifiedName(name);
        subject.problems().invalid(subject.path(), name, wrong);
        if (wrong.isEmpty() && !name.startsWith(HUGE_PAGES)) {
            subject.problems().supported(subject.path(), name, "cpu", HUGE_PAGES, "memory");
        }
    }

    /**
     * Whether the sum of limits may exceed what there is. Huge pages and extended resources cannot be overcommitted.
     */
    private static boolean overcommits(String name) {
        boolean isNative = !name.contains("/") || name.contains("kubernetes.io/");
        return isNative && !name.startsWith(HUGE_PAGES);
    }

    private static BigDecimal value(JsonNode quantity) {
        BigDecimal value = Quantities.parse(quantity.asString(""));
        return value == null ? BigDecimal.ZERO : value;
    }
}
