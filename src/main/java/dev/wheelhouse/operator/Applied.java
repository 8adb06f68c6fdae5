package dev.wheelhouse.operator;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.facts.SemanticForm;
import dev.wheelhouse.operator.Declaration.Part;

/**
 * Remembers the objects that an operator wrote and how the server stored them, so that no request is sent that would
 * change nothing. The server's answer shows how it fills in and rewrites values: while the stored values of the wanted
 * fields stay as in the answer, the same configuration would change nothing. A new process remembers nothing: it asks
 * the server once for each object whether an earlier process applied the same configuration. Thread safe: the worker of
 * a key and a request for the key's plan may use the key's memory at the same time.
 */
final class Applied {
    private static final Logger log = LoggerFactory.getLogger(Applied.class);
    private static final int MANY = 10;

    private final String operator;
    private final Map<ObjectKey, Map<Target, Memo>> byOwner = new ConcurrentHashMap<>();

    Applied(String operator) {
        this.operator = operator;
    }

    /** @param subresource {@code status} or empty */
    record Target(ResourceType type, ObjectKey key, String subresource) {
        static Target of(Part<?> part, ObjectNode body) {
            return new Target(part.type(), ObjectKey.of(body.at("/metadata/namespace").asString(""),
                    body.at("/metadata/name").asString()), "");
        }
    }

    /**
     * @param uid the stored object's UID
     * @param wanted a hash of the configuration that was sent
     * @param shown a hash of the stored values of the wanted fields
     * @param version a version at which the stored object has these values
     * @param takenBack how many times the same configuration was sent again because other clients had changed its
     *     fields
     */
    record Memo(String uid, UUID wanted, UUID shown, String version, int takenBack) {
        private static final UUID NONE = new UUID(0, 0);

        /** The memory of an object that exists and that this operator did not apply. */
        static Memo ofOthers(String uid) {
            return new Memo(uid, NONE, NONE, "", 0);
        }
    }

    /**
     * A configuration to apply.
     *
     * @param wanted the body in {@link SemanticForm}
     */
    record Configuration<T extends KubernetesObject>(ObjectKey owner, Part<T> part, Target target, ObjectNode body,
            Object wanted, String manager) {
        static <T extends KubernetesObject> Configuration<T> of(ObjectKey owner, Part<T> part, ObjectNode body,
                String manager) {
            return new Configuration<>(owner, part, Target.of(part, body), body, SemanticForm.of(body, part.type()),
                    manager);
        }

        /** @param force whether fields of other managers are taken; without, an unseen object is not overwritten */
        Action.Apply action(boolean force, String why) {
            return new Action.Apply(part.type(), target.key, "", part.model(), manager, force, ModelJson.write(body),
                    why);
        }
    }

    /**
     * Applies a configuration, unless the object exists and would not change.
     *
     * @param stored the existing object; null for none
     * @param must why an existing object has to be written in any case; null if nothing requires it
     * @param before as {@link #reason} has it, of the existing object
     * @param write sends a write; its answer is null if the write was only planned
     * @param then ends the apply: what it returns is the stored object
     * @return a copy of the object as it is, or as it is wanted if the apply was only planned
     */
    <T extends KubernetesObject> T apply(Configuration<T> it, @Nullable T stored, @Nullable String must, SyncRun run,
            Function<T, @Nullable String> before, Function<Action.Write, @Nullable KubernetesObject> write,
            UnaryOperator<T> then) {
        String why = stored == null
                ? "it does not exist"
                : must != null ? must : reason(it.owner, it.target, it.wanted, stored, run, () -> before.apply(stored));
        KubernetesObject answer = why == null ? null : write.apply(it.action(stored != null, why));
        if (why == null || answer == null) {
            return stored == null ? ModelJson.read(it.body, it.part.model()) : ModelJson.copy(stored);
        }
        T left = then.apply(it.part.model().cast(answer));
        run.effect(() -> sent(it.owner, it.target, it.wanted, stored, left, why));
        return left;
    }

    /**
     * The reason to apply an object that exists, for people; null if the apply would change nothing.
     *
     * @param wanted the configuration, in {@link SemanticForm}
     * @param before asks the server why the stored object is not as if just this configuration was applied by another
     *     process of the operator; null if it is
     */
    private @Nullable String reason(ObjectKey owner, Target target, Object wanted, KubernetesObject stored, SyncRun run,
            Supplier<@Nullable String> before) {
        Memo last = get(owner, target);
        Memo same = same(last, wanted, stored);
        if (same != null && same.version.equals(stored.getMetadata().getResourceVersion())) {
            return null;
        }
        Memo now = memo(target, wanted, stored, same == null ? 0 : same.takenBack);
        if (same != null && now.shown.equals(same.shown)) {
            run.effect(() -> put(owner, target, now));
            return null;
        }
        String drift = Drift.first(wanted, SemanticForm.of(ModelJson.tree(stored), target.type),
                !target.type.equals(ResourceType.SECRETS));
        String why = drift;
        if (why == null) {
            why = last == null || !run.writes() ? before.get() : "this process has not applied it yet";
        }
        if (why == null) {
            run.note(() -> put(owner, target, now));
        }
        return why;
    }

    private static @Nullable Memo same(@Nullable Memo last, Object wanted, KubernetesObject stored) {
        return last != null && last.uid.equals(stored.getMetadata().getUid()) && last.wanted.equals(Drift.hash(wanted))
                ? last
                : null;
    }

    /**
     * Whether it is known of this version of an object that the apply would change nothing. Only the object's metadata
     * is used.
     */
    boolean isShown(ObjectKey owner, Target target, Object wanted, KubernetesObject stored) {
        Memo same = same(get(owner, target), wanted, stored);
        return same != null && same.version.equals(stored.getMetadata().getResourceVersion());
    }

    /**
     * Remembers an apply. Warns when other clients have changed the same fields many times.
     *
     * @param before the stored object before the apply; null if there was none
     * @param answer the stored object after it
     * @param why the reason of the apply
     */
    private void sent(ObjectKey owner, Target target, Object wanted, @Nullable KubernetesObject before,
            KubernetesObject answer, String why) {
        Memo last = get(owner, target);
        int takenBack = last == null || before == null || !last.wanted.equals(Drift.hash(wanted))
                ? 0
                : last.takenBack + 1;
        if (takenBack > 0 && takenBack % MANY == 0) {
            log.warn("{}: other clients have changed {} {} {} times, and each time it was applied again ({}): leave "
                    + "out of the wanted object the fields that others set", operator, target.type, target.key,
                    takenBack, why);
        }
        put(owner, target, memo(target, wanted, answer, takenBack));
    }

    private static Memo memo(Target target, Object wanted, KubernetesObject stored, int takenBack) {
        V1ObjectMeta meta = stored.getMetadata();
        return new Memo(String.valueOf(meta.getUid()), Drift.hash(wanted),
                Drift.hash(Drift.projection(wanted, SemanticForm.of(ModelJson.tree(stored), target.type))),
                String.valueOf(meta.getResourceVersion()), takenBack);
    }

    @Nullable
    Memo get(ObjectKey owner, Target target) {
        return byOwner.getOrDefault(owner, Map.of()).get(target);
    }

    void put(ObjectKey owner, Target target, Memo memo) {
        byOwner.computeIfAbsent(owner, key -> new ConcurrentHashMap<>()).put(target, memo);
    }

    void remove(ObjectKey owner, Target target) {
        Map<Target, Memo> memos = byOwner.get(owner);
        if (memos != null) {
            memos.remove(target);
        }
    }

    void forget(ObjectKey owner) {
        byOwner.remove(owner);
    }
}
