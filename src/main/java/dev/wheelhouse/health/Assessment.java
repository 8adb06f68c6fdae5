package dev.wheelhouse.health;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMapProjection;
import io.kubernetes.client.openapi.models.V1ConfigMapVolumeSource;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1SecretProjection;
import io.kubernetes.client.openapi.models.V1SecretVolumeSource;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeProjection;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.health.Health.Level;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The problems among the objects of a cluster: the health of each together with that of the objects that it controls
 * or needs, and those that are not well, each with its deepest cause. It takes time in proportion to the objects. Not
 * thread safe.
 */
public final class Assessment {
    /** The time after which an object that waits for something is a problem. */
    public static final Duration STUCK = Duration.ofMinutes(1);
    /** The time in which caches of several types show what was created together. */
    private static final Duration TOGETHER = Duration.ofSeconds(2);
    private static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
    private static final int DEEPEST = 12;
    private static final int LONGEST_CIRCLE = 100;

    private final Map<ResourceType, Map<ObjectKey, Node>> byKey = new HashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Set<ResourceType> known;
    private final Instant now;

    /** An object of a cache. */
    public record Item(ResourceType type, KubernetesObject object) {
        public ObjectKey key() {
            return ObjectKey.of(object);
        }

        public String uid() {
            return String.valueOf(object.getMetadata().getUid());
        }
    }

    /** A key of a controller whose syncs fail, and the object that it stands for. */
    public record Failing(String controller, ResourceType type, ObjectKey key, String error, Instant since) {}

    /**
     * One problem: an object that is not well, for a reason of its own or of objects that it controls or needs.
     *
     * @param item the topmost object
     * @param health its health, with the cause in the words of the deepest object
     * @param origin the deepest object; the same as {@code item} if the reason is its own
     * @param advice what can be done about it
     */
    public record Problem(Item item, Health health, Item origin, Advice advice) {}

    private static final class Node {
        private final Item item;
        private final List<Node> dependents = new ArrayList<>();
        private @Nullable Node owner;
        private @Nullable Failing failing;
        private Health own;
        private @Nullable Health total;
        private Node origin = this;

        Node(Item item, Health own) {
            this.item = item;
            this.own = own;
        }
    }

    /**
     * @param known the types of which all objects are given
     * @param items the objects
     * @param failing the keys whose syncs fail
     * @param health the health of an object by itself, such as {@link Health#of}
     */
    public Assessment(Set<ResourceType> known, Collection<Item> items, Collection<Failing> failing,
            Function<KubernetesObject, Health> health, Instant now) {
        this.known = known;
        this.now = now;
        Map<String, Node> byUid = new HashMap<>();
        for (Item item : items) {
            Node node = new Node(item, health.apply(item.object()));
            nodes.add(node);
            byKey.computeIfAbsent(item.type(), type -> new HashMap<>()).put(item.key(), node);
            byUid.put(item.uid(), node);
        }
        for (Node node : nodes) {
            V1OwnerReference controller = OwnerReferences.controllerOf(node.item.object().getMetadata());
            node.owner = controller == null ? null : byUid.get(controller.getUid());
            if (node.owner != null) {
                node.owner.dependents.add(node);
            }
        }
        for (Failing key : failing) {
            Node node = at(key.type(), key.key());
            if (node != null) {
                node.failing = key;
            }
        }
        nodes.forEach(node -> assess(node, 0));
    }

    /** The health of an object with that of the objects that it controls or needs; null if it was not given. */
    public @Nullable Health of(ResourceType type, ObjectKey key) {
        Node node = at(type, key);
        return node == null ? null : node.total;
    }

    private @Nullable Node at(ResourceType type, ObjectKey key) {
        return byKey.getOrDefault(type, Map.of()).get(key);
    }

    /** The number of objects of a health. */
    public long count(Level level) {
        return nodes.stream().filter(node -> total(node).level() == level).count();
    }

    /** The problems: the worst first, and those that began last first. */
    public List<Problem> problems() {
        return nodes.stream().filter(node -> isProblem(total(node)) && !isShownElsewhere(node))
                .map(node -> new Problem(node.item, total(node), node.origin.item,
                        Advice.of(total(node).cause(), node.origin.own, node.origin.item)))
                .sorted(Comparator.comparing(Problem::health, Health.WORST_FIRST)
                        .thenComparing(problem -> Objects.requireNonNullElse(problem.health().since(), Instant.EPOCH),
                                Comparator.reverseOrder())
                        .thenComparing(problem -> problem.item().type().groupResource())
                        .thenComparing(problem -> problem.item().key()))
                .toList();
    }

