package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.testing.WriteRequest;

/**
 * The invariants of a manager's writes. They compare the write with the server's content and with the specs that the
 * manager has read.
 */
final class Checks {
    private final KubeClient truth;
    private final Story story;
    private final Supplier<@Nullable Manager> manager;
    private final Supplier<@Nullable Manager> deposed;
    private final Set<String> attempted = new HashSet<>();
    private final Set<String> acknowledged = new HashSet<>();
    private boolean disrupted;
    private final Set<String> ended = new HashSet<>();
    private int lateCreates;
    private int lateDeletes;
    private final Set<ObjectKey> lateSizes = new HashSet<>();

    Checks(KubeClient truth, Story story, Supplier<@Nullable Manager> manager, Supplier<@Nullable Manager> deposed) {
        this.truth = truth;
        this.story = story;
        this.manager = manager;
        this.deposed = deposed;
    }

    /**
     * Switches off the checks of available pods, because pods become unready by themselves and a manager's view may be
     * late.
     */
    void disrupted() {
        disrupted = true;
    }

    /** Allows this many creations and deletions of pods by a deposed manager in addition. */
    void allow(int creations, int deletions) {
        lateCreates = creations;
        lateDeletes = deletions;
    }

    /**
     * Records that a deposed manager resized a ReplicaSet whose version it had read. The leading manager cannot know
     * that when it writes to another ReplicaSet, because preconditions cover one object only.
     */
    void sizedLate(ObjectKey replicaSet) {
        lateSizes.add(replicaSet);
    }

    /** Records that a user or a node ends a pod. Until a manager's cache shows that, the manager counts the pod. */
    void ends(String podName) {
        ended.add(podName);
    }

    /** Records that a new process starts, which has no memory. */
    void newManager() {
        attempted.clear();
        acknowledged.clear();
    }

    /** @return the invariants that the write would violate if it succeeded */
    List<String> before(WriteRequest request) {
        Manager current = manager.get();
        if (current == null) {
            return List.of();
        }
        ResourceType type = request.type();
        if (type.equals(ResourceType.PODS)) {
            return switch (request.verb()) {
                case "create" -> podCreated(current, request);
                case "delete" -> podDeleted(current, request);
                default -> List.of();
            };
        }
        if (request.subresource().equals("status")) {
            return statusWritten(request);
        }
        if (type.equals(ResourceType.REPLICA_SETS) && request.object() instanceof V1ReplicaSet replicaSet) {
            return replicaSetWritten(current, replicaSet);
        }
        return List.of();
    }

    /**
     * Checks a write of a deposed manager, whose view is outdated. The write may succeed only if its object is still as
     * the manager read it. The manager may not create more pods than were missing in its view.
     *
     * @param created the number of pods that it has created so far, by owner
     * @return the invariants that the write would violate if it succeeded
     */
    List<String> late(WriteRequest request, Map<String, Integer> created) {
        String what = "a manager that was deposed: " + request;
        if (request.verb().equals("create")) {
            V1OwnerReference owner = request.object() == null
                    ? null
                    : OwnerReferences.controllerOf(request.object().getMetadata());
            if (owner == null) {
                return List.of();
            }
            int count = created.merge(owner.getUid(), 1, Integer::sum);
            Manager old = deposed.get();
            V1ReplicaSet read = old == null || !request.type().equals(ResourceType.PODS)
                    ? null
                    : old.cached(ResourceType.REPLICA_SETS, V1ReplicaSet.class,
                            new ObjectKey(request.key().namespace(), owner.getName()));
            int lacked = read == null
                    ? Integer.MAX_VALUE
                    : read.getSpec().getReplicas() - (int) old.cached(ResourceType.PODS, V1Pod.class).stream()
                            .filter(p -> owns(read, p) && isActive(p)).count();
            return count <= lacked ? List.of() : List.of(what + ": " + count + " pods, and it lacked " + lacked);
        }
        V1ObjectMeta live;
        try {
            live = truth.metadata(request.type()).get(request.key()).getMetadata();
        } catch (ApiError gone) {
            return List.of(what + " of what is gone");
        }
        return switch (request.payload()) {
            case Deletion deletion -> !live.getUid().equals(deletion.uid()) || (deletion.resourceVersion() != null
                    && !deletion.resourceVersion().equals(live.getResourceVersion()))
                            ? List.of(what + " of another than it read")
                            : List.of();
            case KubernetesObject object -> live.getResourceVersion().equals(object.getMetadata().getResourceVersion())
                    ? List.of()
                    : List.of(what + " of a version that is no more");
            case String patch -> patch.contains(live.getUid()) ? List.of() : List.of(what + " of another than it read");
            default -> List.of();
        };
    }

    void attempt(WriteRequest request) {
        V1Pod pod = request.verb().equals("delete") && request.type().equals(ResourceType.PODS)
                ? pod(request.key())
                : null;
        if (pod != null) {
            attempted.add(uid(pod));
        }
    }

