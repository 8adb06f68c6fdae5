package dev.wheelhouse.apiserver.auth;

import java.util.List;

/**
 * Decides whether a user may make a request (upstream: {@code apiserver/pkg/authorization/authorizer}). Thread safe.
 */
public interface Authorizer {
    /** Whether the user may make the request. */
    AuthorizationDecision authorize(User user, RequestInfo request);

    /** The rights of a user in a namespace, and those that do not depend on a namespace, if they can be listed. */
    default List<PolicyRule> rules(User user, String namespace) {
        return List.of();
    }

    /** An authorizer that allows everything to every user. */
    static Authorizer alwaysAllow() {
        return AlwaysAllow.INSTANCE;
    }

    /** The implementation of {@link Authorizer#alwaysAllow}. */
    enum AlwaysAllow implements Authorizer {
        INSTANCE;

        @Override
        public AuthorizationDecision authorize(User user, RequestInfo request) {
            return AuthorizationDecision.ALLOWED;
        }

        @Override
        public List<PolicyRule> rules(User user, String namespace) {
            return PolicyRule.EVERYTHING;
        }
    }
}
