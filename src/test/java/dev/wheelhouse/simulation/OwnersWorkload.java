package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;

/**
 * A user's ConfigMaps that own each other, each up to two others. The user deletes some in all three ways, and creates
 * some again under the same name.
 */
final class OwnersWorkload extends Workload {
    private static final String[] POLICIES = {"Background", "Foreground", "Orphan"};

    OwnersWorkload(String name, Random random, boolean disrupted) {
        super(name);
        creates("configmap");
        int count = 3 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            create(i, random);
        }
        int deletions = 1 + random.nextInt(4);
        for (int i = 0; i < deletions; i++) {
            int which = random.nextInt(count);
            String policy = POLICIES[random.nextInt(POLICIES.length)];
            steps.add(Step.ifPresent("configmap", map(which), "deletes with the policy " + policy,
                    e -> e.api().delete("configmap", map(which), policy)).again());
            if (random.nextBoolean()) {
                create(which, random);
            }
        }
    }

    private String map(int number) {
        return name + "-" + number;
    }

    private void create(int number, Random random) {
        Set<String> wanted = number == 0
                ? Set.of()
                : new TreeSet<>(List.of(map(random.nextInt(number)), map(random.nextInt(number))));
        boolean blocks = random.nextBoolean();
        steps.add(new Step("creates " + map(number) + ", owned by those of " + wanted + " that there are", e -> {
            if (e.api().find("configmap", map(number)) != null) {
                return;
            }
            List<String> owners = wanted.stream().map(o -> e.api().find("configmap", o)).filter(o -> o != null)
                    .map(o -> """
                            {"apiVersion": "v1", "kind": "ConfigMap", "name": "%s", "uid": "%s",
                             "blockOwnerDeletion": %b}""".formatted(ObjectFields.name(o),
                            ObjectFields.text(o.path("metadata"), "uid"), blocks))
                    .toList();
            e.api().create("configmap", "{\"metadata\": {\"name\": \"" + map(number) + "\", \"ownerReferences\": ["
                    + String.join(", ", owners) + "]}}");
        }));
    }

    /** {@inheritDoc} No deletion is under way, and every owner that is named is there. */
    @Override
    public boolean isSeen(Api api) {
        List<JsonNode> own = own(api, "configmap");
        List<String> uids = own.stream().map(m -> ObjectFields.text(m.path("metadata"), "uid")).toList();
        return own.stream().map(m -> m.path("metadata")).noneMatch(m -> m.has("deletionTimestamp")
                || m.path("ownerReferences").valueStream().anyMatch(o -> !uids.contains(ObjectFields.text(o, "uid"))));
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        own(api, "configmap")
                .forEach(m -> lines.put(ObjectFields.name(m), "owned by " + m.path("metadata").path("ownerReferences")
                        .valueStream().map(o -> ObjectFields.text(o, "name")).toList()));
        return lines;
    }
}
