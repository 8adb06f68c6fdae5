package dev.wheelhouse.controllers.serviceaccount;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

/** The decisions about the token Secrets of one account (upstream: {@code tokens_controller.go}). Pure functions. */
final class TokenDecisions {
    private static final String TOKEN = "token";
    private static final String NAMESPACE = "namespace";
    private static final String ROOT_CA = "ca.crt";

    private TokenDecisions() {}

    /** A token Secret that was deleted. The UID of its account is empty if the Secret did not name it. */
    record Deleted(String secret, String accountUid) {}

    /** Makes the token that a Secret of an account holds. */
    interface TokenSource {
        String token(V1ServiceAccount account, String secret);
    }

    /**
     * Fills the Secrets of the account, deletes the Secrets of accounts that no longer exist, and removes the account's
     * references to Secrets that were deleted.
     *
     * @param account the account; null if there is none of the name
     * @param secrets the Secrets that name the account
     * @param deleted the deleted Secrets that named the account
     * @param rootCa the content of {@code ca.crt}, PEM; if empty, the key stays as it is
     */
    static List<Action> decide(@Nullable V1ServiceAccount account, List<V1Secret> secrets,
            Collection<Deleted> deleted, String rootCa, TokenSource tokens) {
        List<Action.Write> writes = new ArrayList<>();
        byte[] authorities = rootCa.getBytes(StandardCharsets.UTF_8);
        for (V1Secret secret : secrets) {
            if (account == null || !TokenSecrets.isOf(TokenSecrets.accountUid(secret), account)) {
                // A finalizer may keep a deleted Secret, and each change of another Secret of the account is a sync.
                if (secret.getMetadata().getDeletionTimestamp() == null) {
                    writes.add(new Action.Delete(ResourceType.SECRETS, ObjectKey.of(secret),
                            Deletion.ofUid(secret.getMetadata().getUid()), "its account no longer exists"));
                }
            } else if (needs(secret, authorities)) {
                writes.add(new Action.Update(ResourceType.SECRETS, filled(secret, account, authorities, tokens),
                        "the Secret of an account needs a token, the namespace and the certificates"));
            }
        }
        if (account != null) {
            Set<String> gone = deleted.stream().filter(each -> TokenSecrets.isOf(each.accountUid(), account))
                    .map(Deleted::secret).collect(Collectors.toSet());
            if (gone.stream().anyMatch(secret -> TokenSecrets.references(account, secret))) {
                V1ServiceAccount changed = ModelJson.copy(account);
                changed.setSecrets(new ArrayList<>(Objects.requireNonNull(changed.getSecrets())));
                changed.getSecrets().removeIf(reference -> gone.contains(String.valueOf(reference.getName())));
                writes.add(new Action.Update(ResourceType.SERVICE_ACCOUNTS, changed, "the Secret was deleted"));
            }
        }
        return writes.isEmpty() ? List.of() : List.of(Action.Batch.each(writes));
    }

    private static boolean needs(V1Secret secret, byte[] authorities) {
        return isEmpty(secret, TOKEN) || isEmpty(secret, NAMESPACE) || needsAuthorities(secret, authorities);
    }

    private static boolean needsAuthorities(V1Secret secret, byte[] authorities) {
        return authorities.length > 0 && !Arrays.equals(value(secret, ROOT_CA), authorities);
    }

    private static boolean isEmpty(V1Secret secret, String key) {
        byte[] value = value(secret, key);
        return value == null || value.length == 0;
    }

    private static byte @Nullable [] value(V1Secret secret, String key) {
        Map<String, byte[]> data = secret.getData();
        return data == null ? null : data.get(key);
    }

    private static V1Secret filled(V1Secret secret, V1ServiceAccount account, byte[] authorities, TokenSource tokens) {
        V1Secret filled = ModelJson.copy(secret);
        if (needsAuthorities(secret, authorities)) {
            filled.putDataItem(ROOT_CA, authorities);
        }
        if (isEmpty(secret, NAMESPACE)) {
            filled.putDataItem(NAMESPACE,
                    String.valueOf(secret.getMetadata().getNamespace()).getBytes(StandardCharsets.UTF_8));
        }
        if (isEmpty(secret, TOKEN)) {
            filled.putDataItem(TOKEN, tokens.token(account, String.valueOf(secret.getMetadata().getName()))
                    .getBytes(StandardCharsets.UTF_8));
        }
        filled.getMetadata().putAnnotationsItem(TokenSecrets.ACCOUNT_NAME, account.getMetadata().getName())
                .putAnnotationsItem(TokenSecrets.ACCOUNT_UID, account.getMetadata().getUid());
        return filled;
    }
}
