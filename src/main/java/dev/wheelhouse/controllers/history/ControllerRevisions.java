package dev.wheelhouse.controllers.history;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Makes, orders and selects ControllerRevisions (upstream: {@code pkg/controller/history/controller_history.go}). The
 * revisions that are returned may share parts with those that are given, so nobody may change either.
 */
public final class ControllerRevisions {
    /** The label with the hash of a StatefulSet's revision. */
    public static final String HASH_LABEL = "controller.kubernetes.io/hash";

    /** The order of a history: by number, then by age, then by name. */
    public static final Comparator<V1ControllerRevision> OLDEST_FIRST = Comparator
            .comparingLong(ControllerRevisions::number)
            .thenComparing(revision -> revision.getMetadata().getCreationTimestamp(),
                    Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(revision -> revision.getMetadata().getName());

    private static final int LONGEST_PREFIX = 223;
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private ControllerRevisions() {}

    /** The number of a revision; 0 if it has none. */
    public static long number(V1ControllerRevision revision) {
        return orZero(revision.getRevision());
    }

    /** The number of the revision that follows a history in the order {@link #OLDEST_FIRST}. */
    public static long next(List<V1ControllerRevision> history) {
        return history.isEmpty() ? 1 : number(history.getLast()) + 1;
    }

    /**
     * A new revision, which {@code owner} controls. It has the owner's annotations.
     *
     * @param data from {@link RevisionData#of}
     * @param hash the end of the name and the value of the label {@code hashLabel}
     * @param labels the other labels: those of the pod template
     */
    public static V1ControllerRevision make(ResourceType ownerType, V1ObjectMeta owner, String data, long number,
            String hash, String hashLabel, @Nullable Map<String, String> labels) {
        Map<String, String> allLabels = new HashMap<>(orEmpty(labels));
        allLabels.put(hashLabel, hash);
        return new V1ControllerRevision().apiVersion("apps/v1").kind("ControllerRevision")
                .metadata(new V1ObjectMeta().namespace(owner.getNamespace()).name(name(owner.getName(), hash))
                        .labels(allLabels).annotations(owner.getAnnotations())
                        .ownerReferences(List.of(OwnerReferences.controllerReference(ownerType, owner))))
                .data(new V1Patch(data)).revision(number);
    }

    /**
     * The hash of a revision's data: 32-bit FNV-1 in an alphabet that is safe in names.
     *
     * @param collisionCount is hashed too; null for none
     */
    public static String hash(String data, @Nullable Integer collisionCount) {
        String hashed = collisionCount == null ? data : data + collisionCount;
        int hash = 0x811c9dc5;
        for (byte b : hashed.getBytes(StandardCharsets.UTF_8)) {
            hash = hash * 16777619 ^ (b & 0xff);
        }
        return safeEncode(Integer.toUnsignedString(hash));
    }

    /** A text in an alphabet without vowels, so that no words appear (upstream: {@code rand.SafeEncodeString}). */
    public static String safeEncode(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        text.chars().forEach(c -> encoded.append(ALPHABET.charAt(c % ALPHABET.length())));
        return encoded.toString();
    }

    /** The name {@code <owner>-<hash>}. The owner's name is shortened if the result would be too long. */
    public static String name(String owner, String hash) {
        return (owner.length() > LONGEST_PREFIX ? owner.substring(0, LONGEST_PREFIX) : owner) + "-" + hash;
    }

    /** The revision under another name, because its own is taken. Its labels stay, as in upstream. */
    public static V1ControllerRevision renamed(V1ControllerRevision revision, String name) {
        V1ObjectMeta meta = ModelJson.shallowCopy(revision.getMetadata());
        meta.setName(name);
        return ModelJson.shallowCopy(revision).metadata(meta);
    }

    /**
     * The revision with another number, to be written. Its data has the bytes that the API server has, since the server
     * refuses any other data.
     */
    public static V1ControllerRevision renumbered(V1ControllerRevision revision, long number) {
        return ModelJson.shallowCopy(revision).apiVersion("apps/v1").kind("ControllerRevision")
                .data(new V1Patch(RevisionData.of(revision))).revision(number);
    }

    /** The revision with other labels, to be written. */
    public static V1ControllerRevision relabeled(V1ControllerRevision revision, Map<String, String> labels) {
        V1ObjectMeta meta = ModelJson.shallowCopy(revision.getMetadata());
        meta.setLabels(labels);
        return renumbered(revision, number(revision)).metadata(meta);
    }

    /**
     * The last of the revisions that hold these data, byte for byte; null if none does.
     *
     * @param history in the order {@link #OLDEST_FIRST}
     */
    public static @Nullable V1ControllerRevision last(List<V1ControllerRevision> history, String data) {
        return history.reversed().stream().filter(revision -> RevisionData.of(revision).equals(data)).findFirst()
                .orElse(null);
    }

    /**
     * The oldest revisions that are not in use, which a history that is too long loses.
     *
     * @param history in the order {@link #OLDEST_FIRST}
     * @param count how many; fewer are returned if more are in use
     */
    public static List<V1ControllerRevision> oldest(List<V1ControllerRevision> history,
            Predicate<V1ControllerRevision> inUse, int count) {
        return history.stream().filter(inUse.negate()).limit(Math.max(0, count)).toList();
    }
}
