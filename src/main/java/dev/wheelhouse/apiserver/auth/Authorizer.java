package dev.wheelhouse.apiserver.auth;

import java.util.List;

/** Decides who may do what (upstream: {@code apiserver/pkg/authorization/authorizer}). */
public interface Authorizer {
    Decision authorize(User user, RequestInfo request);

    /** All that a user may do in a namespace and beside the namespaces, as far as it is known. */
    List<PolicyRule> rules(User user, String namespace);

    /** Everybody may do everything. */
    static Authorizer alwaysAllow() {
        return AlwaysAllow.INSTANCE;
    }

    /** See {@link Authorizer#alwaysAllow}. */
    enum AlwaysAllow implements Authorizer {
        INSTANCE;

        @Override
        public Decision authorize(User user, RequestInfo request) {
            return Decision.ALLOWED;
        }

        @Override
        public List<PolicyRule> rules(User user, String namespace) {
            return PolicyRule.EVERYTHING;
        }
    }
}
