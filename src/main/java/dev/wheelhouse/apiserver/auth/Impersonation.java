package dev.wheelhouse.apiserver.auth;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.Names;

/**
 * A request to act as another user, by the headers {@code Impersonate-User}, {@code -Group}, {@code -Uid} and
 * {@code -Extra-…} (upstream: {@code apiserver/pkg/endpoints/filters/impersonation}). Immutable.
 *
 * @param user empty if no user was named
 */
public record Impersonation(String user, String uid, List<String> groups, Map<String, List<String>> extra) {
    private static final String EXTRA = Credentials.IMPERSONATE + "extra-";

    /** The impersonation that the headers ask for; null if they ask for none. */
    public static @Nullable Impersonation of(Credentials credentials) {
        Map<String, List<String>> headers = credentials.impersonation();
        if (headers.isEmpty()) {
            return null;
        }
        Map<String, List<String>> extra = new TreeMap<>();
        headers.forEach((name, values) -> {
            if (name.startsWith(EXTRA)) {
                extra.computeIfAbsent(unescape(name.substring(EXTRA.length())), k -> new ArrayList<>()).addAll(values);
            }
        });
        Impersonation asked = new Impersonation(first(headers, "user"), first(headers, "uid"),
                headers.getOrDefault(Credentials.IMPERSONATE + "group", List.of()), extra);
        return asked.user.isEmpty() && asked.uid.isEmpty() && asked.groups.isEmpty() && extra.isEmpty()
                ? null
                : asked;
    }

    private static String first(Map<String, List<String>> headers, String what) {
        List<String> values = headers.getOrDefault(Credentials.IMPERSONATE + what, List.of());
        return values.isEmpty() ? "" : values.getFirst();
    }

    private static String unescape(String key) {
        try {
            return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return key;
        }
    }

    /** The rights that the sender needs; all of them must be granted. */
    public List<RequestInfo> requiredRights() {
        List<RequestInfo> needed = new ArrayList<>();
        String[] account = serviceAccount();
        needed.add(account == null
                ? right("", "users", "", "", user)
                : right("", "serviceaccounts", "", account[0], account[1]));
        groups.forEach(group -> needed.add(right("", "groups", "", "", group)));
        extra.forEach((key, values) -> values
                .forEach(value -> needed.add(right("authentication.k8s.io", "userextras", key, "", value))));
        if (!uid.isEmpty()) {
            needed.add(right("authentication.k8s.io", "uids", "", "", uid));
        }
        return needed;
    }

    private static RequestInfo right(String group, String resource, String subresource, String namespace, String name) {
        return RequestInfo.ofResource("impersonate", group, resource, subresource, namespace, name);
    }

    /** The namespace and name of the user's service account; null if no service account can have the name. */
    private String @Nullable [] serviceAccount() {
        String[] parts = user.startsWith(User.SERVICE_ACCOUNT_PREFIX)
                ? user.substring(User.SERVICE_ACCOUNT_PREFIX.length()).split(":", -1)
                : new String[0];
        return parts.length == 2 && Names.isLabel(parts[0]) && Names.isSubdomain(parts[1]) ? parts : null;
    }

    /** The user that the request then acts as. */
    public User impersonated() {
        List<String> all = new ArrayList<>(groups);
        String[] account = serviceAccount();
        if (account != null && groups.isEmpty()) {
            all.addAll(User.serviceAccountGroups(account[0]));
        }
        if (user.equals(User.ANONYMOUS.name())) {
            all.addAll(User.ANONYMOUS.groups().stream().filter(group -> !all.contains(group)).toList());
            return new User(user, uid, List.copyOf(all), extra);
        }
        return all.contains(User.UNAUTHENTICATED)
                ? new User(user, uid, List.copyOf(all), extra)
                : User.authenticated(user, uid, all, extra);
    }

    /** The form in which upstream's message shows an impersonation without a user. */
    @Override
    public String toString() {
        String shownExtra = extra.isEmpty()
                ? "map[string][]string(nil)"
                : extra.entrySet().stream().map(e -> "\"" + e.getKey() + "\":" + strings(e.getValue()))
                        .collect(Collectors.joining(", ", "map[string][]string{", "}"));
        return "&user.DefaultInfo{Name:\"" + user + "\", UID:\"" + uid + "\", Groups:" + strings(groups) + ", Extra:"
                + shownExtra + "}";
    }

    private static String strings(List<String> values) {
        return values.isEmpty()
                ? "[]string(nil)"
                : values.stream().map(v -> "\"" + v + "\"").collect(Collectors.joining(", ", "[]string{", "}"));
    }
}
