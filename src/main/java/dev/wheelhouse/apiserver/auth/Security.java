package dev.wheelhouse.apiserver.auth;

import java.security.KeyPair;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.runtime.Clock;

/**
 * The security settings of a server: how users are known, and what they may do. Immutable.
 *
 * @param open whether requests without credentials act as the administrator. If not, such requests are anonymous under
 *         an authorization by roles, and refused otherwise
 * @param tokens users by their bearer tokens
 * @param adminToken the administrator's token, which the server's kubeconfig contains; empty if the server is open
 * @param podAccounts whether pods get service accounts, which must exist then. Something has to make the account
 *     {@code default} of each namespace, as the ServiceAccount controller does
 * @param podSecurity the defaults of Pod Security, and who is exempt
 * @param others who also say who users are and what they may do
 * @param signingKeys sign the tokens of service accounts; supplied when the first token is made or verified
 */
public record Security(AuthorizationMode mode, boolean open, Map<String, User> tokens, String adminToken,
        boolean podAccounts, PodSecurityConfig podSecurity, OtherParties others,
        Supplier<KeyPair> signingKeys) {

    /** Requests need no credentials and may do everything. Keys are not stored. */
    public static Security none() {
        return open(ServerKeys.inMemory());
    }

    /**
     * Requests need no credentials and may do everything.
     *
     * @param keys the store of the keys for service accounts' tokens
     */
    public static Security open(ServerKeys keys) {
        return new Security(AuthorizationMode.ALWAYS_ALLOW, true, Map.of(), "", false, PodSecurityConfig.NONE,
                OtherParties.NONE, keys::signingKeys);
    }

    /**
     * Requests need credentials.
     *
     * @param tokens users by their bearer tokens, besides the administrator
     * @param keys the store of the administrator's token and of the keys for service accounts' tokens
     */
    public static Security of(AuthorizationMode mode, Map<String, User> tokens, ServerKeys keys) {
        return new Security(mode, false, Map.copyOf(tokens), keys.adminToken(), false, PodSecurityConfig.NONE,
                OtherParties.NONE, keys::signingKeys);
    }

    /** These settings with service accounts for pods, as kube-apiserver has by default, or without. */
    public Security withPodAccounts(boolean wanted) {
        return new Security(mode, open, tokens, adminToken, wanted, podSecurity, others, signingKeys);
    }

    /** These settings with other defaults of Pod Security. */
    public Security withPodSecurity(PodSecurityConfig other) {
        return new Security(mode, open, tokens, adminToken, podAccounts, other, others, signingKeys);
    }

    /** These settings with other parties. */
    public Security withOthers(OtherParties parties) {
        return new Security(mode, open, tokens, adminToken, podAccounts, podSecurity, parties, signingKeys);
    }

    /** The authenticator and authorizer of a server with this store. */
    public Access accessTo(ObjectStore store, Clock clock) {
        ServiceAccountTokens serviceAccounts = new ServiceAccountTokens(store, clock, signingKeys);
        List<OtherParties.AuthorizerOfStore> wanted = others.authorizers() != null
                || mode == AuthorizationMode.ALWAYS_ALLOW
                        ? others.authorizers()
                        : List.of(OtherParties.NODES, OtherParties.ROLES);
        User withoutCredentials = open ? User.ADMIN : wanted != null ? User.ANONYMOUS : null;
        RbacPolicies policies = new RbacPolicies(store);
        Map<String, User> known = new HashMap<>(tokens);
        if (!adminToken.isEmpty()) {
            known.put(adminToken, User.ADMIN);
        }
        return new Access(
                new Authenticator(known, serviceAccounts, new BootstrapTokens(store, clock), others.tokens(), clock,
                        withoutCredentials),
                wanted == null
                        ? Authorizer.alwaysAllow()
                        : new AuthorizerChain(wanted.stream().map(each -> each.of(store, policies)).toList()),
                policies, serviceAccounts);
    }

    /** @param policies the roles in the store, in every authorization mode */
    public record Access(Authenticator authenticator, Authorizer authorizer, RbacPolicies policies,
            ServiceAccountTokens serviceAccounts) {}
}