    private static Health total(Node node) {
        return Objects.requireNonNull(node.total);
    }

    private boolean isProblem(Health health) {
        return switch (health.level()) {
            case DEGRADED, UNKNOWN -> true;
            case PROGRESSING -> !health.cause().isEmpty() && isOlder(health, STUCK);
            case SUSPENDED, HEALTHY -> false;
        };
    }

    private boolean isOlder(Health health, Duration age) {
        return health.since() != null && health.since().plus(age).isBefore(now);
    }

    /**
     * Whether an object's problem is its controller's: that one shows it, or has dealt with it, as a ReplicaSet has
     * replaced an evicted pod, and a Job that is complete a failed one.
     */
    private boolean isShownElsewhere(Node node) {
        return node.owner != null && !isInCircle(node) && (isProblem(total(node.owner))
                || node.item.type().equals(ResourceType.PODS) || node.item.type().equals(ResourceType.JOBS));
    }

    private static boolean isInCircle(Node node) {
        Node at = node.owner;
        for (int i = 0; i < LONGEST_CIRCLE && at != null && at != node; i++) {
            at = at.owner;
        }
        return at == node;
    }

    private Health assess(Node node, int depth) {
        if (node.total != null || depth > DEEPEST) {
            return Objects.requireNonNullElse(node.total, node.own);
        }
        node.total = node.own; // Ends a circle of owners.
        needs(node, depth);
        if (node.own.level() != Level.SUSPENDED) {
            for (Node dependent : counted(node)) {
                Health inner = assess(dependent, depth + 1);
                boolean tells = Health.WORST_FIRST.compare(inner, total(node)) <= 0
                        || node.own.text().equals(HealthRules.LATE);
                if (isProblem(inner) && tells && (node.origin == node || total(node).cause().isEmpty())) {
                    blame(node, dependent, inner, inner.cause());
                }
            }
        }
        Failing failing = node.failing;
        if (failing != null && total(node).level() != Level.DEGRADED) {
            node.total = new Health(Level.DEGRADED, word(total(node)), failing.controller() + ": " + failing.error(),
                    failing.since());
        }
        return total(node);
    }

    private static String word(Health health) {
        return health.text().isEmpty() ? "fails" : health.text();
    }

    /** Gives an object the cause of another one. */
    private static void blame(Node node, Node other, Health inner, String cause) {
        Level level = node.own.level().compareTo(inner.level()) < 0 ? node.own.level() : inner.level();
        node.total = new Health(level, node.own.isWell() || node.own.text().isEmpty()
                ? inner.text()
                : node.own.text(), cause, inner.since());
        node.origin = other.origin;
    }

    /**
     * The dependents that tell how an object is. An object that says itself that it is well needs none. Of a CronJob's
     * Jobs only the newest one counts.
     */
    private static List<Node> counted(Node node) {
        if (node.item.type().kind().equals("CronJob")) {
            return node.dependents.stream().max(Comparator.comparing(job -> Objects.toString(
                    job.item.object().getMetadata().getCreationTimestamp(), ""))).stream().toList();
        }
        return node.own.level() == Level.HEALTHY && !node.own.text().isEmpty() ? List.of() : node.dependents;
    }

