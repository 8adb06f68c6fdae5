package dev.wheelhouse.console;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Deployment;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.manager.ControllerControl;
import dev.wheelhouse.manager.ControllerMode;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Executes the requests that change something: a controller, an object, or a Deployment of the embedded API server
 * as a demonstration. Thread safe.
 */
record Changes(Parts parts, CachedObjects objects) {
    private static final String PROFILE = "hollow.wheelhouse.dev/profile";
    private static final ObjectKey DEMO = ObjectKey.of("default", "demo");

    /**
     * Changes a controller.
     *
     * @param wanted {@code controller} names it, {@code do} says what to do: retry (with {@code key}; empty for all),
     *     pause, drain, resume, workers (with {@code count}) or limit (with {@code firstMillis}, {@code longestMillis},
     *     {@code perSecond} and {@code burst})
     * @return a sentence that says what was done
     * @throws IllegalArgumentException if the request makes no sense; the message says why
     */
    String controller(JsonNode wanted) {
        String name = wanted.path("controller").stringValue("");
        ControllerControl control = parts.manager().control(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no controller \"" + name + "\""));
        String verb = wanted.path("do").stringValue("");
        switch (verb) {
            case "pause" -> control.turn(ControllerMode.PAUSED);
            case "drain" -> control.turn(ControllerMode.DRAINING);
            case "resume" -> control.turn(ControllerMode.RUNNING);
            case "workers" -> control.workers(wanted.path("count").asInt(0));
            case "limit" -> control.limit(new RateLimits(Duration.ofMillis(wanted.path("firstMillis").asLong(-1)),
                    Duration.ofMillis(wanted.path("longestMillis").asLong(-1)), wanted.path("perSecond").asDouble(0),
                    wanted.path("burst").asInt(0)));
            case "retry" -> {
                int keys = control.retry(wanted.path("key").stringValue(""));
                return keys == 1 ? "1 key is synced now" : keys + " keys are synced now";
            }
            default -> throw new IllegalArgumentException("\"" + verb + "\" is none of retry, pause, drain, resume, "
                    + "workers, limit");
        }
        return name + ": " + verb;
    }

    /**
     * Makes a demonstration Deployment, or starts a rollout of a Deployment whose pods are slow, flaky or stuck.
     *
     * @param wanted {@code do} says what to do: create, well, slow, flaky or stuck; {@code namespace} and {@code name}
     *     name the Deployment
     * @throws IllegalArgumentException if the request makes no sense
     * @throws SecurityException if the viewer may not do it
     */
    String demo(JsonNode wanted, Viewer viewer) {
        if (!parts.embedded()) {
            throw new IllegalArgumentException("demonstrations run on the embedded API server only");
        }
        String verb = wanted.path("do").stringValue("");
        if (verb.equals("create")) {
            require(viewer, "create", ResourceType.DEPLOYMENTS, "", DEMO);
            parts.client().resource(ResourceType.DEPLOYMENTS, V1Deployment.class).create(ModelJson.read("""
                    {"metadata": {"namespace": "default", "name": "demo"}, "spec": {"replicas": 6,
                     "selector": {"matchLabels": {"app": "demo"}}, "template": {"metadata": {"labels": {"app": "demo"}},
                     "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]}}}}""", V1Deployment.class));
            return "deployment " + DEMO + " is created";
        }
        String profile = switch (verb) {
            case "slow", "flaky", "stuck" -> verb;
            case "well" -> "none";
            default ->
                throw new IllegalArgumentException("\"" + verb + "\" is none of create, well, slow, flaky, stuck");
        };
        ObjectKey key = ObjectKey.of(wanted.path("namespace").stringValue(""), wanted.path("name").stringValue(""));
        require(viewer, "patch", ResourceType.DEPLOYMENTS, "", key);
        String patch = JsonMapper.shared().writeValueAsString(Map.of("spec", Map.of("template", Map.of("metadata",
                Map.of("annotations",
                        Map.of(PROFILE, profile, ObjectChange.RESTARTED, parts.clock().now().toString()))))));
        parts.client().resource(ResourceType.DEPLOYMENTS, V1Deployment.class).patch(key, "", PatchType.MERGE, patch);
        return "deployment " + key + " rolls out pods that are " + verb;
    }

    /**
     * Changes an object, if the viewer may make this change by kubectl, too.
     *
     * @param wanted {@code type}, {@code namespace} and {@code name} name the object, {@code do} says what to do: one
     *     of {@link ObjectChange#possible}, scale with {@code count}
     * @return a sentence that says what was done
     * @throws IllegalArgumentException if the request makes no sense
     * @throws SecurityException if the viewer may not do it
     */
    String object(JsonNode wanted, Viewer viewer) {
        ResourceType type = objects.known(wanted.path("type").stringValue(""));
        ObjectKey key = new ObjectKey(wanted.path("namespace").stringValue(""), wanted.path("name").stringValue(""));
        String verb = wanted.path("do").stringValue("");
        require(viewer, "patch", type, ObjectChange.subresource(verb), key);
        Assessment.Item item = objects.get(type, key);
        if (item == null) {
            throw new IllegalArgumentException("there is no object " + key + " of " + type);
        }
        List<Integer> revisions = objects.list(ResourceType.REPLICA_SETS, key.namespace()).stream()
                .filter(set -> OwnerReferences.of(set.getMetadata()).stream()
                        .anyMatch(owner -> item.uid().equals(owner.getUid())))
                .map(set -> Metadata.annotation(set, Rollouts.REVISION))
                .filter(revision -> revision != null && revision.matches("\\d{1,9}")).map(Integer::valueOf)
                .sorted(Comparator.reverseOrder()).toList();
        ObjectChange change = ObjectChange.of(verb, type.groupResource(), ModelJson.tree(item.object()),
                wanted.path("count").asInt(-1), revisions, parts.clock().now());
        parts.client().resource(type, Unstructured.class).patch(key, change.subresource(), PatchType.MERGE,
                change.patch());
        return change.done();
    }

    private static void require(Viewer viewer, String verb, ResourceType type, String subresource, ObjectKey key) {
        if (!viewer.may(verb, type, subresource, key.namespace())) {
            throw new SecurityException("User \"" + viewer.getName() + "\" cannot " + verb + " "
                    + type.groupResource() + (subresource.isEmpty() ? "" : "/" + subresource)
                    + (key.namespace().isEmpty() ? "" : " in namespace " + key.namespace()));
        }
    }
}
