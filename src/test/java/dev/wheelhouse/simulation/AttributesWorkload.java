package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.wheelhouse.controllers.volume.AttributesClassProtectionController;
import dev.wheelhouse.controllers.volume.ClaimProtectionController;

/**
 * VolumeAttributesClasses, claims that request them and change to others, and volumes that have them, all of which a
 * user creates and deletes in any order.
 */
final class AttributesWorkload extends Workload {
    private static final String CLASS = "volumeattributesclass";
    private static final String CLAIM = "persistentvolumeclaim";
    private static final String VOLUME = "persistentvolume";
    private static final int CLASSES = 3;

    AttributesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(AttributesClassProtectionController.NAME, ClaimProtectionController.NAME);
        creates(CLASS, CLAIM, VOLUME);
        int count = 8 + random.nextInt(9);
        for (int i = 0; i < count; i++) {
            String attributes = name + "-a-" + random.nextInt(CLASSES);
            String user = name + "-u-" + random.nextInt(CLASSES);
            steps.add(switch (random.nextInt(9)) {
                case 0, 1 -> Step.once(CLASS, attributes, """
                        {"metadata": {"name": "%s"}, "driverName": "csi.example.com", "parameters": {"iops": "1"}}"""
                        .formatted(attributes));
                case 2 -> Step.once(CLAIM, user, """
                        {"metadata": {"name": "%s"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName":
                         "%s", "volumeAttributesClassName": "%s", "resources": {"requests": {"storage": "1Gi"}}}}"""
                        .formatted(user, name, attributes));
                case 3 -> Step.once(VOLUME, user, """
                        {"metadata": {"name": "%s"}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes":
                         ["ReadWriteOnce"], "volumeAttributesClassName": "%s", "csi": {"driver": "csi.example.com",
                         "volumeHandle": "1"}}}""".formatted(user, attributes));
                case 4 -> Step.ifPresent(CLAIM, user, "has " + attributes + " as the target of",
                        e -> e.api().patch(CLAIM, user + "/status", """
                                {"status": {"modifyVolumeStatus": {"status": "InProgress",
                                 "targetVolumeAttributesClassName": "%s"}}}""".formatted(attributes)));
                case 5 -> deletion(CLAIM, user);
                case 6 -> deletion(VOLUME, user);
                default -> deletion(CLASS, attributes);
            });
        }
    }

    /** All participants catch up first: whether the controller has seen the users of a class would be random. */
    private static Step deletion(String kind, String object) {
        return new Step("deletes the " + kind + " " + object, true, e -> {
            if (e.api().find(kind, object) != null) {
                e.api().delete(kind, object, "Background");
                if (kind.equals(VOLUME)) {
                    e.api().patch(kind, object, "{\"metadata\": {\"finalizers\": null}}");
                }
            }
        });
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new AttributesInvariants(truth));
    }

    @Override
    public boolean isSeen(Api api) {
        return own(api, CLAIM).stream().noneMatch(ObjectFields::isDeleted)
                && own(api, CLASS).stream()
                        .noneMatch(c -> ObjectFields.isDeleted(c) && !isUsed(api, ObjectFields.name(c)));
    }

    private boolean isUsed(Api api, String attributes) {
        return Stream.of(CLAIM, VOLUME).flatMap(kind -> own(api, kind).stream())
                .flatMap(user -> Stream.of(user.at("/spec/volumeAttributesClassName"),
                        user.at("/status/currentVolumeAttributesClassName"),
                        user.at("/status/modifyVolumeStatus/targetVolumeAttributesClassName")))
                .anyMatch(used -> used.asString("").equals(attributes));
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        Stream.of(CLASS, CLAIM, VOLUME).flatMap(kind -> own(api, kind).stream())
                .forEach(object -> lines.put(object.path("kind").asString() + " " + ObjectFields.name(object),
                        ObjectFields.isDeleted(object) ? "is being deleted" : "exists"));
        return lines;
    }
}
