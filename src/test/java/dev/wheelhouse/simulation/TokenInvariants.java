package dev.wheelhouse.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.serviceaccount.TokenController;

/** A Secret is not deleted while its account exists, and a token is never replaced by another one. */
record TokenInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(TokenController.NAME) || !write.request().type().equals(ResourceType.SECRETS)) {
            return List.of();
        }
        V1Secret live = truth.get(ResourceType.SECRETS, V1Secret.class, write.request().key().name());
        if (live == null) {
            return List.of();
        }
        if (write.is("delete", ResourceType.SECRETS)) {
            return belongs(live)
                    ? List.of("the Secret " + Truth.name(live) + " is deleted, and its account exists")
                    : List.of();
        }
        V1Secret changed = write.object(V1Secret.class);
        byte[] before = token(live);
        return changed == null || before == null || Arrays.equals(before, token(changed))
                ? List.of()
                : List.of("the token of " + Truth.name(live) + " is replaced");
    }

    private static byte @Nullable [] token(V1Secret secret) {
        Map<String, byte[]> data = secret.getData();
        return data == null ? null : data.get("token");
    }

    private boolean belongs(V1Secret secret) {
        Map<String, String> annotations = secret.getMetadata().getAnnotations();
        String account = annotations.getOrDefault("kubernetes.io/service-account.name", "");
        String uid = annotations.getOrDefault("kubernetes.io/service-account.uid", "");
        V1ServiceAccount its = truth.get(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class, account);
        return its != null && (uid.isEmpty() || uid.equals(Truth.uid(its)));
    }
}
