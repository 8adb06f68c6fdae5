package dev.wheelhouse.console;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.api.ObjectKey;

/**
 * A change of one object that the console offers, as the merge patch that makes it. It is the change that kubectl makes
 * (upstream: {@code kubectl/pkg/polymorphichelpers}). Pure.
 *
 * @param subresource empty for the object itself
 * @param done a sentence that says what was done
 */
record ObjectChange(String subresource, String patch, String done) {
    static final String RESTARTED = "kubectl.kubernetes.io/restartedAt";
    private static final String ROLLBACK_TO = "deprecated.deployment.rollback.to";
    private static final String DEPLOYMENTS = "deployments.apps";
    private static final Set<String> SCALED = Set.of(DEPLOYMENTS, "statefulsets.apps", "replicasets.apps",
            "replicationcontrollers");
    private static final Set<String> RESTARTS = Set.of(DEPLOYMENTS, "statefulsets.apps", "daemonsets.apps");
    /** The field of the spec that halts an object of a type. */
    private static final Map<String, String> HALTS = Map.of(DEPLOYMENTS, "paused", "jobs.batch", "suspend",
            "cronjobs.batch", "suspend");

    /** The subresource that a change patches. */
    static String subresource(String verb) {
        return verb.equals("scale") ? "scale" : "";
    }

    /** The changes that make sense for an object in its state. */
    static List<String> possible(String type, JsonNode object) {
        JsonNode spec = object.path("spec");
        boolean halted = spec.path(HALTS.getOrDefault(type, "")).asBoolean(false);
        boolean owned = object.path("metadata").path("ownerReferences").valueStream()
                .anyMatch(owner -> owner.path("controller").asBoolean(false));
        List<String> possible = new ArrayList<>();
        if (SCALED.contains(type) && !owned) {
            possible.add("scale");
        }
        if (RESTARTS.contains(type) && !halted) {
            possible.add("restart");
        }
        if (type.equals(DEPLOYMENTS) && !halted) {
            possible.add("undo");
        }
        if (HALTS.containsKey(type)) {
            possible.add(halted ? "resume" : "pause");
        }
        if (type.equals("nodes")) {
            possible.add(spec.path("unschedulable").asBoolean(false) ? "uncordon" : "cordon");
        }
        return possible;
    }

    /**
     * @param count the replicas of a scale
     * @param revisions those of the ReplicaSets of a Deployment, for its undo; the newest first
     * @throws IllegalArgumentException if the change makes no sense; the message says why
     */
    static ObjectChange of(String verb, String type, JsonNode object, int count, List<Integer> revisions,
            Instant now) {
        String name = object.path("kind").asString(type) + " "
                + new ObjectKey(object.path("metadata").path("namespace").asString(""),
                        object.path("metadata").path("name").asString(""));
        List<String> possible = possible(type, object);
        if (!possible.contains(verb)) {
            throw new IllegalArgumentException("\"" + verb + "\" is not possible for " + name + " as it is now: "
                    + (possible.isEmpty() ? "the console does not change it" : "try " + String.join(", ", possible)));
        }
        return switch (verb) {
            case "scale" -> {
                if (count < 0) {
                    throw new IllegalArgumentException("\"count\" must be the wanted number of pods, 0 or more");
                }
                yield new ObjectChange("scale", spec(Map.of("replicas", count)), name + " is scaled to " + count);
            }
            case "restart" -> new ObjectChange("", spec(Map.of("template",
                    Map.of("metadata", Map.of("annotations", Map.of(RESTARTED, now.toString()))))),
                    name + " replaces its pods");
            case "undo" -> {
                if (revisions.size() < 2) {
                    throw new IllegalArgumentException(name + " has no earlier revision to go back to");
                }
                // The controller of Deployments, here and upstream, goes back to the revision that this names.
                yield new ObjectChange("", json(Map.of("metadata", Map.of("annotations",
                        Map.of(ROLLBACK_TO, revisions.get(1).toString())))),
                        name + " goes back to revision " + revisions.get(1));
            }
            case "cordon", "uncordon" -> new ObjectChange("", spec(Map.of("unschedulable", verb.equals("cordon"))),
                    name + (verb.equals("cordon") ? " takes no further pods" : " takes pods again"));
            default -> new ObjectChange("", spec(Map.of(HALTS.get(type), verb.equals("pause"))),
                    name + (verb.equals("pause") ? " is paused" : " is resumed"));
        };
    }

    private static String spec(Map<String, ?> fields) {
        return json(Map.of("spec", fields));
    }

    private static String json(Map<String, ?> patch) {
        return JsonMapper.shared().writeValueAsString(patch);
    }
}
