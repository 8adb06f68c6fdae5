package dev.wheelhouse.apiserver.auth;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** Random roles and bindings, and random questions about the rights that they give. A seed determines them. */
final class AuthorizationWorld {
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final List<String> NAMESPACES = List.of("team-a", "team-b", "default", "kube-system");
    private static final List<String> VERBS = List.of("get", "list", "watch", "create", "update", "patch", "delete",
            "deletecollection", "proxy", "bind", "escalate", "impersonate", "use", "GET", "", "post", "head");
    private static final List<String> GROUPS = List.of("", "apps", "batch", RBAC, "authentication.k8s.io",
            "example.com", "authorization.k8s.io", "v1", "core");
    private static final List<String> RESOURCES = List.of("pods", "secrets", "configmaps", "nodes", "namespaces",
            "serviceaccounts", "deployments", "replicasets", "jobs", "clusterroles", "rolebindings", "things", "users",
            "groups", "services", "watch", "v1", "..", "tokenreviews", "");
    private static final List<String> SUBRESOURCES = List.of("status", "scale", "log", "proxy", "exec", "token",
            "eviction", "binding", "finalize", "ephemeralcontainers", "a/b", "*");
    private static final List<String> NAMES = List.of("one", "two", "three", "team-a", "default", "system:x", "a.b",
            "*");
    private static final List<String> PATHS = List.of("/", "/healthz", "/healthz/ping", "/healthz/", "/livez",
            "/readyz",
            "/metrics", "/version", "/version/", "/api", "/api/", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1",
            "/openapi/v2", "/openapi/v3", "/logs/x", "//", "//healthz", "/healthz//ping", "/nothing", "/a*b",
            "/apis/apps/v1/", "/api/v1/");
    private static final List<String> URL_RULES = List.of("*", "/*", "/healthz", "/healthz/*", "/health*", "/livez",
            "/api", "/api/*", "/apis*", "/version**", "/version/", "/openapi/*", "/metrics", "/a*b", "//*", "/api/v1");
    private static final List<String> USERS = List.of("alice", "bob", "carol", "system:anonymous",
            "system:serviceaccount:team-a:robot", "system:serviceaccount:team-b:robot",
            "system:serviceaccount:kube-system:namespace-controller", "system:kube-scheduler",
            "system:kube-controller-manager", "system:node:n1", "system:kube-proxy", "Alice", "system:admin");
    private static final List<String> USER_GROUPS = List.of("dev", "ops", "system:authenticated",
            "system:unauthenticated", "system:serviceaccounts", "system:serviceaccounts:team-a", "system:nodes",
            "system:monitoring", "Dev", "system:bootstrappers");

    private static final Map<String, String> METHODS = Map.of("create", "POST", "update", "PUT", "patch", "PATCH",
            "delete", "DELETE", "deletecollection", "DELETE", "post", "POST", "head", "HEAD");
    private static final int CLUSTER_ROLES = 8;
    private static final int ROLES = CLUSTER_ROLES + 2 * NAMESPACES.size();

    private final SplittableRandom random;
    private final int number;
    private JsonNode rule = Json.object();
    private JsonNode subject = Json.object();
    private String home = "";
    private final List<ObjectNode> objects = new ArrayList<>();

    /** @param number tells the objects of one world from those of another */
    AuthorizationWorld(long seed, int number) {
        this.random = new SplittableRandom(seed * 1_000_003 + number);
        this.number = number;
        for (int i = 0; i < CLUSTER_ROLES; i++) {
            objects.add(role("ClusterRole", "", i));
        }
        for (String namespace : NAMESPACES) {
            for (int i = 0; i < 2; i++) {
                objects.add(role("Role", namespace, i));
            }
        }
        for (int i = 0; i < 7; i++) {
            objects.add(binding("ClusterRoleBinding", "", i));
        }
        for (String namespace : NAMESPACES) {
            for (int i = 0; i < 3; i++) {
                objects.add(binding("RoleBinding", namespace, i));
            }
        }
    }

    /** Roles and bindings, to be created in this order; each has the label {@code world}. */
    List<ObjectNode> objects() {
        return List.copyOf(objects);
    }

    private String any(List<String> values) {
        return values.get(random.nextInt(values.size()));
    }

    private boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    private ObjectNode object(String kind, String namespace, int i) {
        ObjectNode object = RoleTable.object(kind, namespace, "w" + number + "-" + i);
        Json.child(object, "metadata").putObject("labels").put("world", String.valueOf(number));
        return object;
    }

