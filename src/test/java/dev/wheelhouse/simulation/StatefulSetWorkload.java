package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.statefulset.StatefulSetController;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;

/**
 * A user's changes of one StatefulSet, with or without claims. At the end it rolls out to all pods. An image that does
 * not start is used only with the policy Parallel: with OrderedReady it would block the set for ever, as in upstream.
 */
final class StatefulSetWorkload extends Workload {
    private final Random random;
    private final boolean parallel;
    private final boolean claims;
    private final int start;
    private String image = "app:v1";
    private int replicas;

    StatefulSetWorkload(String name, Random random, boolean disrupted) {
        super(name);
        creates("statefulset", "controllerrevision", "persistentvolumeclaim");
        this.random = random;
        parallel = random.nextInt(3) == 0;
        claims = random.nextInt(3) == 0;
        needs(StatefulSetController.NAME);
        if (claims) {
            needs(ClaimProtectionController.NAME);
        }
        start = random.nextInt(4) == 0 ? 2 : 0;
        replicas = random.nextInt(5);
        steps.add(create());
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            step(disrupted);
        }
        if (image.equals(SimulatedNodes.BAD_IMAGE)) {
            image("app:v5");
        }
        steps.add(patch("\"updateStrategy\": {\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"partition\": 0}}",
                "rolls out to all pods"));
        if (random.nextInt(8) == 0) {
            steps.add(Step.delete("statefulset", name, "Background", "deletes the StatefulSet"));
        }
    }

    private Step create() {
        String templates = """
                [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"],
                 "resources": {"requests": {"storage": "1Gi"}}}}]""";
        return Step.create("statefulset", """
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "serviceName": "%s", "podManagementPolicy": "%s", "ordinals": {"start": %d}, "updateStrategy": %s,
                 "minReadySeconds": %d, "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "%s",
                 "whenScaled": "%s"}, "selector": {"matchLabels": {"app": "%s"}}, "volumeClaimTemplates": %s,
                 "template": {"metadata": {"labels": {"app": "%s"}}, "spec": {"containers": [{"name": "app",
                  "image": "%s"}]}}}}""".formatted(name, replicas, name, parallel ? "Parallel" : "OrderedReady",
                start, strategy(), random.nextInt(4) == 0 ? 3 : 0, policy(), policy(), name, claims ? templates : "[]",
                name, image), "creates a StatefulSet");
    }

    private String policy() {
        return random.nextBoolean() ? "Delete" : "Retain";
    }

    private String strategy() {
        return switch (random.nextInt(5)) {
            case 0 -> "{\"type\": \"OnDelete\", \"rollingUpdate\": null}";
            case 1 -> "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"partition\": " + random.nextInt(4) + "}}";
            default -> "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"partition\": 0}}";
        };
    }

    private void image(String next) {
        image = next;
        steps.add(patch("\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", \"image\": \"" + image
                + "\"}]}}", "wants image " + image));
    }

    private void step(boolean disrupted) {
        switch (random.nextInt(disrupted ? 12 : 9)) {
            case 0, 1, 2 -> image("app:v" + (1 + random.nextInt(4)));
            case 3, 4, 5 -> {
                replicas = random.nextInt(6);
                steps.add(patch("\"replicas\": " + replicas, "wants " + replicas + " pods"));
            }
            case 6 -> steps.add(patch("\"updateStrategy\": " + strategy(), "changes the strategy"));
            case 7 -> image(parallel ? SimulatedNodes.BAD_IMAGE : "app:v6");
            case 8 -> createAgain(random.nextInt(3));
            default -> steps.add(Step.disruption(name, random.nextBoolean()));
        }
    }

    private void createAgain(int policy) {
        steps.add(Step.delete("statefulset", name, List.of("Background", "Foreground", "Orphan").get(policy),
                "deletes the StatefulSet"));
        steps.add(create().again());
    }

    private Step patch(String spec, String sentence) {
        return Step.patch("statefulset", name, "{\"spec\": {" + spec + "}}", sentence);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new StatefulSetInvariants(truth), new ClaimInvariants(truth));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode set = api.find("statefulset", name);
        return set == null || (Api.isObserved(set) && !ObjectFields.isDeleted(set));
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode set = api.find("statefulset", name);
        if (set != null) {
            JsonNode status = set.path("status");
            boolean same = status.path("currentRevision").equals(status.path("updateRevision"));
            lines.put("StatefulSet", set.path("metadata").path("generation") + " replicas " + status.path("replicas")
                    + " ready " + status.path("readyReplicas") + " available " + status.path("availableReplicas")
                    + " current " + status.path("currentReplicas") + " updated " + status.path("updatedReplicas")
                    + (same ? " in one revision" : " in two revisions"));
            lines.put("revisions", revisions(api).toString());
        }
        api.podsOf(name).forEach(p -> lines.put("pod " + ObjectFields.name(p),
                ObjectFields.text(p.path("spec").path("containers").path(0), "image") + " " + ObjectFields.word(p)
                        + " of " + ObjectFields.owner(p)));
        for (JsonNode claim : api.list("persistentvolumeclaim")) {
            // The claim of a pod that was wanted for a moment exists only if that pod was made.
            int ordinal = ordinal(ObjectFields.name(claim));
            if (ObjectFields.name(claim).startsWith("data-" + name + "-") && set != null && ordinal >= start
                    && ordinal < start + replicas) {
                lines.put("claim " + ObjectFields.name(claim), "there, owned by " + claim.path("metadata")
                        .path("ownerReferences").valueStream().map(o -> ObjectFields.text(o, "kind")).toList());
            }
        }
        return lines;
    }

    /** The images of the revisions, the oldest first. */
    private List<String> revisions(Api api) {
        return api.list("controllerrevision").stream().filter(r -> ObjectFields.owner(r).equals(name))
                .sorted((a, b) -> Long.compare(a.path("revision").asLong(), b.path("revision").asLong()))
                .map(r -> ObjectFields.image(r.path("data"))).toList();
    }

    /** The ordinal at the end of a pod's or a claim's name; -1 if there is none. */
    static int ordinal(String name) {
        String end = name.substring(name.lastIndexOf('-') + 1);
        return end.matches("\\d{1,6}") ? Integer.parseInt(end) : -1;
    }
}
