package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;
import dev.wheelhouse.controllers.volume.VolumeBinder;
import dev.wheelhouse.controllers.volume.VolumeProtectionController;

/**
 * A user's claims and volumes of equal size, and pods that use the claims. The user deletes claims under pods, creates
 * them again, and frees volumes that are retained.
 */
final class ClaimsWorkload implements Workload {
    private static final String CLAIM = "persistentvolumeclaim";
    private static final String VOLUME = "persistentvolume";

    private final String name;
    private final List<Step> steps = new ArrayList<>();

    ClaimsWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        int volumes = 1 + random.nextInt(3);
        int claims = 1 + random.nextInt(3);
        for (int i = 0; i < volumes; i++) {
            String volume = object("volume", i);
            steps.add(new Step("creates the volume " + volume, e -> e.api().create(VOLUME, volume(volume))));
        }
        for (int i = 0; i < claims; i++) {
            createClaim(i);
        }
        int changes = 2 + random.nextInt(5);
        for (int i = 0; i < changes; i++) {
            int which = random.nextInt(claims);
            switch (random.nextInt(6)) {
                case 0, 1 -> delete(CLAIM, object("claim", which));
                case 2 -> createClaim(which);
                case 3 -> createPod(which);
                case 4 -> delete("pod", object("pod", which));
                default -> freeVolumes();
            }
        }
    }

    private String object(String kind, int number) {
        return name + "-" + kind + "-" + number;
    }

    private String volume(String volume) {
        return """
                {"metadata": {"name": "%s"}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                 "storageClassName": "%s", "hostPath": {"path": "/data"}}}""".formatted(volume, name);
    }

    private void createClaim(int number) {
        String claim = object("claim", number);
        steps.add(new Step("creates the claim " + claim + " if there is none", e -> {
            if (e.api().find(CLAIM, claim) == null) {
                e.api().create(CLAIM, """
                        {"metadata": {"name": "%s"}, "spec": {"accessModes": ["ReadWriteOnce"],
                         "storageClassName": "%s", "resources": {"requests": {"storage": "1Gi"}}}}"""
                        .formatted(claim, name));
            }
        }));
    }

    private void createPod(int number) {
        String pod = object("pod", number);
        String claim = object("claim", number);
        steps.add(new Step("creates the pod " + pod + ", which uses " + claim + ", unless that is being deleted", e -> {
            JsonNode used = e.api().find(CLAIM, claim);
            if (used != null && !isDeleted(used) && e.api().find("pod", pod) == null) {
                e.api().create("pod", """
                        {"metadata": {"name": "%s", "labels": {"app": "%s"}}, "spec": {"nodeName": "node-0",
                         "containers": [{"name": "app", "image": "app"}],
                         "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "%s"}}]}}"""
                        .formatted(pod, name, claim));
            }
        }));
    }

    private void delete(String kind, String object) {
        steps.add(new Step("deletes the " + kind + " " + object + " if it is there", e -> {
            if (e.api().find(kind, object) != null) {
                e.api().delete(kind, object, "Background");
            }
        }));
    }

    private void freeVolumes() {
        steps.add(new Step("frees the volumes of " + name + " that are released", e -> {
            for (JsonNode volume : own(e.api(), VOLUME)) {
                if (phase(volume).equals("Released")) {
                    Api.expect(e.api().patch(VOLUME, GoldenState.name(volume), "merge",
                            Json.read("{\"spec\": {\"claimRef\": null}}")));
                }
            }
        }));
    }

    private List<JsonNode> own(Api api, String kind) {
        return api.list(kind).stream().filter(o -> GoldenState.name(o).startsWith(name + "-")).toList();
    }

    private static boolean isDeleted(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    private static boolean uses(JsonNode pod, String claim) {
        return pod.path("spec").path("volumes").valueStream()
                .anyMatch(v -> v.path("persistentVolumeClaim").path("claimName").asString("").equals(claim));
    }

    private static String phase(JsonNode object) {
        return GoldenState.text(object.path("status"), "phase");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Step> steps() {
        return steps;
    }

    @Override
    public Set<String> controllers() {
        return Set.of(VolumeBinder.NAME, ClaimProtectionController.NAME, VolumeProtectionController.NAME);
    }

    @Override
    public Set<String> kinds() {
        return Set.of(CLAIM, VOLUME);
    }

    /** {@inheritDoc} A claim gets a volume that becomes free in the next period. */
    @Override
    public Duration quiet() {
        return Duration.ofSeconds(16);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new ClaimInvariants(truth), new VolumeInvariants(truth));
    }

    /** {@inheritDoc} Each volume is in the phase of its claim, and no claim waits that a volume fits or no pod uses. */
    @Override
    public boolean isSeen(Api api) {
        List<JsonNode> claims = own(api, CLAIM);
        List<JsonNode> volumes = own(api, VOLUME);
        List<JsonNode> pods = own(api, "pod");
        List<String> uids = claims.stream().map(c -> GoldenState.text(c.path("metadata"), "uid")).toList();
        boolean free = volumes.stream().anyMatch(v -> !v.path("spec").has("claimRef"));
        return pods.stream().noneMatch(ClaimsWorkload::isDeleted)
                && volumes.stream().allMatch(v -> phase(v).equals(!v.path("spec").has("claimRef")
                        ? "Available"
                        : uids.contains(GoldenState.text(v.path("spec").path("claimRef"), "uid"))
                                ? "Bound"
                                : "Released"))
                && claims.stream().allMatch(c -> isDeleted(c)
                        ? pods.stream().anyMatch(p -> uses(p, GoldenState.name(c)))
                        : phase(c).equals("Bound") || !free);
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        own(api, CLAIM).forEach(c -> lines.put(GoldenState.name(c), phase(c) + " to "
                + GoldenState.text(c.path("spec"), "volumeName") + (isDeleted(c) ? ", to be deleted" : "")));
        own(api, VOLUME).forEach(v -> lines.put(GoldenState.name(v),
                phase(v) + " for " + GoldenState.text(v.path("spec").path("claimRef"), "name")));
        own(api, "pod").forEach(p -> lines.put(GoldenState.name(p), "there"));
        return lines;
    }
}
