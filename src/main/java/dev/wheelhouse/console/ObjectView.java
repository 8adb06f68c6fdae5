package dev.wheelhouse.console;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.health.Assessment.Item;
import dev.wheelhouse.health.Health;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * One object with its owners and dependents, its timeline, and the writes about it. A caller sees only dependents whose
 * type the caller may list. Large groups are shown by their numbers and their worst members. Thread safe.
 */
final class ObjectView {
    /** The most dependents of one type and owner that are shown by name. */
    static final int MOST_MEMBERS = 40;
    private static final int MOST_WRITES = 60;
    private static final int MOST_LIVES = 60;
    private static final int DEEPEST = 6;
    private static final Comparator<Node> WORST_FIRST = Comparator
            .comparing((Node node) -> node.state, Health.WORST_FIRST).thenComparing(node -> node.name);

    private final Parts parts;
    private final CachedObjects objects;
    private final Rollouts rollouts;
    private final Events events;

    /** @param created milliseconds since 1970 */
    record Node(String type, String kind, String namespace, String name, Health state, long created,
            List<Group> dependents) {}

    /**
     * The dependents of one owner and one type.
     *
     * @param count the number of all of them
     * @param states how many there are of each state
     * @param members the worst of them
     */
    record Group(String type, String kind, int count, Map<Health.Level, Integer> states, List<Node> members) {}

    /** @param changes the changes that make sense for it */
    record Row(Node node, List<String> cells, List<String> changes) {}

    /** @param at milliseconds since 1970; null if it never changed */
    record Status(String type, String status, String reason, String message, @Nullable Long at) {}

    /**
     * A pod over time, in milliseconds since 1970.
     *
     * @param ready when it became ready; null if it is not
     * @param deleted when its deletion was asked for; null if it was not
     * @param gone when it went; null if it is there
     */
    record Life(String name, String owner, Health state, long created, @Nullable Long ready, @Nullable Long deleted,
            @Nullable Long gone) {
        static Life of(V1Pod pod, Health state, @Nullable Long ready, @Nullable Long gone) {
            V1ObjectMeta meta = pod.getMetadata();
            V1OwnerReference owner = OwnerReferences.controllerOf(meta);
            return new Life(String.valueOf(meta.getName()), owner == null ? "" : owner.getName(), state,
                    ObjectView.created(pod), ready, millis(meta.getDeletionTimestamp()), gone);
        }

        /** When a pod became ready; null if it is not. */
        static @Nullable Long ready(V1Pod pod) {
            return pod.getStatus() == null
                    ? null
                    : orEmpty(pod.getStatus().getConditions()).stream()
                            .filter(condition -> condition.getType().equals("Ready")
                                    && condition.getStatus().equals("True"))
                            .findFirst().map(condition -> millis(condition.getLastTransitionTime())).orElse(null);
        }
    }

    /**
     * @param changes the changes that make sense and that the viewer may make
     * @param containers the containers of a pod, whose logs can be read
     * @param owners from the controller's controller at the top down to the direct one
     */
    record View(Node object, List<String> changes, List<String> containers, Map<String, String> labels, String version,
            List<Node> owners, List<Status> conditions,
            List<Rollouts.Series> sets, List<Life> pods, List<Events.Line> events,
            List<Map<String, Object>> writes) {}

    ObjectView(Parts parts, CachedObjects objects, Rollouts rollouts) {
        this.parts = parts;
        this.objects = objects;
        this.rollouts = rollouts;
        this.events = new Events(parts.client(), parts.clock());
    }

    /** The view of an object; null if no cache has it. */
    @Nullable
    View of(ResourceType type, ObjectKey key, Viewer viewer) {
        Item root = objects.get(type, key);
        if (root == null) {
            return null;
        }
        Map<String, List<Item>> dependents = objects.dependents(key.namespace());
        Set<String> uids = new HashSet<>();
        List<Life> pods = new ArrayList<>();
        Walk walk = new Walk(dependents, viewer, parts.health().now(), uids, pods);
        Node tree = node(root, walk, 0);
        if (viewer.may("list", ResourceType.PODS, key.namespace())) {
            pods.addAll(rollouts.gone(root.uid()));
        }
        pods.sort(Comparator.comparingLong(Life::created).reversed());
        JsonNode object = ModelJson.tree(root.object());
        return new View(tree, parts.writable() ? changes(type, object, viewer, key.namespace()) : List.of(),
                type.equals(ResourceType.PODS) && viewer.may("get", type, "log", key.namespace())
                        ? containers(object)
                        : List.of(),
                Objects.requireNonNullElse(root.object().getMetadata().getLabels(), Map.of()),
                String.valueOf(root.object().getMetadata().getResourceVersion()), owners(root, walk.health, viewer),
                conditions(object.path("status")), rollouts.of(root.uid()), pods.stream().limit(MOST_LIVES).toList(),
                viewer.may("list", ResourceType.EVENTS, key.namespace()) ? events.about(root) : List.of(),
                writes(root, uids, dependents, viewer));
    }

    private static List<String> changes(ResourceType type, JsonNode object, Viewer viewer, String namespace) {
        return ObjectChange.possible(type.groupResource(), object).stream()
                .filter(verb -> viewer.may("patch", type, ObjectChange.subresource(verb), namespace)).toList();
    }

    /** The names of a pod's containers, those that run to their end at last. */
    static List<String> containers(JsonNode pod) {
        return Stream.of("containers", "initContainers", "ephemeralContainers")
                .flatMap(list -> pod.path("spec").path(list).valueStream())
                .map(container -> container.path("name").asString("")).toList();
    }

