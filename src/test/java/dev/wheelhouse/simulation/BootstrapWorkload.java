package dev.wheelhouse.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.bootstrap.BootstrapSigner;
import dev.wheelhouse.controllers.bootstrap.DetachedSignature;
import dev.wheelhouse.controllers.bootstrap.TokenCleaner;

/** Bootstrap tokens with and without a time at which they expire, and the description of the cluster that they sign. */
final class BootstrapWorkload extends Workload {
    static final String TOKENS = "kube-system";
    private static final String INFO = "cluster-info";
    private static final List<String> IDS = List.of("aaaaaa", "bbbbbb", "cccccc");
    /** All tokens that expire at all have expired after so many seconds. */
    private static final int LONGEST = 300;

    BootstrapWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(BootstrapSigner.NAME, TokenCleaner.NAME);
        creates("secret", "configmap");
        steps.add(new Step("describes the cluster", e -> e.api().in("kube-public").create("configmap", """
                {"metadata": {"name": "cluster-info"}, "data": {"kubeconfig": "first", "notes": "none"}}""")));
        int changes = 5 + random.nextInt(7);
        for (int i = 0; i < changes; i++) {
            change(random);
        }
        steps.add(Step.pause(Duration.ofSeconds(LONGEST + 1)));
    }

    private void change(Random random) {
        String id = IDS.get(random.nextInt(IDS.size()));
        switch (random.nextInt(7)) {
            case 0, 1, 2 -> {
                int seconds = random.nextInt(2) * (1 + random.nextInt(LONGEST));
                steps.add(token(id, random.nextInt(4) > 0, seconds));
            }
            case 3 -> steps.add(new Step("deletes the token " + id, e -> delete(e.api(), id)));
            case 4 -> write("kubeconfig", String.valueOf(random.nextInt(1000)));
            case 5 -> write("jws-kubeconfig-" + id, "forged");
            default -> steps.add(Step.pause(Duration.ofSeconds(1 + random.nextInt(120))));
        }
    }

    private void write(String field, String value) {
        steps.add(new Step("writes " + value + " into " + field,
                e -> e.api().in("kube-public").patch("configmap", INFO,
                        "{\"data\": {\"" + field + "\": \"" + value + "\"}}")));
    }

    private static void delete(Api api, String id) {
        if (api.in(TOKENS).find("secret", "bootstrap-token-" + id) != null) {
            api.in(TOKENS).delete("secret", "bootstrap-token-" + id, "Background");
        }
    }

    private static Step token(String id, boolean signs, int seconds) {
        return new Step("makes the token " + id + (signs ? ", which signs" : "")
                + (seconds == 0 ? "" : ", for " + seconds + " s"), e -> {
                    Instant end = e.clock().now().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS);
                    delete(e.api(), id);
                    e.api().in(TOKENS).create("secret", """
                            {"metadata": {"name": "bootstrap-token-%1$s"}, "type": "bootstrap.kubernetes.io/token",
                             "stringData": {"token-id": "%1$s", "token-secret": "secret-of-%1$s",
                             "usage-bootstrap-signing": "%2$s"%3$s}}""".formatted(id, signs,
                            seconds == 0 ? "" : ", \"expiration\": \"" + end + "\""));
                });
    }

    /** The text of a field of a Secret; null if it has none. */
    static @Nullable String field(JsonNode secret, String field) {
        String value = Json.text(secret, "data", field);
        return value.isEmpty()
                ? null
                : new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new BootstrapInvariants(truth.contents(), history));
    }

    /** {@inheritDoc} Each token that is there and signs has signed what is there, and nobody else. */
    @Override
    public boolean isSeen(Api api) {
        Map<String, String> data = data(api);
        Map<String, String> wanted = new TreeMap<>(data);
        wanted.keySet().removeIf(key -> key.startsWith("jws-"));
        String content = wanted.getOrDefault("kubeconfig", "");
        tokens(api).stream().filter(token -> "true".equals(field(token, "usage-bootstrap-signing"))).forEach(token -> {
            String id = String.valueOf(field(token, "token-id"));
            wanted.put("jws-kubeconfig-" + id, DetachedSignature.of(content, id, "secret-of-" + id));
        });
        return wanted.equals(data);
    }

    private static List<JsonNode> tokens(Api api) {
        return api.in(TOKENS).list("secret").stream().filter(s -> ObjectFields.name(s).startsWith("bootstrap-token-"))
                .toList();
    }

    private static Map<String, String> data(Api api) {
        Map<String, String> data = new TreeMap<>();
        JsonNode info = api.in("kube-public").find("configmap", INFO);
        if (info != null) {
            info.path("data").properties().forEach(field -> data.put(field.getKey(), field.getValue().asString()));
        }
        return data;
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>(data(api));
        lines.put("tokens", tokens(api).stream().map(ObjectFields::name).sorted().toList().toString());
        return lines;
    }

    /** {@inheritDoc} The objects are in others. */
    @Override
    public boolean holdsNamespace() {
        return true;
    }
}
