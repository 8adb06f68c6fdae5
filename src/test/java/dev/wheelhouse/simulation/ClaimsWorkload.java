package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.EphemeralVolumeController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.controllers.volume.VolumeProtectionController;

/**
 * An administrator's volumes of one size and class, a user's claims, pods that use them, and pods with ephemeral
 * volumes. Claims are deleted under their pods, pods under their claims, volumes under their claims. Which claim gets
 * which volume is random, the numbers are not.
 */
final class ClaimsWorkload extends Workload {
    private static final int CLAIMS = 3;
    /** The end of the names of ephemeral volumes' claims. */
    private static final String EPHEMERAL = "-data";

    private int volumes;

    ClaimsWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(VolumeBinder.NAME, ClaimProtectionController.NAME, VolumeProtectionController.NAME,
                EphemeralVolumeController.NAME);
        creates("persistentvolumeclaim", "persistentvolume");
        // The binder looks at all claims and volumes every 15 s.
        quietAfter(Duration.ofMinutes(1));
        steps.add(volume());
        int count = 5 + random.nextInt(9);
        for (int i = 0; i < count; i++) {
            String suffix = "-" + random.nextInt(CLAIMS);
            steps.add(switch (random.nextInt(11)) {
                case 0, 1 -> volume();
                case 2, 3 -> Step.once("persistentvolumeclaim", name + "-c" + suffix, """
                        {"metadata": {"name": "%s"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName":
                         "%s", "resources": {"requests": {"storage": "1Gi"}}}}""".formatted(name + "-c" + suffix,
                        name));
                case 4 -> Step.once("pod", name + "-p" + suffix, """
                        {"metadata": {"name": "%s", "labels": {"app": "%s"}}, "spec": {"containers": [{"name": "app",
                         "image": "app:v1"}], "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "%s"
                         }}]}}""".formatted(name + "-p" + suffix, name, name + "-c" + suffix));
                case 5, 6 -> deletion("persistentvolumeclaim", "c" + suffix);
                case 7 -> deletion("pod", "p" + suffix);
                case 8 -> Step.once("pod", name + "-e" + suffix, """
                        {"metadata": {"name": "%s", "labels": {"app": "%s"}}, "spec": {"containers": [{"name": "app",
                         "image": "app:v1"}], "volumes": [{"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec":
                         {"accessModes": ["ReadWriteOnce"], "storageClassName": "%s", "resources": {"requests":
                         {"storage": "1Gi"}}}}}}]}}""".formatted(name + "-e" + suffix, name, name));
                case 9 -> deletion("pod", "e" + suffix);
                default -> new Step("deletes a volume that is bound", this::deleteVolume);
            });
        }
    }

    private Step volume() {
        String volume = name + "-v-" + volumes++;
        return Step.create("persistentvolume", """
                {"metadata": {"name": "%s"}, "spec": {"capacity": {"storage": "1Gi"}, "storageClassName": "%s",
                 "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path":
                 "/data"}}}""".formatted(volume, name), "creates a volume");
    }

    private void deleteVolume(Environment environment) {
        own(environment.api(), "persistentvolume").stream()
                .filter(v -> phase(v).equals("Bound") && !ObjectFields.isDeleted(v)).findFirst()
                .ifPresent(v -> environment.api().delete("persistentvolume", ObjectFields.name(v), "Background"));
    }

    /** Whether all claims are in the same phase. Which of several claims gets a volume is random. */
    private boolean isFair(Api api) {
        return own(api, "persistentvolumeclaim").stream().map(ClaimsWorkload::phase).distinct().count() <= 1;
    }

    private Step deletion(String kind, String suffix) {
        return new Step("deletes the " + kind + " " + suffix, e -> {
            if (e.api().find(kind, name + "-" + suffix) != null && isFair(e.api())) {
                e.history().ends(name + "-" + suffix);
                e.api().delete(kind, name + "-" + suffix, "Background");
            }
        });
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new ClaimInvariants(truth), new VolumeInvariants(truth));
    }

    private static String phase(JsonNode object) {
        return object.path("status").path("phase").asString("none");
    }

    /**
     * {@inheritDoc} What can be bound is bound, what can go is gone, and the phases tell it. Pods are on nodes: a claim
     * under a pod without a node goes at once.
     */
    @Override
    public boolean isSeen(Api api) {
        List<JsonNode> own = own(api, "persistentvolumeclaim");
        List<JsonNode> volumesNow = own(api, "persistentvolume");
        Set<String> claimed = own.stream().map(c -> ObjectFields.text(c.path("metadata"), "uid"))
                .collect(Collectors.toSet());
        if (own(api, "pod").stream().anyMatch(p -> ObjectFields.isDeleted(p)
                || !p.path("spec").has("nodeName"))
                || own.stream().anyMatch(c -> ObjectFields.isDeleted(c) && !isUsed(api, c))
                || own(api, "pod").stream().anyMatch(p -> isEphemeral(p) && !claimed(own, p))
                || own.stream().anyMatch(c -> isEphemeral(c) && !isUsed(api, c))) {
            return false;
        }
        boolean free = volumesNow.stream().anyMatch(v -> !v.path("spec").has("claimRef"));
        Set<String> bound = volumesNow.stream().map(v -> ObjectFields.text(v.path("spec").path("claimRef"), "uid"))
                .collect(Collectors.toSet());
        return own.stream().allMatch(c -> phase(c).equals("Bound") || ObjectFields.isDeleted(c)
                || (phase(c).equals("Pending") && !free
                        && !bound.contains(ObjectFields.text(c.path("metadata"), "uid"))))
                && volumesNow.stream().allMatch(v -> phase(v).equals(!v.path("spec").has("claimRef")
                        ? "Available"
                        : claimed.contains(ObjectFields.text(v.path("spec").path("claimRef"), "uid"))
                                ? "Bound"
                                : "Released"));
    }

    private boolean isUsed(Api api, JsonNode claim) {
        return api.find("pod", ObjectFields.name(claim).replace("-c-", "-p-").replace(EPHEMERAL, "")) != null;
    }

    /** Whether this is a pod with an ephemeral volume, or the claim of one. */
    private static boolean isEphemeral(JsonNode object) {
        return ObjectFields.name(object).contains("-e-");
    }

    private static boolean claimed(List<JsonNode> claims, JsonNode pod) {
        return claims.stream().anyMatch(c -> ObjectFields.name(c).equals(ObjectFields.name(pod) + EPHEMERAL));
    }

    /** {@inheritDoc} A volume that is released may also be gone: whether its claim had the deleted one is random. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, Integer> counts = new TreeMap<>();
        own(api, "persistentvolume").stream().filter(v -> !phase(v).equals("Released"))
                .forEach(v -> counts.merge("volumes " + phase(v), 1, Integer::sum));
        own(api, "persistentvolumeclaim").forEach(c -> counts.merge("claims " + phase(c)
                + (ObjectFields.isDeleted(c) ? " being deleted" : ""), 1, Integer::sum));
        counts.put("pods", own(api, "pod").size());
        Map<String, String> lines = new TreeMap<>();
        counts.forEach((what, count) -> lines.put(what, count.toString()));
        return lines;
    }
}
