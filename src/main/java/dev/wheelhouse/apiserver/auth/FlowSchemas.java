package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;

/**
 * The stored FlowSchemas, by which each answer names the priority level of its request (upstream:
 * {@code apiserver/pkg/util/flowcontrol/rule.go}, {@code apiserver/pkg/server/filters/priority-and-fairness.go}). Which
 * requests wait is decided without them. Thread safe.
 */
public final class FlowSchemas {
    private static final String GROUP = ".flowcontrol.apiserver.k8s.io";
    private static final String ALL = "*";
    /** Requests that last long have no flow, except watches. */
    private static final Set<String> LASTING = Set.of("attach", "exec", "proxy", "log", "portforward");

    private final StoreView<List<Schema>> schemas;
    /** The UIDs of the priority levels by their names. */
    private final StoreView<Map<String, String>> levels;

    public FlowSchemas(ObjectStore store) {
        this.schemas = StoreView.of(store, "flowschemas" + GROUP, stored -> Schema.of(stored.uid(), stored.tree()),
                all -> all.stream().sorted(Comparator.comparingLong(Schema::precedence).thenComparing(Schema::name))
                        .toList());
        this.levels = StoreView.of(store, "prioritylevelconfigurations" + GROUP,
                stored -> Map.entry(stored.name(), stored.uid()),
                all -> all.stream().collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** The UIDs of the FlowSchema that a request matches, and of its priority level. */
    public record Match(String schema, String level) {}

    /** The first FlowSchema that matches a request and whose priority level exists; null if there is none. */
    public @Nullable Match match(User user, RequestInfo about) {
        if (LASTING.contains(about.subresource()) && !about.verb().equals("watch") || about.verb().equals("proxy")) {
            return null;
        }
        Map<String, String> uids = levels.get();
        for (Schema schema : schemas.get()) {
            String level = uids.get(schema.level);
            if (level != null && schema.matches(user, about)) {
                return new Match(schema.uid, level);
            }
        }
        return null;
    }

    private record Schema(String name, String uid, long precedence, String level, List<Rule> rules) {
        static Schema of(String uid, ObjectNode schema) {
            JsonNode spec = schema.path("spec");
            List<Rule> rules = new ArrayList<>();
            for (JsonNode each : spec.path("rules")) {
                each.path("resourceRules").forEach(rule -> Rule.add(each, rule, rules));
                each.path("nonResourceRules").forEach(rule -> Rule.add(each, rule, rules));
            }
            return new Schema(Json.text(schema, "metadata", "name"), uid, Json.number(spec, 0, "matchingPrecedence"),
                    Json.text(spec, "priorityLevelConfiguration", "name"), rules);
        }

        boolean matches(User user, RequestInfo about) {
            for (Rule rule : rules) { // No stream, because this runs for each FlowSchema in each request.
                if (rule.matches(user, about)) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * A rule for one subject. One for paths has no namespaces.
     *
     * @param group whether the name is one of a group, else of a user
     * @param all whether it means all names that begin so, else this one
     */
    private record Rule(boolean group, String name, boolean all, PolicyRule rule, boolean clusterScope,
            List<String> namespaces) {
        static void add(JsonNode rules, JsonNode given, List<Rule> into) {
            PolicyRule rule = PolicyRule.of(Json.array().add(given)).getFirst();
            // A path means those below it, too.
            PolicyRule widened = new PolicyRule(rule.verbs(), rule.apiGroups(), rule.resources(), List.of(),
                    rule.nonResourceUrls().stream()
                            .flatMap(url -> url.endsWith(ALL) ? Stream.of(url) : Stream.of(url, url + "/" + ALL))
                            .toList());
            for (JsonNode subject : rules.path("subjects")) {
                String kind = Json.text(subject, "kind");
                boolean account = kind.equals("ServiceAccount");
                JsonNode named = subject.path(account ? "serviceAccount" : kind.toLowerCase(Locale.ROOT));
                boolean all = Json.text(named, "name").equals(ALL);
                into.add(new Rule(kind.equals("Group"),
                        (account ? User.SERVICE_ACCOUNT_PREFIX + Json.text(named, "namespace") + ":" : "")
                                + (all ? "" : Json.text(named, "name")),
                        all, widened, given.path("clusterScope").asBoolean(false),
                        Json.texts(given.path("namespaces"))));
            }
        }

        boolean matches(User user, RequestInfo about) {
            boolean meant = group
                    ? all || user.isIn(name)
                    : all ? user.name().startsWith(name) : user.name().equals(name);
            return meant && rule.allows(about) && (!about.isResource() || (about.namespace().isEmpty()
                    ? clusterScope
                    : namespaces.contains(ALL) || namespaces.contains(about.namespace())));
        }
    }
}