    private ObjectNode role(String kind, String namespace, int i) {
        ObjectNode role = object(kind, namespace, i);
        ArrayNode rules = role.putArray("rules");
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            ObjectNode rule = rules.addObject();
            boolean paths = kind.equals("ClusterRole") && once(3);
            some(rule.putArray("verbs"), VERBS, once(4) ? "*" : null, 4);
            if (paths) {
                some(rule.putArray("nonResourceURLs"), URL_RULES, null, 3);
                continue;
            }
            some(rule.putArray("apiGroups"), GROUPS, once(4) ? "*" : once(2) ? "" : null, 2);
            ArrayNode resources = rule.putArray("resources");
            some(resources, RESOURCES, once(6) ? "*" : null, 4);
            while (once(2)) {
                resources.add((once(3) ? "*" : any(RESOURCES)) + "/" + any(SUBRESOURCES));
            }
            if (once(3)) {
                some(rule.putArray("resourceNames"), NAMES, once(8) ? "" : null, 2);
            }
        }
        return role;
    }

    private void some(ArrayNode array, List<String> values, String first, int most) {
        if (first != null) {
            array.add(first);
            if (once(2)) {
                return;
            }
        }
        for (int n = 1 + random.nextInt(most); n > 0; n--) {
            array.add(any(values));
        }
    }

    private ObjectNode binding(String kind, String namespace, int i) {
        ObjectNode binding = object(kind, namespace, i);
        boolean cluster = namespace.isEmpty() || once(2);
        String role = once(12) ? "missing" : "w" + number + "-" + random.nextInt(cluster ? CLUSTER_ROLES : 2);
        RoleTable.roleRef(binding, cluster ? "ClusterRole" : "Role", once(20) ? "system:basic-user" : role);
        ArrayNode subjects = binding.putArray("subjects");
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            switch (random.nextInt(3)) {
                case 0 -> RoleTable.subject(subjects, "User", "", any(USERS));
                case 1 -> RoleTable.subject(subjects, "Group", "", any(USER_GROUPS));
                default -> RoleTable.subject(subjects, "ServiceAccount",
                        namespace.isEmpty() || once(2) ? any(NAMESPACES) : "", "robot");
            }
        }
        return binding;
    }

    /** Takes aim at a rule of a bound role: the next question is allowed by it where nothing else is chosen. */
    private void aim() {
        ObjectNode binding = objects.get(ROLES + random.nextInt(objects.size() - ROLES));
        JsonNode subjects = binding.path("subjects");
        subject = subjects.get(random.nextInt(subjects.size()));
        home = Json.text(binding, "metadata", "namespace");
        rule = Json.object();
        for (ObjectNode role : objects.subList(0, ROLES)) {
            boolean bound = Json.text(role, "metadata", "name").equals(Json.text(binding, "roleRef", "name"))
                    && Json.text(role, "kind").equals(Json.text(binding, "roleRef", "kind"))
                    && (!Json.text(role, "kind").equals("Role")
                            || Json.text(role, "metadata", "namespace").equals(home));
            if (bound) {
                rule = role.path("rules").get(random.nextInt(role.path("rules").size()));
            }
        }
    }

    /** One that the rule has in that field, or any of the values. */
    private String fitting(List<String> values, String field) {
        JsonNode fits = rule.path(field);
        return fits.isEmpty() || once(6) ? any(values) : fits.get(random.nextInt(fits.size())).asString();
    }

    private String namespace() {
        return home.isEmpty() || once(6) ? any(NAMESPACES) : home;
    }

    private String user() {
        return once(6)
                ? any(USERS)
                : switch (Json.text(subject, "kind")) {
                    case "User" -> Json.text(subject, "name");
                    case "ServiceAccount" -> {
                        String namespace = Json.text(subject, "namespace");
                        yield "system:serviceaccount:" + (namespace.isEmpty() ? home : namespace) + ":robot";
                    }
                    default -> any(USERS);
                };
    }

    private List<String> groups() {
        List<String> groups = new ArrayList<>();
        if (!once(6) && Json.text(subject, "kind").equals("Group")) {
            groups.add(Json.text(subject, "name"));
        }
        while (once(2)) {
            groups.add(any(USER_GROUPS));
        }
        if (once(60)) {
            groups.add("system:masters");
        }
        return groups;
    }

    /** A question for whether somebody may do something, put to the server as an access review. */
    AuthorizationQuestion review() {
        aim();
        String kind = once(8) ? "self" : once(8) ? "local" : "subject";
        boolean local = kind.equals("local");
        Map<String, String> attributes = new LinkedHashMap<>();
        if (local) {
            attributes.put("in", namespace());
        }
        attributes.put("verb", once(12) ? "*" : fitting(VERBS, "verbs"));
        if ((rule.has("nonResourceURLs") || once(12)) && !local) {
            attributes.put("path", path());
        } else {
            if (once(4) == local) {
                attributes.put("namespace", "");
            } else {
                attributes.put("namespace", local ? attributes.get("in") : namespace());
            }
            attributes.put("group", once(12) ? "*" : fitting(GROUPS, "apiGroups"));
            attributes.put("resource", once(12)
                    ? "*"
                    : fitting(RESOURCES, "resources") + (once(12) ? "/" + any(SUBRESOURCES) : ""));
            if (once(3)) {
                attributes.put("subresource", any(SUBRESOURCES));
            }
            if (once(2)) {
                attributes.put("name", fitting(NAMES, "resourceNames"));
            }
            if (once(8)) {
                attributes.put("fields", "metadata.name=" + any(NAMES));
            }
            if (once(8)) {
                attributes.put("label", "a");
            }
        }
        return AuthorizationQuestion.review(kind, !kind.equals("self") && once(12) ? "" : user(), groups(), attributes);
    }

    private String path() {
        String path = fitting(PATHS, "nonResourceURLs");
        if (path.equals("*")) {
            path = "/*";
        }
        return once(6) ? path + any(List.of("/", "x", "%2f", "*", "?a")) : path;
    }

    /** A request as a client sends it, with selectors, watch paths and spellings that are almost right. */
    AuthorizationQuestion request() {
        aim();
        String method = once(6)
                ? any(List.of("POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "FOO", "get"))
                : METHODS.getOrDefault(fitting(VERBS, "verbs"), "GET");
        String path = rule.has("nonResourceURLs") || once(12) ? path() : resourcePath();
        if (once(4)) {
            path = misspelt(path);
        }
        if (method.equals("HEAD") && path.contains("proxy")) {
            // The answer to HEAD has no body, which tells a refusal of one server from another's.
            method = "GET";
        }
        List<String> query = new ArrayList<>();
        if (once(3)) {
            query.add(any(List.of("watch=true", "watch", "watch=0", "watch=FALSE", "watch=%74rue", "watch=1&watch=0",
                    "watch=x", "Watch=1", "%77atch=1")));
        }
        if (once(3)) {
            query.add("fieldSelector=" + URLEncoder.encode(fieldSelector(), StandardCharsets.UTF_8));
        }
        if (once(8)) {
            query.add("labelSelector=" + URLEncoder.encode(any(List.of("a=b", "a in (b,c)", "a b", "!a", "=", "a>1",
                    "a>x", "")), StandardCharsets.UTF_8));
        }
        if (once(10)) {
            query.add(any(List.of("limit=1", "limit=x", "limit=", "timeoutSeconds=1", "timeoutSeconds=x",
                    "resourceVersion=0", "resourceVersion=x", "allowWatchBookmarks=true", "continue=x", "pretty=1",
                    "resourceVersionMatch=x", "sendInitialEvents=x", "fieldSelector=metadata.name%3Dtwo")));
        }
        if (method.equals("DELETE")) {
            query.add("dryRun=All");
        }
        return new AuthorizationQuestion(user(), groups(), method,
                path + (query.isEmpty() ? "" : "?" + String.join("&", query)));
    }

    private String fieldSelector() {
        String name = fitting(NAMES, "resourceNames");
        return any(List.of("metadata.name=" + name, "metadata.name==" + name, "metadata.name!=" + name,
                "type!=x\\,metadata.name=" + name, "metadata.name=" + name + ",type=x", "type=x,metadata.name=" + name,
                "metadata.name=two,metadata.name=" + name, "metadata.name= " + name, "metadata.name", "a!b=c",
                "metadata.name=" + name + "\\", "metadata.name=" + name + "\\,x", "metadata.name=a=b", ",,", "=",
                "metadata.namespace=" + any(NAMESPACES), "metadata.name=", "metadata.name=..", "metadata.name=a/b",
                "metadata.name=\\" + name, "!=", "metadata.name=%6fne", "Metadata.name=one"));
    }

    private String resourcePath() {
        StringBuilder path = new StringBuilder();
        String group = fitting(GROUPS, "apiGroups");
        path.append(group.isEmpty() ? "/api/" : "/apis/" + group + "/").append(once(15) ? "v2" : "v1");
        if (once(4)) {
            path.append(once(6) ? "/proxy" : "/watch");
        }
        if (!once(4)) {
            path.append("/namespaces/").append(namespace());
        }
        if (!once(20)) {
            path.append('/').append(fitting(RESOURCES, "resources"));
        }
        if (once(2)) {
            path.append('/').append(fitting(NAMES, "resourceNames"));
            if (once(2)) {
                path.append('/').append(any(SUBRESOURCES));
                if (once(5)) {
                    path.append("/x/y");
                }
            }
        }
        return path.toString();
    }

    private String misspelt(String path) {
        // Nothing before the first slash: servers do not even read such request lines.
        if (path.length() == 1) {
            return path + path;
        }
        int at = 1 + random.nextInt(path.length() - 1);
        char c = path.charAt(at);
        return switch (random.nextInt(12)) {
            case 0 -> path + "/";
            case 1 -> "/" + path;
            case 2 -> path.replaceFirst("/namespaces/[^/]*", "/namespaces/");
            case 3 -> path.substring(0, at) + "%" + "%02x".formatted((int) c) + path.substring(at + 1);
            case 4 -> path.substring(0, at) + "/" + path.substring(at);
            case 5 -> path.substring(0, at) + Character.toUpperCase(c) + path.substring(at + 1);
            case 6 -> path.substring(0, at) + "%2F" + path.substring(at);
            case 7 -> path.substring(0, at) + "/../" + path.substring(at);
            case 8 -> path.substring(0, at) + "%252f" + path.substring(at);
            case 9 -> path.substring(0, at) + any(List.of("+", ";x=1", "%20", "%00", "%c3%a9", "~", "%", "%zz", "./",
                    "%2e%2e", ":", "@", "&", "=", "!", "$", "'", "(", "*", ",", "%5c")) + path.substring(at);
            case 10 -> path.replaceFirst("/", "/./");
            default -> path.replace("/", "//");
        };
    }
}
