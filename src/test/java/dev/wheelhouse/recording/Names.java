package dev.wheelhouse.recording;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Aliases of names that the server or a controller generates, in the order of creation, and of UIDs. A recording has
 * aliases only: {@code web~1} for the first ReplicaSet or ControllerRevision of web, {@code web~1#2} for its second
 * pod,
 * {@code web^IPv4-1} for the first EndpointSlice of a Service with such addresses,
 * {@code web+gpu-1} for the first ResourceClaim that was made for the claim gpu of the pod web,
 * {@code web@node-1#1} for a DaemonSet's first pod on a node, {@code web[3]#1} for an index of a Job,
 * {@code uid(Pod/web~1#2)} for a UID, {@code uid(Pod/web-0!2)} for that of the second object of a name. Thread safe.
 */
final class Names {
    private static final Pattern UID = Pattern
            .compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Pattern LOST = Pattern.compile("\\w+ \"http://127\\.0\\.0\\.1:\\d+/[^\"]*\": EOF");
    /** The real controller names the autoscalers of one target in any order. */
    private static final Pattern AUTOSCALERS = Pattern.compile("(?<=are controlled by multiple HPAs: \\[)[^\\]]+");
    private static final Pattern UID_ALIAS = Pattern.compile("uid\\(([^()]*)\\)");

    private final List<JsonNode> created = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Map<String, String> real = new HashMap<>();
    /** By name, the longest first, because a name can be the prefix of another. */
    private final TreeMap<String, String> aliases = new TreeMap<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
    private final Map<String, String> uids = new HashMap<>();

    synchronized Names copy() {
        Names copy = new Names();
        copy.created.addAll(created);
        copy.known.addAll(known);
        copy.counts.putAll(counts);
        copy.real.putAll(real);
        copy.aliases.putAll(aliases);
        copy.uids.putAll(uids);
        return copy;
    }

    /** Tells of an object that a controller or a user has created. */
    synchronized void created(JsonNode object) {
        created.add(object);
    }

    /**
     * Gives aliases to all objects that were created.
     *
     * @param present the objects that exist now
     */
    synchronized void settle(List<JsonNode> present) {
        created.sort(Comparator.comparingLong(o -> Json.number(o, 0, "metadata", "resourceVersion")));
        created.removeIf(this::settle);
        present.stream().sorted(Comparator.comparing((JsonNode o) -> Json.text(o, "metadata", "creationTimestamp"))
                .thenComparing(o -> kind(o).equals("Pod")).thenComparing((JsonNode o) -> name(o)))
                .forEach(this::settle);
    }

    /**
     * The alias of the pod that a controller creates next; empty if it gets none.
     *
     * @param pod the content of the request
     */
    synchronized String next(JsonNode pod) {
        settle(List.of());
        JsonNode owner = controller(pod);
        String prefix = alias(Json.text(owner, "name")) + place(pod) + "#";
        return owner.isMissingNode() ? "" : prefix + (counts.getOrDefault(prefix, 0) + 1);
    }

    /** @return whether the object has its alias; the owner of a pod gets its alias first */
    private boolean settle(JsonNode object) {
        String uid = Json.text(object, "metadata", "uid");
        if (uid.isEmpty() || known.contains(uid)) {
            return true;
        }
        JsonNode owner = controller(object);
        String name = name(object);
        String prefix = Json.text(owner, "name") + "-";
        String ofOwner = alias(Json.text(owner, "name"));
        boolean generated = !owner.isMissingNode() && name.startsWith(prefix);
        if (generated && Json.text(owner, "kind").equals("ReplicaSet") && !known.contains(Json.text(owner, "uid"))) {
            return false;
        }
        known.add(uid);
        switch (kind(object)) {
            case "Pod" -> {
                if (generated && !Json.text(owner, "kind").equals("StatefulSet")) {
                    add(name, ofOwner + place(object) + "#");
                }
            }
            case "ReplicaSet", "ControllerRevision" -> {
                if (generated) {
                    String alias = add(name, ofOwner + "~");
                    aliases.putIfAbsent(name.substring(prefix.length()), "hash(" + alias + ")");
                }
            }
            case "EndpointSlice" -> {
                if (generated) {
                    add(name, ofOwner + "^" + Json.text(object, "addressType") + "-");
                }
            }
            case "ResourceClaim" -> {
                if (generated) {
                    String inPod = Json.text(object, "metadata", "annotations",
                            "resource.kubernetes.io/pod-claim-name");
                    add(name, ofOwner + "+" + inPod + "-");
                }
            }
            default -> {
            }
        }
        String alias = kind(object) + "/" + alias(name);
        int lives = counts.merge(alias, 1, Integer::sum);
        uids.put(uid, lives == 1 ? alias : alias + "!" + lives);
        return true;
    }

    private String add(String name, String prefix) {
        String alias = prefix + counts.merge(prefix, 1, Integer::sum);
        aliases.put(name, alias);
        real.put(alias, name);
        return alias;
    }

    /** A pod's index in its Job, or the node that its DaemonSet wants. */
    private static String place(JsonNode pod) {
        JsonNode index = pod.at("/metadata/annotations/batch.kubernetes.io~1job-completion-index");
        if (index.isString()) {
            return "[" + index.asString() + "]";
        }
        String node = Kubelet.nodeOfAffinity(pod);
        return node.isEmpty() ? "" : "@" + node;
    }

    static JsonNode controller(JsonNode object) {
        return object.at("/metadata/ownerReferences").valueStream()
                .filter(o -> o.path("controller").asBoolean(false)).findFirst().orElse(Json.object().path("none"));
    }

    static String name(JsonNode object) {
        return Json.text(object, "metadata", "name");
    }

    private static String kind(JsonNode object) {
        return Json.text(object, "kind");
    }

    /** Whether this is the alias of a pod with a generated name that no index and no node tells apart from others. */
    static boolean isAlias(String pod) {
        return pod.contains("#") && !pod.contains("@");
    }

    /** The alias of a name; the name itself if it was not generated. */
    synchronized String alias(String name) {
        return aliases.getOrDefault(name, name);
    }

    /** The name of an alias; the alias itself if there is none. */
    synchronized String name(String alias) {
        return real.getOrDefault(alias, alias);
    }

    /**
     * Replaces generated names and UIDs in a text by their aliases, and the error of a lost answer by
     * {@link Traffic#LOST}.
     */
    synchronized String toAliases(String text) {
        String replaced = text.contains(": EOF") ? LOST.matcher(text).replaceAll(Traffic.LOST) : text;
        if (text.length() >= 36) {
            Matcher uid = UID.matcher(replaced);
            replaced = uid.replaceAll(m -> Matcher.quoteReplacement("uid(" + uids.getOrDefault(m.group(), "?") + ")"));
        }
        for (Map.Entry<String, String> name : aliases.entrySet()) {
            if (replaced.length() >= name.getKey().length() && replaced.contains(name.getKey())) {
                replaced = replaced.replace(name.getKey(), name.getValue());
            }
        }
        return ordered(replaced);
    }

    /** Puts names into an order where the real manager has none. */
    static String ordered(String text) {
        return AUTOSCALERS.matcher(text)
                .replaceAll(m -> Stream.of(m.group().split(" ", -1)).sorted().collect(Collectors.joining(" ")));
    }

    Set<String> toAliases(Set<String> texts) {
        return texts.stream().map(this::toAliases).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Replaces aliases of UIDs in a JSON text, such as {@code uid(Pod/web~1#2)}, by UIDs. */
    synchronized String toUids(String json) {
        return UID_ALIAS.matcher(json).replaceAll(m -> uids.entrySet().stream()
                .filter(e -> e.getValue().equals(m.group(1))).map(Map.Entry::getKey).findFirst().orElse(m.group()));
    }
}
