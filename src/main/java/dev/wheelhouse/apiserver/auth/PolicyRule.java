package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * One rule of a role (upstream: {@code pkg/apis/rbac/v1/evaluation_helpers.go}). It grants verbs on either resources or
 * paths. Immutable.
 *
 * @param resourceNames the objects that it is limited to; empty for all objects
 */
public record PolicyRule(List<String> verbs, List<String> apiGroups, List<String> resources,
        List<String> resourceNames, List<String> nonResourceUrls) {
    private static final String ALL = "*";
    private static final List<String> EACH = List.of(ALL);
    /** Two rules that grant everything. */
    public static final List<PolicyRule> EVERYTHING = List.of(new PolicyRule(EACH, EACH, EACH, List.of(), List.of()),
            new PolicyRule(EACH, List.of(), List.of(), List.of(), EACH));

    /** Reads the {@code rules} of a role. Malformed values grant nothing. */
    public static List<PolicyRule> of(@Nullable JsonNode rules) {
        List<PolicyRule> out = new ArrayList<>();
        if (rules instanceof ArrayNode array) {
            array.forEach(rule -> out.add(new PolicyRule(texts(rule, "verbs"), texts(rule, "apiGroups"),
                    texts(rule, "resources"), texts(rule, "resourceNames"), texts(rule, "nonResourceURLs"))));
        }
        return List.copyOf(out);
    }

    private static List<String> texts(JsonNode rule, String field) {
        JsonNode values = rule.get(field);
        if (!(values instanceof ArrayNode array) || array.isEmpty()) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        array.forEach(value -> {
            if (value.isString()) {
                texts.add(value.stringValue());
            }
        });
        return List.copyOf(texts);
    }

    boolean allows(RequestInfo request) {
        if (!hasOrAll(verbs, request.verb())) {
            return false;
        }
        return request.isResource()
                ? hasOrAll(apiGroups, request.group())
                        && hasResource(request.resourceAndSubresource(), request.subresource())
                        && (resourceNames.isEmpty() || resourceNames.contains(request.name()))
                : hasPath(request.path());
    }

    private static boolean hasOrAll(List<String> granted, String wanted) {
        return granted.contains(ALL) || granted.contains(wanted);
    }

    private boolean hasResource(String wanted, String subresource) {
        return hasOrAll(resources, wanted) || (!subresource.isEmpty() && resources.contains(ALL + "/" + subresource));
    }

    boolean hasPath(String wanted) {
        return nonResourceUrls.stream().anyMatch(url -> url.equals(wanted)
                || url.endsWith(ALL) && wanted.startsWith(withoutStars(url)));
    }

    private static String withoutStars(String url) {
        int end = url.length();
        while (end > 0 && url.charAt(end - 1) == '*') {
            end--;
        }
        return url.substring(0, end);
    }

    /** This rule with the verbs of another one added. */
    PolicyRule withVerbsOf(PolicyRule other) {
        Set<String> more = new LinkedHashSet<>(verbs);
        more.addAll(other.verbs);
        return withVerbs(List.copyOf(more));
    }

    /** This rule with other verbs. */
    PolicyRule withVerbs(List<String> other) {
        return new PolicyRule(other, apiGroups, resources, resourceNames, nonResourceUrls);
    }

    /** Whether the rule is about paths. */
    public boolean isNonResource() {
        return resources.isEmpty() && !nonResourceUrls.isEmpty();
    }

    /** The rule as it is in a role. */
    public ObjectNode toJson() {
        ObjectNode rule = Json.object();
        Json.putTexts(rule, "verbs", verbs);
        Json.putTexts(rule, "apiGroups", apiGroups);
        Json.putTexts(rule, "resources", resources);
        Json.putTexts(rule, "resourceNames", resourceNames);
        Json.putTexts(rule, "nonResourceURLs", nonResourceUrls);
        return rule;
    }

    /** The rule as upstream's messages show it: {@code {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}}. */
    @Override
    public String toString() {
        List<String> fields = new ArrayList<>();
        show(fields, "APIGroups", apiGroups);
        show(fields, "Resources", resources);
        show(fields, "NonResourceURLs", nonResourceUrls);
        show(fields, "ResourceNames", resourceNames);
        show(fields, "Verbs", verbs);
        return "{" + String.join(", ", fields) + "}";
    }

    private static void show(List<String> fields, String name, List<String> values) {
        if (!values.isEmpty()) {
            fields.add(name + ":" + quoted(values));
        }
    }

    /** {@code ["a" "b"]}. */
    static String quoted(List<String> values) {
        return values.stream().map(value -> "\"" + value + "\"").collect(Collectors.joining(" ", "[", "]"));
    }
}
