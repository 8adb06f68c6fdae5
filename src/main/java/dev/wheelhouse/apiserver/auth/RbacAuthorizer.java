package dev.wheelhouse.apiserver.auth;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Role-based access control. A request is allowed if a binding gives the user, or one of the user's groups, a role with
 * a rule that allows it. There are no rules that deny (upstream: {@code plugin/pkg/auth/authorizer/rbac/rbac.go}).
 * Thread safe.
 */
public final class RbacAuthorizer implements Authorizer {
    private final RbacPolicies policies;

    public RbacAuthorizer(RbacPolicies policies) {
        this.policies = policies;
    }

    private interface Visitor {
        /** @return whether to continue */
        boolean visit(RbacPolicies.Binding binding, RbacPolicies.Subject subject, PolicyRule rule);
    }

    @Override
    public AuthorizationDecision authorize(User user, RequestInfo request) {
        if (user.isIn(User.MASTERS)) {
            return AuthorizationDecision.ALLOWED;
        }
        String[] reason = new String[1];
        Set<String> problems = visit(user, request.namespace(), (binding, subject, rule) -> {
            if (rule.allows(request)) {
                reason[0] = "RBAC: allowed by " + binding + " to " + subject;
            }
            return reason[0] == null;
        });
        if (reason[0] != null) {
            return new AuthorizationDecision(true, reason[0]);
        }
        return new AuthorizationDecision(false, switch (problems.size()) {
            case 0 -> "";
            case 1 -> "RBAC: " + problems.iterator().next();
            default -> "RBAC: [" + String.join(", ", problems) + "]";
        });
    }

    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        List<PolicyRule> rules = new ArrayList<>();
        if (user.isIn(User.MASTERS)) {
            rules.addAll(PolicyRule.EVERYTHING);
        }
        visit(user, namespace, (binding, subject, rule) -> {
            rules.add(rule);
            return true;
        });
        return rules.stream().distinct().toList();
    }

    /** Visits all rules of a user. Returns error messages about bindings whose role does not exist. */
    private Set<String> visit(User user, String namespace, Visitor visitor) {
        Set<String> missing = new TreeSet<>();
        for (RbacPolicies.SubjectBinding bound : policies.bindingsOf(user, namespace)) {
            RbacPolicies.Binding binding = bound.binding();
            List<PolicyRule> rules = policies.rules(binding.roleKind(), binding.namespace(), binding.roleName());
            if (rules == null) {
                missing.add((binding.roleKind().equals("ClusterRole") ? "clusterrole." : "role.") + RbacPolicies.GROUP
                        + " \"" + binding.roleName() + "\" not found");
                continue;
            }
            for (PolicyRule rule : rules) {
                if (!visitor.visit(binding, bound.subject(), rule)) {
                    return missing;
                }
            }
        }
        return missing;
    }
}
