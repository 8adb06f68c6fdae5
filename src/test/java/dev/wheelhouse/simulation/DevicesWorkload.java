package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaintEvictionController;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * Pods with ResourceClaims: some from a template, some that share one claim. A scheduler allocates one device to all
 * claims, and a driver taints it. Some pods with claims of their own end by themselves, users delete some, and the
 * shared claim.
 */
final class DevicesWorkload extends Workload {
    private static final int PODS = 3;

    DevicesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(ResourceClaimController.NAME, DeviceTaintEvictionController.NAME);
        creates("resourceclaim", "resourceclaimtemplate", "resourceslice");
        steps.add(Step.create("resourceclaimtemplate", "{\"metadata\": {\"name\": \"%s\"}, \"spec\": {%s}}"
                .formatted(name, devices()), "creates a template"));
        steps.add(Step.create("resourceslice", slice(""), "has a driver publish a device"));
        int count = 6 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            int number = random.nextInt(PODS);
            String fate = random.nextBoolean() ? "succeeds" : "runs";
            steps.add(switch (random.nextInt(11)) {
                case 0, 1 -> pod(name + "-own-" + number, fate, "resourceClaimTemplateName", name);
                case 2, 3 -> pod(name + "-user-" + number, "runs", "resourceClaimName", name + "-shared");
                case 4 -> Step.once("resourceclaim", name + "-shared",
                        "{\"metadata\": {\"name\": \"%s-shared\"}, %s}".formatted(name, devices()));
                case 5, 6 -> new Step("has the scheduler allocate the claims", this::allocate);
                case 7, 8 -> taint(random.nextBoolean());
                case 9 -> Step.remove("pod", name + (random.nextBoolean() ? "-own-" : "-user-") + number);
                default -> Step.remove("resourceclaim", name + "-shared");
            });
        }
    }

    private static String devices() {
        return """
                "spec": {"devices": {"requests": [{"name": "d", "exactly": {"deviceClassName": "d"}}]}}""";
    }

    private Step pod(String pod, String fate, String field, String value) {
        return Step.once("pod", pod, """
                {"metadata": {"name": "%s", "labels": {"app": "%s", "fate": "%s"}}, "spec": {"restartPolicy": "Never",
                 "containers": [{"name": "app", "image": "app:v1"}], "resourceClaims": [{"name": "d", "%s": "%s"}]}}"""
                .formatted(pod, name, fate, field, value));
    }

    /** @param taints of the device, JSON */
    private String slice(String taints) {
        return """
                {"metadata": {"name": "%1$s"}, "spec": {"driver": "d.example.com", "allNodes": true, "pool":
                 {"name": "%1$s", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "one",
                 "taints": [%2$s]}]}}"""
                .formatted(name, taints);
    }

    private Step taint(boolean on) {
        String taints = on ? "{\"key\": \"broken\", \"effect\": \"NoExecute\"}" : "";
        return new Step(on ? "has the driver taint the device" : "has the driver mend the device",
                e -> Api.expect(e.api().patch("resourceslice", name, "merge", Json.read(slice(taints)))));
    }

    private boolean isTainted(Api api) {
        return !api.get("resourceslice", name).path("spec").path("devices").path(0).path("taints").isEmpty();
    }

    /** The shared claim tolerates all taints. */
    private void allocate(Environment e) {
        for (JsonNode claim : own(e.api(), "resourceclaim")) {
            if (!claim.path("status").has("allocation") && !ObjectFields.isDeleted(claim)) {
                String which = ObjectFields.name(claim);
                Api.expect(e.api().patch("resourceclaim", which, "merge", Json.read("""
                        {"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}}""")));
                Api.expect(e.api().patch("resourceclaim", which + "/status", "merge", Json.read("""
                        {"status": {"allocation": {"devices": {"results": [{"request": "d", "driver": "d.example.com",
                         "pool": "%s", "device": "one"%s}]}}}}""".formatted(name, which.endsWith("-shared")
                        ? ", \"tolerations\": [{\"operator\": \"Exists\", \"effect\": \"NoExecute\"}]"
                        : ""))));
            }
        }
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new DeviceInvariants(truth));
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        PodChange start = environment.nodes().nextOfService(pod, calm);
        boolean ends = pod.path("metadata").path("labels").path("fate").asString("").equals("succeeds") && !isDone(pod);
        return start != null || !ends ? start : PodChange.SUCCEEDED;
    }

    private static boolean isDone(JsonNode pod) {
        return Set.of("Succeeded", "Failed").contains(ObjectFields.text(pod.path("status"), "phase"));
    }

    /** {@inheritDoc} Pods have nodes and claims, claims have their pods, and no pod uses a tainted device. */
    @Override
    public boolean isSeen(Api api) {
        List<JsonNode> pods = own(api, "pod");
        return pods.stream().allMatch(p -> !ObjectFields.isDeleted(p)
                && (isDone(p) || p.path("spec").has("nodeName") && hasClaims(api, p)))
                && own(api, "resourceclaim").stream().allMatch(c -> isNeeded(c, pods) && (!isTainted(api)
                        || ObjectFields.name(c).endsWith("-shared") || c.path("status").path("reservedFor").isEmpty()));
    }

    /** Whether the pod's claim is reserved for it, or cannot be: a claim that is being deleted takes no further pod. */
    private boolean hasClaims(Api api, JsonNode pod) {
        String shared = ObjectFields.text(pod.path("spec").path("resourceClaims").path(0), "resourceClaimName");
        String which = shared.isEmpty()
                ? ObjectFields.text(pod.path("status").path("resourceClaimStatuses").path(0), "resourceClaimName")
                : shared;
        JsonNode claim = api.find("resourceclaim", which);
        if (claim == null) {
            return !shared.isEmpty();
        }
        return !claim.path("status").has("allocation") || ObjectFields.isDeleted(claim)
                || claim.path("status").path("reservedFor").valueStream()
                        .anyMatch(c -> uid(c).equals(uid(pod.path("metadata"))));
    }

    private static String uid(JsonNode reference) {
        return ObjectFields.text(reference, "uid");
    }

    /** Whether the pod of a claim is there, and so are those that it is reserved for. */
    private static boolean isNeeded(JsonNode claim, List<JsonNode> pods) {
        List<String> live = pods.stream().filter(p -> !isDone(p)).map(p -> ObjectFields.text(p.path("metadata"), "uid"))
                .toList();
        List<JsonNode> reserved = claim.path("status").path("reservedFor").valueStream().toList();
        return claim.path("metadata").path("ownerReferences").valueStream()
                .allMatch(o -> live.contains(ObjectFields.text(o, "uid")))
                && reserved.stream().allMatch(c -> live.contains(ObjectFields.text(c, "uid")))
                && (!ObjectFields.isDeleted(claim) || !reserved.isEmpty());
    }

    /** {@inheritDoc} When a pod ends by itself is random, and so is whether its device was tainted before. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        own(api, "pod").stream().filter(p -> !isDone(p)).forEach(p -> lines.put(ObjectFields.name(p), "there"));
        JsonNode shared = api.find("resourceclaim", name + "-shared");
        if (shared != null) {
            lines.put("shared", (shared.path("status").has("allocation") ? "allocated" : "free") + " for "
                    + shared.path("status").path("reservedFor").size()
                    + (ObjectFields.isDeleted(shared) ? ", being deleted" : ""));
        }
        lines.put("claims of pods", Long.toString(own(api, "resourceclaim").stream()
                .filter(c -> c.path("metadata").has("ownerReferences")).count()));
        return lines;
    }
}
