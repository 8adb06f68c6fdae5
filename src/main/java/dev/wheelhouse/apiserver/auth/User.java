package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * The user that a request acts as (upstream: {@code apiserver/pkg/authentication/user}). Immutable.
 *
 * @param uid empty if it is unknown
 * @param extra further attributes from the authenticator
 */
public record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
    /** The group whose members may do everything, under every authorizer. */
    public static final String MASTERS = "system:masters";
    static final String AUTHENTICATED = "system:authenticated";
    static final String SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:";
    static final String SERVICE_ACCOUNTS = "system:serviceaccounts";
    /** The group of all nodes. */
    public static final String NODES = "system:nodes";
    private static final String NODE_PREFIX = "system:node:";
    static final String UNAUTHENTICATED = "system:unauthenticated";

    /** The administrator: the user of requests to an open server without credentials, and of in-process calls. */
    public static final User ADMIN = authenticated("system:admin", "", List.of(MASTERS), Map.of());
    /** The user of requests without credentials to a server that authorizes by roles. */
    public static final User ANONYMOUS = new User("system:anonymous", "", List.of(UNAUTHENTICATED), Map.of());

    /** An authenticated user, with the group of all authenticated users added. */
    public static User authenticated(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
        List<String> all = new ArrayList<>(groups);
        if (!all.contains(AUTHENTICATED)) {
            all.add(AUTHENTICATED);
        }
        return new User(name, uid, List.copyOf(all), extra);
    }

    /** A service account, as far as its name tells. */
    public static User serviceAccount(String namespace, String name) {
        return new User(SERVICE_ACCOUNT_PREFIX + namespace + ":" + name, "", serviceAccountGroups(namespace), Map.of());
    }

    /** A node. */
    public static User ofNode(String name) {
        return authenticated(NODE_PREFIX + name, "", List.of(NODES), Map.of());
    }

    /**
     * The name of the node that this user is; null if it is none (upstream: {@code pkg/auth/nodeidentifier}). The name
     * is empty for a user that claims to be a node without a name.
     */
    public @Nullable String node() {
        return name.startsWith(NODE_PREFIX) && isIn(NODES) ? name.substring(NODE_PREFIX.length()) : null;
    }

    /** The groups of all service accounts in a namespace. */
    static List<String> serviceAccountGroups(String namespace) {
        return List.of(SERVICE_ACCOUNTS, SERVICE_ACCOUNTS + ":" + namespace);
    }

    boolean isIn(String group) {
        return groups.contains(group);
    }

    /** The user as {@code UserInfo} of an authentication review. */
    public ObjectNode toJson() {
        ObjectNode user = Json.object();
        if (!name.isEmpty()) {
            user.put("username", name);
        }
        if (!uid.isEmpty()) {
            user.put("uid", uid);
        }
        Json.putTexts(user, "groups", groups);
        if (!extra.isEmpty()) {
            user.set("extra", extraToJson());
        }
        return user;
    }

    /** {@link #extra} as JSON, with sorted keys. */
    public ObjectNode extraToJson() {
        ObjectNode out = Json.object();
        new TreeMap<>(extra).forEach((key, values) -> {
            ArrayNode array = out.putArray(key);
            values.forEach(array::add);
        });
        return out;
    }
}
