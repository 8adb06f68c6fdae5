package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Who asks (upstream: {@code apiserver/pkg/authentication/user}).
 *
 * @param uid empty if nobody told it
 * @param extra what else an authenticator knows
 */
public record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
    /** Those whom every authorizer allows everything. */
    public static final String MASTERS = "system:masters";
    static final String AUTHENTICATED = "system:authenticated";
    static final String SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:";
    static final String SERVICE_ACCOUNTS = "system:serviceaccounts";
    static final String UNAUTHENTICATED = "system:unauthenticated";

    /** Who asks an open server, or calls from within the process. */
    public static final User ADMIN = authenticated("system:admin", "", List.of(MASTERS), Map.of());
    /** Who shows no credentials where they would count. */
    public static final User ANONYMOUS = new User("system:anonymous", "", List.of(UNAUTHENTICATED), Map.of());

    /** Somebody who is known, and so in the group of all who are. */
    static User authenticated(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
        List<String> all = new ArrayList<>(groups);
        if (!all.contains(AUTHENTICATED)) {
            all.add(AUTHENTICATED);
        }
        return new User(name, uid, List.copyOf(all), extra);
    }

    /** The groups of every service account of a namespace. */
    static List<String> serviceAccountGroups(String namespace) {
        return List.of(SERVICE_ACCOUNTS, SERVICE_ACCOUNTS + ":" + namespace);
    }

    boolean isIn(String group) {
        return groups.contains(group);
    }

    /** The {@code UserInfo} of a review. */
    public ObjectNode toJson() {
        ObjectNode user = Json.object();
        if (!name.isEmpty()) {
            user.put("username", name);
        }
        if (!uid.isEmpty()) {
            user.put("uid", uid);
        }
        if (!groups.isEmpty()) {
            ArrayNode all = user.putArray("groups");
            groups.forEach(all::add);
        }
        if (!extra.isEmpty()) {
            user.set("extra", extraToJson());
        }
        return user;
    }

    /** {@link #extra} as JSON, its keys in order. */
    public ObjectNode extraToJson() {
        ObjectNode out = Json.object();
        new TreeMap<>(extra).forEach((key, values) -> {
            ArrayNode array = out.putArray(key);
            values.forEach(array::add);
        });
        return out;
    }
}