    void acknowledge(@Nullable String podUid) {
        if (podUid != null) {
            acknowledged.add(podUid);
        }
    }

    void report(List<String> suspicions) {
        suspicions.forEach(story::violation);
    }

    private List<String> podCreated(Manager current, WriteRequest request) {
        V1OwnerReference owner = OwnerReferences.controllerOf(request.object().getMetadata());
        V1ReplicaSet read = owner == null
                ? null
                : current.cached(ResourceType.REPLICA_SETS, V1ReplicaSet.class,
                        new ObjectKey(request.key().namespace(), owner.getName()));
        if (read == null) {
            return List.of();
        }
        long after = pods().stream().filter(p -> owns(read, p) && isActive(p)).count() + 1;
        return after <= read.getSpec().getReplicas() + lateCreates
                ? List.of()
                : List.of("a creation gives " + name(read) + " " + after + " pods, and it read that it wants "
                        + read.getSpec().getReplicas());
    }

    private List<String> podDeleted(Manager current, WriteRequest request) {
        V1Pod pod = pod(request.key());
        V1OwnerReference owner = pod == null ? null : OwnerReferences.controllerOf(pod.getMetadata());
        if (pod == null || owner == null) {
            return List.of();
        }
        ObjectKey key = new ObjectKey(request.key().namespace(), owner.getName());
        V1ReplicaSet live = replicaSets().stream().filter(r -> uid(r).equals(owner.getUid())).findFirst().orElse(null);
        V1ReplicaSet read = current.cached(ResourceType.REPLICA_SETS, V1ReplicaSet.class, key);
        if (live == null || live.getMetadata().getDeletionTimestamp() != null || read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        if (acknowledged.contains(uid(pod))) {
            wrong.add("pod " + request.key().name() + " is deleted twice");
        }
        long after = pods().stream().filter(p -> owns(live, p) && isActive(p) && !name(p).equals(name(pod))).count();
        long counted = ended.stream().filter(name -> !name.equals(name(pod)))
                .map(name -> current.cached(ResourceType.PODS, V1Pod.class, new ObjectKey("default", name)))
                .filter(p -> p != null && owns(live, p) && isActive(p)).count();
        if (isActive(pod) && after + counted + lateDeletes < read.getSpec().getReplicas()) {
            wrong.add("a deletion leaves " + name(live) + " " + after + " pods, and it read that it wants "
                    + read.getSpec().getReplicas());
        }
        V1Pod seen = current.cached(ResourceType.PODS, V1Pod.class, request.key());
        if (seen != null && isReady(seen) && read.getSpec().getReplicas() > 0) {
            for (V1Pod other : pods()) {
                V1Pod seenOther = current.cached(ResourceType.PODS, V1Pod.class, ObjectKey.of(other));
                if (seenOther != null && owns(live, other) && isActive(other) && isActive(seenOther)
                        && !isReady(seenOther) && !attempted.contains(uid(other))) {
                    wrong.add("pod " + name(pod) + " is deleted, which is ready, before " + name(other)
                            + ", which is not");
                    break;
                }
            }
        }
        return wrong;
    }

    private List<String> statusWritten(WriteRequest request) {
        Long written = null;
        Long stored = null;
        if (request.object() instanceof V1Deployment d) {
            V1Deployment live = deployments().stream().filter(o -> name(o).equals(name(d))).findFirst().orElse(null);
            written = d.getStatus() == null ? null : d.getStatus().getObservedGeneration();
            stored = live == null || live.getStatus() == null ? null : live.getStatus().getObservedGeneration();
        } else if (request.object() instanceof V1ReplicaSet r) {
            V1ReplicaSet live = replicaSets().stream().filter(o -> name(o).equals(name(r))).findFirst().orElse(null);
            written = r.getStatus() == null ? null : r.getStatus().getObservedGeneration();
            stored = live == null || live.getStatus() == null ? null : live.getStatus().getObservedGeneration();
        }
        return written == null || stored == null || written >= stored
                ? List.of()
                : List.of("the status of " + request.key().name() + " goes back from generation " + stored + " to "
                        + written);
    }

    private List<String> replicaSetWritten(Manager current, V1ReplicaSet written) {
        V1OwnerReference owner = OwnerReferences.controllerOf(written.getMetadata());
        V1Deployment read = owner == null
                ? null
                : current.cached(ResourceType.DEPLOYMENTS, V1Deployment.class,
                        new ObjectKey(written.getMetadata().getNamespace(), owner.getName()));
        if (read == null || !uid(read).equals(owner.getUid())
                || deployments().stream().noneMatch(live -> uid(live).equals(owner.getUid()))) {
            return List.of();
        }
        int before = 0;
        int after = written.getSpec().getReplicas();
        int availableBefore = 0;
        int availableAfter = 0;
        int oldPods = 0;
        boolean starts = after > 0;
        List<V1Pod> pods = pods();
        for (V1ReplicaSet live : replicaSets()) {
            if (!OwnerReferences.isControlledBy(live, read.getMetadata())) {
                continue;
            }
            boolean same = name(live).equals(name(written));
            V1ReplicaSet seen = current.cached(ResourceType.REPLICA_SETS, V1ReplicaSet.class, ObjectKey.of(live));
            int size = size(live, seen);
            starts &= !same || size == 0;
            Integer reported = seen == null || seen.getStatus() == null
                    ? null
                    : seen.getStatus().getAvailableReplicas();
            int available = reported == null ? 0 : reported;
            before += size;
            after += same ? 0 : size;
            availableBefore += Math.min(size, available);
            availableAfter += Math.min(same ? written.getSpec().getReplicas() : size, available);
            oldPods += same
                    ? 0
                    : (int) pods.stream().filter(p -> owns(live, p) && !isFinished(p)
                            && current.cached(ResourceType.PODS, V1Pod.class, ObjectKey.of(p)) != null).count();
        }
        boolean rolling = !"Recreate".equals(read.getSpec().getStrategy().getType());
        int replicas = read.getSpec().getReplicas();
        int surge = rolling
                ? resolve(read.getSpec().getStrategy().getRollingUpdate().getMaxSurge(), replicas, true)
                : 0;
        int unavailable = rolling
                ? resolve(read.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable(), replicas, false)
                : replicas;
        if (surge == 0 && unavailable == 0) {
            unavailable = 1;
        }
        List<String> wrong = new ArrayList<>();
        if (after > before && after > replicas + surge) {
            wrong.add("the size of " + name(written) + " brings its Deployment to " + after + " pods, and it read that "
                    + replicas + " and " + surge + " more are allowed");
        }
        if (rolling && !disrupted && !isPausedOrScaled(read) && availableAfter < availableBefore
                && availableAfter < replicas - unavailable) {
            wrong.add(
                    "the size of " + name(written) + " leaves " + availableAfter + " pods available, and it read that "
                            + (replicas - unavailable) + " are the least");
        }
        if (!rolling && !disrupted && starts && oldPods > 0 && replicas > 0 && !isPausedOrScaled(read)) {
            wrong.add(name(written) + " starts while there are " + oldPods + " pods of other ReplicaSets");
        }
        return wrong;
    }

    private int size(V1ReplicaSet live, @Nullable V1ReplicaSet seen) {
        if (!lateSizes.contains(ObjectKey.of(live))) {
            return live.getSpec().getReplicas();
        }
        return seen == null ? 0 : seen.getSpec().getReplicas();
    }

    /**
     * Whether a Deployment is paused or being scaled. Scaling is in proportion to sizes, and ignores strategy and
     * availability.
     */
    private static boolean isPausedOrScaled(V1Deployment read) {
        return Boolean.TRUE.equals(read.getSpec().getPaused()) || read.getStatus() == null
                || !read.getMetadata().getGeneration().equals(read.getStatus().getObservedGeneration());
    }

    private static int resolve(IntOrString value, int of, boolean up) {
        if (value.isInteger()) {
            return value.getIntValue();
        }
        double percent = Integer.parseInt(value.getStrValue().replace("%", "")) * of / 100.0;
        return (int) (up ? Math.ceil(percent) : Math.floor(percent));
    }

    List<V1Pod> pods() {
        return list(ResourceType.PODS, V1Pod.class);
    }

    List<V1ReplicaSet> replicaSets() {
        return list(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
    }

    List<V1Deployment> deployments() {
        return list(ResourceType.DEPLOYMENTS, V1Deployment.class);
    }

    private <T extends KubernetesObject> List<T> list(ResourceType type, Class<T> model) {
        return truth.resource(type, model)
                .list("default", LabelSelector.everything(), FieldSelector.everything(), ListOptions.consistent(0))
                .items();
    }

    @Nullable
    V1Pod pod(ObjectKey key) {
        return pods().stream().filter(p -> name(p).equals(key.name())).findFirst().orElse(null);
    }

    private static boolean owns(V1ReplicaSet replicaSet, V1Pod pod) {
        return OwnerReferences.isControlledBy(pod, replicaSet.getMetadata());
    }

    static boolean isFinished(V1Pod pod) {
        return pod.getStatus() != null
                && ("Failed".equals(pod.getStatus().getPhase()) || "Succeeded".equals(pod.getStatus().getPhase()));
    }

    static boolean isActive(V1Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null && !isFinished(pod);
    }

    static boolean isReady(V1Pod pod) {
        return pod.getStatus() != null && pod.getStatus().getConditions() != null && pod.getStatus().getConditions()
                .stream().anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
    }

    static String name(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getName());
    }

    static String uid(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getUid());
    }

    /** A short description of an object for a story. */
    static String brief(KubernetesObject object) {
        return name(object) + (object instanceof V1ReplicaSet r ? " of " + r.getSpec().getReplicas() : "");
    }
}
