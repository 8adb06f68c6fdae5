package dev.wheelhouse.simulation;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * A user's changes of a namespace of its own: it gets ConfigMaps, some of which a finalizer holds back, is deleted, and
 * is created again under the same name.
 */
final class NamespaceWorkload extends Workload {
    private static final String FINALIZER = "example.com/hold";
    private boolean deleted = true;

    NamespaceWorkload(String name, Random random, boolean disrupted) {
        super(name);
        creates("configmap");
        int lives = 1 + random.nextInt(3);
        for (int life = 0; life < lives; life++) {
            steps.add(new Step("creates the namespace " + name, e -> {
                e.api().create("namespace", "{\"metadata\": {\"name\": \"" + name + "\"}}");
                deleted = false;
            }));
            int count = random.nextInt(3);
            for (int i = 0; i < count; i++) {
                String map = "m" + i;
                steps.add(new Step("creates the ConfigMap " + map + " in it", e -> create(e.api(), map)));
            }
            boolean held = count > 0 && random.nextInt(3) == 0;
            if (held) {
                steps.add(new Step("holds a ConfigMap with a finalizer",
                        e -> finalizers(e.api(), "m0", "[\"" + FINALIZER + "\"]")));
            }
            if (life < lives - 1 || random.nextBoolean()) {
                steps.add(new Step("deletes the namespace " + name, e -> {
                    e.api().delete("namespace", name, "Background");
                    deleted = !held;
                }));
                if (held) {
                    steps.add(new Step("lets go of the ConfigMap", e -> {
                        finalizers(e.api(), "m0", "null");
                        deleted = true;
                    }));
                }
            }
        }
    }

    private void create(Api api, String map) {
        api.in(name).create("configmap", "{\"metadata\": {\"name\": \"" + map + "\"}}");
    }

    private void finalizers(Api api, String map, String finalizers) {
        Api.expect(api.in(name).patch("configmap", map, "merge",
                Json.read("{\"metadata\": {\"finalizers\": " + finalizers + "}}")));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode namespace = api.find("namespace", name);
        return deleted ? namespace == null : namespace != null;
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode namespace = api.find("namespace", name);
        lines.put("namespace", namespace == null ? "gone" : namespace.path("status").path("phase").asString(""));
        lines.put("ConfigMaps", api.in(name).list("configmap").stream().map(ObjectFields::name).sorted().toList()
                .toString());
        return lines;
    }
}