    /** The state of one walk over the dependents of an object. */
    private record Walk(Map<String, List<Item>> byOwner, Viewer viewer, Assessment health, Set<String> seen,
            List<Life> pods) {}

    private Node node(Item found, Walk walk, int depth) {
        List<Group> groups = new ArrayList<>();
        if (walk.seen.add(found.uid()) && depth < DEEPEST) {
            Map<String, List<Item>> byType = new TreeMap<>();
            for (Item dependent : walk.byOwner.getOrDefault(found.uid(), List.of())) {
                byType.computeIfAbsent(dependent.type().groupResource(), t -> new ArrayList<>()).add(dependent);
            }
            byType.values().forEach(members -> {
                ResourceType type = members.getFirst().type();
                if (walk.viewer.may("list", type, found.key().namespace())) {
                    groups.add(group(type, members, walk, depth + 1));
                }
            });
        }
        return leaf(found, walk.health, groups);
    }

    private Group group(ResourceType type, List<Item> members, Walk walk, int depth) {
        Map<Health.Level, Integer> states = new EnumMap<>(Health.Level.class);
        List<Node> nodes = new ArrayList<>();
        for (Item member : members) {
            Node node = node(member, walk, depth);
            nodes.add(node);
            states.merge(node.state.level(), 1, Integer::sum);
            if (member.object() instanceof V1Pod pod) {
                walk.pods.add(Life.of(pod, node.state, Life.ready(pod), null));
            }
        }
        nodes.sort(WORST_FIRST);
        return new Group(type.groupResource(), type.kind(), nodes.size(), states,
                List.copyOf(nodes.subList(0, Math.min(MOST_MEMBERS, nodes.size()))));
    }

    private static Node leaf(Item found, Assessment health, List<Group> groups) {
        ObjectKey key = found.key();
        return new Node(found.type().groupResource(), found.type().kind(), key.namespace(), key.name(),
                Objects.requireNonNullElseGet(health.of(found.type(), key), () -> Health.of(found.object())),
                created(found.object()), groups);
    }

    private static @Nullable Long millis(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant().toEpochMilli();
    }

    private static long created(KubernetesObject object) {
        return Objects.requireNonNullElse(millis(object.getMetadata().getCreationTimestamp()), 0L);
    }

    private List<Node> owners(Item root, Assessment health, Viewer viewer) {
        List<Node> owners = new ArrayList<>();
        Item at = root;
        while (at != null && owners.size() < DEEPEST) {
            V1OwnerReference reference = OwnerReferences.controllerOf(at.object().getMetadata());
            at = reference == null ? null : objects.owner(reference, at.key().namespace());
            if (at != null && viewer.mayGet(at.type(), at.key().namespace())) {
                owners.addFirst(leaf(at, health, List.of()));
            }
        }
        return owners;
    }

    static List<Status> conditions(JsonNode status) {
        List<Status> conditions = new ArrayList<>();
        for (JsonNode condition : status.path("conditions")) {
            Instant at = Health.time(condition, "lastTransitionTime");
            conditions.add(new Status(condition.path("type").stringValue(""),
                    condition.path("status").stringValue(""), condition.path("reason").stringValue(""),
                    condition.path("message").stringValue(""),
                    at == null ? null : at.toEpochMilli()));
        }
        return conditions;
    }

    /** The writes of this object and of its dependents. */
    private List<Map<String, Object>> writes(Item root, Set<String> uids, Map<String, List<Item>> dependents,
            Viewer viewer) {
        String key = root.key().toString();
        Set<String> names = new HashSet<>();
        names.add(root.type() + " " + key);
        dependents.values().forEach(all -> all.stream().filter(found -> uids.contains(found.uid()))
                .forEach(found -> names.add(found.type() + " " + found.key())));
        return WritesPage.folded(parts.journal(),
                entry -> entry.sync().key().equals(key) || names.contains(entry.type() + " " + entry.target()),
                Long.MAX_VALUE, MOST_WRITES, viewer::mayGet);
    }

    /**
     * A page of the objects of some types, the worst first, whose names contain a text.
     *
     * @param shown the name of the type, or a word for all types
     */
    Map<String, Object> list(String shown, List<ResourceType> types, String namespace, String text, int offset,
            int limit, Viewer viewer) {
        List<Node> found = new ArrayList<>();
        Assessment health = parts.health().now();
        for (ResourceType type : types) {
            for (KubernetesObject object : objects.list(type, namespace)) {
                if (text.isEmpty() || ObjectKey.of(object).toString().contains(text)) {
                    found.add(leaf(new Item(type, object), health, List.of()));
                }
            }
        }
        found.sort(WORST_FIRST);
        Map<String, Integer> pods = shown.equals("nodes") && viewer.may("list", ResourceType.PODS, "")
                ? objects.podsByNode()
                : Map.of();
        return Map.of("type", shown, "count", found.size(), "offset", offset, "titles", Columns.titles(shown),
                "objects", found.stream().skip(offset).limit(limit).map(node -> row(node, shown, pods)).toList());
    }

    private Row row(Node node, String shown, Map<String, Integer> pods) {
        Item item = objects.get(objects.known(node.type), new ObjectKey(node.namespace, node.name));
        JsonNode object = item == null ? MissingNode.getInstance() : ModelJson.tree(item.object());
        return new Row(node, Columns.cells(shown, object, pods),
                parts.writable() ? ObjectChange.possible(node.type, object) : List.of());
    }
}