    /** Looks at the objects that a pod or a claim needs, if it is not well. */
    private void needs(Node node, int depth) {
        if (node.own.isWell()) {
            return;
        }
        if (node.item.object() instanceof V1PersistentVolumeClaim claim) {
            node.own = claim(claim, node.own);
            node.total = node.own;
        }
        if (!(node.item.object() instanceof V1Pod pod) || pod.getSpec() == null) {
            return;
        }
        String missing = node.own.level() == Level.PROGRESSING && isOlder(node.own, TOGETHER) ? missing(pod) : "";
        if (!missing.isEmpty()) {
            node.own = new Health(Level.DEGRADED, node.own.text(), missing, node.own.since());
            node.total = node.own;
        }
        for (V1Volume volume : orEmpty(pod.getSpec().getVolumes())) {
            Node claim = volume.getPersistentVolumeClaim() == null
                    ? null
                    : at(ResourceType.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(node.item.key().namespace(),
                            String.valueOf(volume.getPersistentVolumeClaim().getClaimName())));
            Health bound = claim == null ? null : assess(claim, depth + 1);
            if (claim != null && bound != null && !bound.cause().isEmpty() && !bound.isWell()) {
                blame(node, claim, bound, "claim " + claim.item.key().name() + ": " + bound.cause());
                return;
            }
        }
        Node machine = pod.getSpec().getNodeName() == null
                ? null
                : at(ResourceType.NODES, ObjectKey.cluster(pod.getSpec().getNodeName()));
        Health runs = machine == null ? null : assess(machine, depth + 1);
        if (machine != null && runs != null && runs.level().compareTo(Level.UNKNOWN) <= 0
                && node.own.level() != Level.DEGRADED) {
            blame(node, machine, runs, "node " + machine.item.key().name() + " is " + runs.text() + ": "
                    + runs.cause());
        }
    }

    /**
     * Says which ConfigMap or Secret of a pod's volumes does not exist. Its kubelet waits for it, and the pod's status
     * does not tell for what. Empty if all exist.
     */
    private String missing(V1Pod pod) {
        String namespace = String.valueOf(pod.getMetadata().getNamespace());
        return orEmpty(pod.getSpec().getVolumes()).stream().flatMap(Assessment::needed)
                .filter(each -> each.name != null && !Boolean.TRUE.equals(each.optional) && known.contains(each.type)
                        && at(each.type, ObjectKey.of(namespace, each.name)) == null)
                .findFirst().map(each -> "there is no " + each.type.kind() + " " + each.name).orElse("");
    }

    private record Needed(ResourceType type, @Nullable String name, @Nullable Boolean optional) {}

    private static Stream<Needed> needed(V1Volume volume) {
        V1ConfigMapVolumeSource map = volume.getConfigMap();
        V1SecretVolumeSource secret = volume.getSecret();
        List<V1VolumeProjection> parts = volume.getProjected() == null ? null : volume.getProjected().getSources();
        return map != null
                ? Stream.of(new Needed(ResourceType.CONFIG_MAPS, map.getName(), map.getOptional()))
                : secret != null
                        ? Stream.of(new Needed(ResourceType.SECRETS, secret.getSecretName(), secret.getOptional()))
                        : orEmpty(parts).stream().map(Assessment::needed).filter(Objects::nonNull);
    }

    private static @Nullable Needed needed(V1VolumeProjection part) {
        V1ConfigMapProjection map = part.getConfigMap();
        V1SecretProjection secret = part.getSecret();
        return map != null
                ? new Needed(ResourceType.CONFIG_MAPS, map.getName(), map.getOptional())
                : secret != null ? new Needed(ResourceType.SECRETS, secret.getName(), secret.getOptional()) : null;
    }

    private Health claim(V1PersistentVolumeClaim claim, Health own) {
        String name = claim.getSpec() == null ? "" : claim.getSpec().getStorageClassName();
        Map<ObjectKey, Node> classes = byKey.getOrDefault(ResourceType.STORAGE_CLASSES, Map.of());
        if (!known.contains(ResourceType.STORAGE_CLASSES) || own.level() != Level.PROGRESSING || "".equals(name)) {
            return own;
        }
        if (name == null) {
            return classes.values().stream().anyMatch(each -> orEmpty(each.item.object().getMetadata()
                    .getAnnotations()).getOrDefault(DEFAULT_CLASS, "").equals("true"))
                            ? own
                            : new Health(Level.DEGRADED, own.text(),
                                    "it names no StorageClass, and none is the default", own.since());
        }
        Node found = classes.get(ObjectKey.cluster(name));
        if (found == null) {
            return new Health(Level.DEGRADED, own.text(), "there is no StorageClass " + name, own.since());
        }
        return found.item.object() instanceof V1StorageClass stored
                && "WaitForFirstConsumer".equals(stored.getVolumeBindingMode()) && !isUsed(claim)
                        ? new Health(Level.SUSPENDED, "waits for a pod", "", own.since())
                        : own;
    }

    private boolean isUsed(V1PersistentVolumeClaim claim) {
        return orEmpty(claim.getMetadata().getAnnotations()).containsKey("volume.kubernetes.io/selected-node");
    }
}
