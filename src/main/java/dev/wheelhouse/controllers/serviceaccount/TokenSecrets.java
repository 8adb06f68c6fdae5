package dev.wheelhouse.controllers.serviceaccount;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Secrets that hold the token of a ServiceAccount, which their annotations name. */
final class TokenSecrets {
    static final String TYPE = "kubernetes.io/service-account-token";
    static final String ACCOUNT_NAME = "kubernetes.io/service-account.name";
    static final String ACCOUNT_UID = "kubernetes.io/service-account.uid";
    private static final String BY_ACCOUNT = "serviceaccount-token/account";

    private TokenSecrets() {}

    /** The informer of these Secrets alone. */
    static SharedIndexInformer<V1Secret> informer(SharedInformerFactory informers) {
        return informers.informer(ResourceType.SECRETS, V1Secret.class, "", LabelSelector.everything(),
                FieldSelector.parse("type=" + TYPE));
    }

    static void indexByAccount(SharedIndexInformer<V1Secret> secrets) {
        secrets.getIndexer().addIndex(BY_ACCOUNT, TokenSecrets::indexValues);
    }

    private static Collection<String> indexValues(V1Secret secret) {
        ObjectKey account = account(secret);
        return account == null ? List.of() : List.of(account.toString());
    }

    /** The Secrets that name an account, of an informer that {@link #indexByAccount} has prepared. */
    static List<V1Secret> of(SharedIndexInformer<V1Secret> secrets, ObjectKey account) {
        return secrets.getIndexer().byIndex(BY_ACCOUNT, account.toString());
    }

    /** The account that a Secret names; null if it names none. */
    static @Nullable ObjectKey account(V1Secret secret) {
        String name = orEmpty(Metadata.annotation(secret, ACCOUNT_NAME));
        return name.isEmpty() ? null : ObjectKey.of(String.valueOf(secret.getMetadata().getNamespace()), name);
    }

    /** The UID of the account; empty if the Secret does not name it. */
    static String accountUid(V1Secret secret) {
        return orEmpty(Metadata.annotation(secret, ACCOUNT_UID));
    }

    /** Whether a UID from a Secret, which may be empty, is that of an account. */
    static boolean isOf(String uid, @Nullable V1ServiceAccount account) {
        return account != null && (uid.isEmpty() || uid.equals(account.getMetadata().getUid()));
    }

    static boolean references(V1ServiceAccount account, String secret) {
        return orEmpty(account.getSecrets()).stream().anyMatch(reference -> secret.equals(reference.getName()));
    }
}
