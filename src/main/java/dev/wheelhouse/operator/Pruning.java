package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.operator.Applied.Target;
import dev.wheelhouse.operator.Declaration.Part;

/**
 * Deletes the objects of one primary object that are not wanted any more, in the reverse order of the steps in which
 * they were made. An annotation of each object says its step, because the decision of now does not name it. For one
 * sync.
 */
final class Pruning<P extends KubernetesObject> {
    /** The annotation with the number of an object's step. Objects of the first step, 0, lack it. */
    private static final String STEP = "operator.wheelhouse.dev/step";

    private final Caches<P> caches;
    private final OperatorContext<P> context;
    private final Ownership<P> ownership;
    /** The unwanted objects by their steps. */
    private final NavigableMap<Integer, List<Unwanted>> steps = new TreeMap<>();

    private record Unwanted(Target target, KubernetesObject object) {
        boolean isGoing() {
            return object.getMetadata().getDeletionTimestamp() != null;
        }
    }

    Pruning(Caches<P> caches, OperatorContext<P> context, Ownership<P> ownership) {
        this.caches = caches;
        this.context = context;
        this.ownership = ownership;
    }

    /** Writes the number of an object's step into its configuration. */
    static void mark(ObjectNode body, int step) {
        ObjectNode meta = body.withObjectProperty("metadata");
        if (step > 0) {
            meta.withObjectProperty("annotations").put(STEP, String.valueOf(step));
        } else if (meta.get("annotations") instanceof ObjectNode annotations) {
            annotations.remove(STEP);
        }
    }

    private static int stepOf(KubernetesObject object) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        String step = annotations == null ? "" : annotations.getOrDefault(STEP, "");
        return step.matches("\\d{1,9}") ? Integer.parseInt(step) : 0;
    }

    /**
     * Deletes the objects of the last step that has unwanted ones, unless they are being deleted already.
     *
     * @param all whether to wait for the objects of the first step, too, after which nothing is left to delete
     * @return whether a later sync has to go on
     */
    boolean prune(List<Part<?>> owned, Set<Target> wanted, boolean all) {
        owned.forEach(part -> collect(part, wanted));
        if (steps.isEmpty()) {
            return false;
        }
        boolean waits = all || steps.size() > 1;
        for (Unwanted last : steps.lastEntry().getValue()) {
            if (!last.isGoing()) {
                // An object of a later step is gone only once the objects that it owns are, such as pods.
                context.delete(last.target.type(), last.object, steps.lastKey() > 0 ? "Foreground" : "Background",
                        "it is not wanted any more");
            }
            if (waits) {
                context.await(last.target, "it has to be gone before the others are deleted");
            }
        }
        return waits;
    }

    private <T extends KubernetesObject> void collect(Part<T> part, Set<Target> wanted) {
        for (T object : caches.related(List.of(part), context.primary(), false)) {
            Target target = new Target(part.type(), ObjectKey.of(object), "");
            Unwanted unwanted = new Unwanted(target, object);
            if (!wanted.contains(target) && (unwanted.isGoing() || ownership.wrote(target, object.getMetadata()))) {
                steps.computeIfAbsent(stepOf(object), step -> new ArrayList<>()).add(unwanted);
            }
        }
    }
}
