package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.json.Json.copyMissing;

/** Limit ranges. One without a name gets a random name (upstream: {@code pkg/registry/core/limitrange}). */
final class LimitRangeStrategy extends Strategy {
    private static final Set<String> TYPES = Set.of("Pod", "Container", "PersistentVolumeClaim");

    LimitRangeStrategy() {
        super("", "LimitRange");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.LimitRangeItem", LimitRangeStrategy::fillIn);
    }

    private static void fillIn(ObjectNode item) {
        if (!Json.text(item, "type").equals("Container")) {
            return;
        }
        ObjectNode limit = Json.child(item, "default");
        ObjectNode request = Json.child(item, "defaultRequest");
        if (item.get("max") instanceof ObjectNode max) {
            copyMissing(max, limit);
        }
        copyMissing(limit, request);
        if (item.get("min") instanceof ObjectNode min) {
            copyMissing(min, request);
        }
        for (String field : new String[]{"default", "defaultRequest"}) {
            if (isEmpty(item, field)) {
                item.remove(field);
            }
        }
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        if (Meta.name(object).isEmpty()) {
            Meta.of(object).put("name", state.ids().uid());
        }
    }

    @Override
    protected void validate(ObjectNode range, Problems problems) {
        Set<String> types = new HashSet<>();
        Problems.each(range.path("spec").path("limits"), "spec.limits", (limit, at) -> {
            String type = Json.text(limit, "type");
            if (!TYPES.contains(type)) {
                problems.invalid(at + ".type", type, Formats.qualifiedName(type));
                if (type.indexOf('/') < 0) {
                    problems.invalid(at + ".type", type, "must be a standard limit type or fully qualified");
                }
            }
            problems.unique(types, type, at + ".type", "\"" + type + "\"");
            limit(limit, type, at, problems);
        });
    }

    private static void limit(JsonNode limit, String type, String at, Problems problems) {
        Set<String> names = new TreeSet<>();
        for (String list : List.of("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")) {
            for (String name : limit.path(list).propertyNames()) {
                names.add(name);
                String field = Problems.key(at + "." + list, name);
                List<String> wrong = Formats.qualifiedName(name);
                problems.invalid(field, name, wrong);
                if (wrong.isEmpty() && type.equals("Container") && name.indexOf('/') < 0
                        && !List.of("cpu", "memory", "ephemeral-storage").contains(name)
                        && !name.startsWith("hugepages-")) {
                    problems.invalid(field, name, "must be a standard resource for containers");
                }
            }
        }
        if (type.equals("Pod")) {
            for (String list : List.of("default", "defaultRequest")) {
                if (!limit.path(list).isEmpty()) {
                    problems.forbidden(at + "." + list, "may not be specified when `type` is 'Pod'");
                }
            }
        }
        if (type.equals("PersistentVolumeClaim") && !limit.path("min").has("storage")
                && !limit.path("max").has("storage")) {
            problems.required(at + ".limits",
                    "either minimum or maximum storage value is required, but neither was provided");
        }
        for (String name : names) {
            ordered(limit, name, "min", "max", at, problems);
            ordered(limit, name, "min", "defaultRequest", at, problems);
            ordered(limit, name, "defaultRequest", "max", at, problems);
            ordered(limit, name, "defaultRequest", "default", at, problems);
            ordered(limit, name, "min", "default", at, problems);
            ordered(limit, name, "default", "max", at, problems);
            BigDecimal ratio = Quantities.parse(Json.text(limit, "maxLimitRequestRatio", name));
            if (ratio != null && ratio.compareTo(BigDecimal.ONE) < 0) {
                problems.invalid(Problems.key(at + ".maxLimitRequestRatio", name),
                        Json.text(limit, "maxLimitRequestRatio", name), "ratio " + ratio.toPlainString()
                                + " is less than 1");
            }
            BigDecimal least = Quantities.parse(Json.text(limit, "min", name));
            BigDecimal most = Quantities.parse(Json.text(limit, "max", name));
            if (ratio != null && least != null && most != null && least.signum() > 0
                    && ratio.doubleValue() > most.doubleValue() / least.doubleValue()) {
                problems.invalid(Problems.key(at + ".maxLimitRequestRatio", name),
                        Json.text(limit, "maxLimitRequestRatio", name),
                        String.format(Locale.ROOT, "ratio %s is greater than max/min = %f",
                                Json.text(limit, "maxLimitRequestRatio", name),
                                most.doubleValue() / least.doubleValue()));
            }
        }
    }

    private static void ordered(JsonNode limit, String name, String less, String more, String at, Problems problems) {
        BigDecimal lower = Quantities.parse(Json.text(limit, less, name));
        BigDecimal upper = Quantities.parse(Json.text(limit, more, name));
        if (lower != null && upper != null && lower.compareTo(upper) > 0) {
            problems.invalid(Problems.key(at + "." + less, name),
                    Json.text(limit, less, name), less + " value " + Json.text(limit, less, name)
                            + " is greater than " + more + " value " + Json.text(limit, more, name));
        }
    }
}
