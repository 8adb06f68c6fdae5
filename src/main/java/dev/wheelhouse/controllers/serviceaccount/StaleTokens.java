package dev.wheelhouse.controllers.serviceaccount;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;

/**
 * The decision about token Secrets that nobody uses (upstream: {@code legacy_serviceaccount_token_cleaner.go}). A pure
 * function. Dates are UTC.
 *
 * @param account the account of a key; null if there is none
 * @param mounted the names of the Secrets that the pods of a namespace use
 */
record StaleTokens(Instant now, Duration cleanUpPeriod, Function<ObjectKey, @Nullable V1ServiceAccount> account,
        Function<String, Set<String>> mounted) {
    static final String LAST_USED = "kubernetes.io/legacy-token-last-used";
    static final String INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

    /** Whether the use of tokens has been recorded for long enough, if the record began on this day. */
    boolean isTrackedSince(LocalDate day) {
        return !now.isBefore(day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().plus(cleanUpPeriod));
    }

    /** Marks unused Secrets as invalid, and deletes those that were marked before the period began. */
    List<Action.Write> among(List<V1Secret> secrets) {
        Instant begin = now.minus(cleanUpPeriod);
        LocalDate firstDay = begin.atOffset(ZoneOffset.UTC).toLocalDate();
        Map<String, Set<String>> used = new HashMap<>();
        List<Action.Write> writes = new ArrayList<>();
        for (V1Secret secret : secrets) {
            V1ObjectMeta meta = secret.getMetadata();
            if (isOld(meta, begin) && isUnused(Metadata.label(secret, LAST_USED), firstDay) && isGenerated(secret)
                    && !used.computeIfAbsent(String.valueOf(meta.getNamespace()), mounted).contains(meta.getName())) {
                LocalDate invalid = date(Metadata.label(secret, INVALID_SINCE));
                if (invalid == null) {
                    writes.add(mark(secret));
                } else if (invalid.isBefore(firstDay)) {
                    writes.add(new Action.Delete(ResourceType.SECRETS, ObjectKey.of(secret),
                            new Deletion(null, null, meta.getResourceVersion(), null),
                            "its token was not used since it became invalid on " + invalid));
                }
            }
        }
        return writes;
    }

    private static boolean isOld(V1ObjectMeta meta, Instant begin) {
        return meta.getDeletionTimestamp() == null && meta.getCreationTimestamp() != null
                && meta.getCreationTimestamp().toInstant().isBefore(begin);
    }

    /** Without the label, the token was not used since the record began. A label that is no date proves nothing. */
    private static boolean isUnused(@Nullable String lastUsed, LocalDate firstDay) {
        LocalDate day = date(lastUsed);
        return lastUsed == null || (day != null && day.isBefore(firstDay));
    }

    /** Whether the Secret was made for its account, which then refers to it. */
    private boolean isGenerated(V1Secret secret) {
        ObjectKey key = TokenSecrets.account(secret);
        V1ServiceAccount its = key == null ? null : account.apply(key);
        return its != null && TokenSecrets.isOf(TokenSecrets.accountUid(secret), its)
                && TokenSecrets.references(its, ObjectKey.of(secret).name());
    }

    private Action.Write mark(V1Secret secret) {
        String today = now.atOffset(ZoneOffset.UTC).toLocalDate().toString();
        return new Action.Patch(ResourceType.SECRETS, ObjectKey.of(secret), "", PatchType.MERGE,
                ModelJson.write(Map.of("apiVersion", "v1", "kind", "Secret", "metadata",
                        Map.of("name", ObjectKey.of(secret).name(), "namespace", ObjectKey.of(secret).namespace(),
                                "uid", String.valueOf(secret.getMetadata().getUid()), "labels",
                                Map.of(INVALID_SINCE, today)))),
                "its token was not used for " + cleanUpPeriod.toDays() + " days");
    }

    /** The date in a label; null if there is none. */
    static @Nullable LocalDate date(@Nullable String text) {
        try {
            return text == null ? null : LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
