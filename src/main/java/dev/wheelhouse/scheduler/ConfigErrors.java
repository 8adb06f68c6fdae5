package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1TopologySpreadConstraint;

import dev.wheelhouse.api.Names;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/** Collects the errors of a configuration, in upstream's words (upstream: {@code apis/config/validation}). */
final class ConfigErrors {
    private final List<String> found = new ArrayList<>();

    static String quoted(String text) {
        return '"' + text + '"';
    }

    void add(boolean wrong, String path, String problem) {
        if (wrong) {
            found.add(path + ": " + problem);
        }
    }

    void invalid(boolean wrong, String path, Object value, String problem) {
        add(wrong, path, "Invalid value: " + (value instanceof String text ? quoted(text) : value) + ": " + problem);
    }

    void percentage(String path, int value) {
        invalid(value < 0 || value > 100, path, value, "not in valid range [0-100]");
    }

    private void supported(String path, String value, String... allowed) {
        add(!List.of(allowed).contains(value), path, "Unsupported value: " + quoted(value) + ": supported values: \""
                + String.join("\", \"", allowed) + '"');
    }

    private void range(String path, int value) {
        invalid(value < 0 || value > 100, path, value, "not in valid range [0, 100]");
    }

    /** @throws IllegalArgumentException if there are errors */
    void end() {
        if (!found.isEmpty()) {
            throw new IllegalArgumentException(found.size() == 1 ? found.getFirst() : found.toString());
        }
    }

    /** Checks the arguments of a plugin. */
    void check(String path, Object arguments) {
        switch (arguments) {
            case Profile.Preemption args -> check(path, args);
            case Profile.Affinity args -> range(path + ".hardPodAffinityWeight", args.hardPodAffinityWeight());
            case Profile.Binding args -> invalid(args.bindTimeoutSeconds() < 0, path + ".bindTimeoutSeconds",
                    args.bindTimeoutSeconds(), "invalid BindTimeoutSeconds, should not be a negative value");
            case Profile.Balance args -> check(path, args);
            case Profile.Fit args -> check(path, args);
            case Profile.Spread args -> check(path, args);
            default -> {
            }
        }
    }

    private void check(String path, Profile.Preemption args) {
        range(path + ".minCandidateNodesPercentage", args.minCandidateNodesPercentage());
        invalid(args.minCandidateNodesAbsolute() < 0, path + ".minCandidateNodesAbsolute",
                args.minCandidateNodesAbsolute(), "not in valid range [0, inf)");
        invalid(args.minCandidateNodesPercentage() == 0 && args.minCandidateNodesAbsolute() == 0,
                path + ".minCandidateNodesPercentage", 0,
                "cannot be zero at the same time as minCandidateNodesAbsolute");
    }

    private void check(String path, Profile.Balance args) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < args.resources().size(); i++) {
            Profile.Resource each = args.resources().get(i);
            String at = path + ".resources[" + i + "]";
            add(!seen.add(each.name()), at + ".name", "Duplicate value: " + quoted(each.name()));
            invalid(each.weight() != 1, at + ".weight", each.weight(), "must be 1");
        }
    }

    private void check(String path, Profile.Fit args) {
        for (int i = 0; i < args.ignoredResourceGroups().size(); i++) {
            String group = args.ignoredResourceGroups().get(i);
            invalid(group.contains("/"), path + ".ignoredResourceGroups[" + i + "]", group,
                    "resource group name can't contain '/'");
        }
        Profile.Strategy strategy = args.scoringStrategy();
        String at = path + ".scoringStrategy";
        supported(at + ".type", strategy.type(), "LeastAllocated", "MostAllocated", Scores.RATIO);
        for (int i = 0; i < strategy.resources().size(); i++) {
            Profile.Resource each = strategy.resources().get(i);
            invalid(each.weight() <= 0 || each.weight() > 100, at + ".resources[" + i + "].weight", each.weight(),
                    "resource weight of " + each.name() + " not in valid range (0, 100]");
        }
        Profile.@Nullable Ratio ratio = strategy.requestedToCapacityRatio();
        boolean wanted = strategy.type().equals(Scores.RATIO);
        at += ".requestedToCapacityRatio";
        add(wanted && ratio == null, at, "Required value: must be specified when type is RequestedToCapacityRatio");
        add(!wanted && ratio != null, at, "Forbidden: must be nil when type is not RequestedToCapacityRatio");
        if (wanted && ratio != null) {
            shape(at + ".shape", ratio.shape());
        }
    }

    private void shape(String path, List<Profile.Point> shape) {
        add(shape.isEmpty(), path, "Required value: at least one point must be specified");
        for (int i = 0; i < shape.size(); i++) {
            int score = shape.get(i).score();
            int utilization = shape.get(i).utilization();
            invalid(i > 0 && shape.get(i - 1).utilization() >= utilization, path + "[" + i + "].utilization",
                    utilization, "values must be sorted in increasing order");
            range(path + "[" + i + "].utilization", utilization);
            invalid(score < 0 || score > 10, path + "[" + i + "].score", score, "not in valid range [0, 10]");
        }
    }

    private void check(String path, Profile.Spread args) {
        supported(path + ".defaultingType", args.defaultingType(), "System", "List");
        invalid(args.defaultingType().equals("System") && !args.defaultConstraints().isEmpty(),
                path + ".defaultingType", args.defaultingType(), "when .defaultConstraints are not empty");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < args.defaultConstraints().size(); i++) {
            V1TopologySpreadConstraint each = args.defaultConstraints().get(i);
            String at = path + ".defaultConstraints[" + i + "]";
            String key = orEmpty(each.getTopologyKey());
            invalid(orZero(each.getMaxSkew()) <= 0, at + ".maxSkew", orZero(each.getMaxSkew()),
                    "not in valid range (0, inf)");
            add(key.isEmpty(), at + ".topologyKey", "Required value: can not be empty");
            invalid(!key.isEmpty() && !Names.isLabelKey(key), at + ".topologyKey", key, "it is not the key of a label");
            supported(at + ".whenUnsatisfiable", orEmpty(each.getWhenUnsatisfiable()), "DoNotSchedule",
                    "ScheduleAnyway");
            add(each.getLabelSelector() != null, at + ".labelSelector",
                    "Forbidden: constraint must not define a selector, as they deduced for each pod");
            String pair = "{" + key + ", " + each.getWhenUnsatisfiable() + "}";
            add(!seen.add(pair), at, "Duplicate value: " + quoted(pair));
        }
    }
}
