package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/** Service accounts (upstream: {@code pkg/registry/core/serviceaccount}). */
final class ServiceAccountStrategy extends Strategy {
    private static final String ENFORCE = "kubernetes.io/enforce-mountable-secrets";

    ServiceAccountStrategy() {
        super("", "ServiceAccount");
    }

    @Override
    public void warn(String subresource, ObjectNode account, @Nullable ObjectNode old, List<String> warnings) {
        if (!subresource.isEmpty()) {
            return;
        }
        if (enforces(account) && (old == null || !enforces(old))) {
            warnings.add("metadata.annotations[" + ENFORCE + "]: deprecated in v1.32+; prefer separate namespaces to"
                    + " isolate access to mounted secrets");
        }
    }

    private static boolean enforces(ObjectNode account) {
        return account.path("metadata").path("annotations").has(ENFORCE);
    }
}
