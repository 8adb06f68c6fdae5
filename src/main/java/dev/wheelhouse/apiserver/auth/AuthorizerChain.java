package dev.wheelhouse.apiserver.auth;

import java.util.List;
import java.util.StringJoiner;

/**
 * Asks authorizers in their order, until one allows or denies the request (upstream:
 * {@code apiserver/pkg/authorization/union}). Members of {@code system:masters} may do everything.
 */
record AuthorizerChain(List<Authorizer> authorizers) implements Authorizer {
    @Override
    public AuthorizationDecision authorize(User user, RequestInfo request) {
        if (user.isIn(User.MASTERS)) {
            return AuthorizationDecision.ALLOWED;
        }
        StringJoiner reasons = new StringJoiner("\n");
        for (Authorizer each : authorizers) {
            AuthorizationDecision decision = each.authorize(user, request);
            if (decision.allowed() || decision.denied()) {
                return decision;
            }
            if (!decision.reason().isEmpty()) {
                reasons.add(decision.reason());
            }
        }
        return new AuthorizationDecision(false, reasons.toString());
    }

    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        return authorizers.stream().flatMap(each -> each.rules(user, namespace).stream()).distinct().toList();
    }
}
