package dev.wheelhouse.apiserver.auth;

import java.security.KeyPair;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.runtime.Clock;

/**
 * Whom a server knows, and what they may do.
 *
 * @param open whether requests without credentials are the administrator's; else they are anonymous where roles say what
 *        that means, and refused where everybody who is known may do everything
 * @param tokens users by their bearer tokens
 * @param adminToken the administrator's own, which the server's kubeconfig holds; empty where the server is open
 * @param signingKeys for the tokens of service accounts; asked for when the first is made or verified
 */
public record Security(AuthorizationMode mode, boolean open, Map<String, User> tokens, String adminToken,
        Supplier<KeyPair> signingKeys) {

    /** Requests need no credentials and may do everything. */
    public static Security none() {
        return open(ServerKeys.inMemory());
    }

    /** Requests need no credentials and may do everything. @param keys for the tokens of service accounts */
    public static Security open(ServerKeys keys) {
        return new Security(AuthorizationMode.ALWAYS_ALLOW, true, Map.of(), "", keys::signingKeys);
    }

    /**
     * Requests need credentials.
     *
     * @param tokens users by their bearer tokens, beside the administrator
     * @param keys for the administrator's token and those of service accounts
     */
    public static Security of(AuthorizationMode mode, Map<String, User> tokens, ServerKeys keys) {
        return new Security(mode, false, Map.copyOf(tokens), keys.adminToken(), keys::signingKeys);
    }

    /** What decides over requests to a server with this store. */
    public Access over(ObjectStore store, Clock clock) {
        ServiceAccountTokens serviceAccounts = new ServiceAccountTokens(store, clock, signingKeys);
        User unknown = open ? User.ADMIN : mode == AuthorizationMode.RBAC ? User.ANONYMOUS : null;
        RbacPolicies policies = new RbacPolicies(store);
        Map<String, User> known = new HashMap<>(tokens);
        if (!adminToken.isEmpty()) {
            known.put(adminToken, User.ADMIN);
        }
        return new Access(new Authenticator(known, serviceAccounts, unknown),
                mode == AuthorizationMode.RBAC ? new RbacAuthorizer(policies) : Authorizer.alwaysAllow(), policies,
                serviceAccounts);
    }

    /** @param policies the roles that the store has, whatever the authorizer */
    public record Access(Authenticator authenticator, Authorizer authorizer, RbacPolicies policies,
            ServiceAccountTokens serviceAccounts) {}
}
