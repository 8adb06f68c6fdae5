package dev.wheelhouse.apiserver.audit;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonProperty;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.ConfigFile;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;

/**
 * Which requests are logged, and how much of each: the first rule that matches a request says it (upstream:
 * {@code apiserver/pkg/audit/policy/checker.go}). Immutable.
 *
 * @param omitManagedFields whether objects are logged without their managed fields, unless a rule says otherwise
 */
public record AuditPolicy(@Nullable String apiVersion, @Nullable String kind, @Nullable JsonNode metadata,
        List<Rule> rules,
        List<String> omitStages, @Nullable Boolean omitManagedFields) {
    private static final List<String> LEVELS = List.of("None", "Metadata", "Request", "RequestResponse");
    private static final List<String> STAGES = List.of("RequestReceived", "ResponseStarted", "ResponseComplete",
            "Panic");

    /**
     * The part of one request that is logged.
     *
     * @param level its place in the list of levels: bodies of requests are logged from 2 on, those of answers from 3
     */
    record Decision(int level, Set<String> omittedStages, boolean omitManagedFields) {
        static final Decision NOTHING = new Decision(0, Set.of(), false);

        String levelName() {
            return LEVELS.get(level);
        }
    }

    /** The resources of one API group. */
    record Resources(@Nullable String group, List<String> resources, List<String> resourceNames) {
        boolean matches(RequestInfo request) {
            String name = request.subresource();
            return ("*".equals(group) || request.group().equals(group == null ? "" : group))
                    && (resources.isEmpty() || (resourceNames.isEmpty() || resourceNames.contains(request.name()))
                            && resources.stream().anyMatch(each -> each.equals("*")
                                    || each.equals(request.resourceAndSubresource())
                                    || !name.isEmpty() && each.equals("*/" + name)
                                    || each.equals(request.resource() + "/*")));
        }
    }

    /** A rule. An empty list matches everything. */
    record Rule(@Nullable String level, List<String> users, List<String> userGroups, List<String> verbs,
            List<Resources> resources, List<String> namespaces,
            @JsonProperty("nonResourceURLs") List<String> paths, List<String> omitStages,
            @Nullable Boolean omitManagedFields) {
        /** @param user null for a request whose credentials are invalid */
        boolean matches(@Nullable User user, RequestInfo request) {
            if (!users.isEmpty() && (user == null || !users.contains(user.name()))
                    || !userGroups.isEmpty() && (user == null || user.groups().stream().noneMatch(userGroups::contains))
                    || !verbs.isEmpty() && !verbs.contains(request.verb())) {
                return false;
            }
            if (!namespaces.isEmpty() || !resources.isEmpty()) {
                return request.isResource() && (namespaces.isEmpty() || namespaces.contains(request.namespace()))
                        && (resources.isEmpty() || resources.stream().anyMatch(each -> each.matches(request)));
            }
            return paths.isEmpty() || !request.isResource() && paths.stream().anyMatch(each -> each.equals("*")
                    || (each.endsWith("*")
                            ? request.path().startsWith(each.substring(0, each.length() - 1))
                            : each.equals(request.path())));
        }
    }

    /** @throws dev.wheelhouse.apiserver.auth.AuthConfigException if the file is no audit policy */
    static AuditPolicy read(Path path) {
        ConfigFile file = new ConfigFile(path);
        AuditPolicy policy = file.read("Policy", "audit.k8s.io/v1", AuditPolicy.class);
        file.require(!policy.rules.isEmpty(), "there are no rules, so nothing would be logged: add {level: Metadata}");
        checkStages(file, "omitStages", policy.omitStages);
        for (int i = 0; i < policy.rules.size(); i++) {
            Rule rule = policy.rules.get(i);
            String at = "rules[" + i + "].";
            file.require(LEVELS.contains(rule.level),
                    at + "level is \"" + rule.level + "\" instead of one of " + LEVELS);
            checkStages(file, at + "omitStages", rule.omitStages);
            file.require(rule.paths.isEmpty() || rule.resources.isEmpty() && rule.namespaces.isEmpty(),
                    at + "nonResourceURLs stands beside resources or namespaces: make two rules of it");
            file.require(rule.paths.stream().allMatch(each -> each.matches("\\*|/[^*]*\\*?")),
                    at + "nonResourceURLs is " + rule.paths + ": a path begins with /, and may end with *");
        }
        return policy;
    }

    private static void checkStages(ConfigFile file, String field, List<String> stages) {
        file.require(STAGES.containsAll(stages), field + " is " + stages + ": the stages are " + STAGES);
    }

    /** @param user null for a request whose credentials are invalid */
    Decision decide(@Nullable User user, RequestInfo request) {
        for (Rule rule : rules) {
            if (rule.matches(user, request)) {
                Set<String> omitted = new HashSet<>(omitStages);
                omitted.addAll(rule.omitStages);
                Boolean managed = rule.omitManagedFields == null ? omitManagedFields : rule.omitManagedFields;
                return new Decision(LEVELS.indexOf(rule.level), omitted, Boolean.TRUE.equals(managed));
            }
        }
        return Decision.NOTHING;
    }
}
