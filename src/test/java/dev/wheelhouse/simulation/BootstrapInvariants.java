package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.bootstrap.BootstrapSigner;
import dev.wheelhouse.controllers.bootstrap.TokenCleaner;

/**
 * A token is not deleted before it expires, and at the end no expired one is there. The signer of the cluster's
 * description changes signatures alone.
 */
record BootstrapInvariants(Contents contents, RunHistory history) implements Invariant {
    @Override
    public List<String> before(Write write) {
        String name = write.request().key().name();
        return switch (write.controller()) {
            case TokenCleaner.NAME -> tokens()
                    .filter(secret -> ObjectFields.name(secret).equals(name) && !hasExpired(secret))
                    .map(secret -> "the token " + name + " is deleted before it expires").toList();
            case BootstrapSigner.NAME -> {
                V1ConfigMap written = write.object(V1ConfigMap.class);
                yield contents.list(ResourceType.CONFIG_MAPS, write.request().key().namespace(), V1ConfigMap.class)
                        .stream().filter(live -> Truth.name(live).equals(name))
                        .filter(live -> written == null || isOfVersion(live, written)
                                && !unsigned(live).equals(unsigned(written)))
                        .map(live -> "the signer changes more than signatures").toList();
            }
            default -> List.of();
        };
    }

    @Override
    public List<String> atEnd() {
        return tokens().filter(this::hasExpired)
                .map(secret -> "the token " + ObjectFields.name(secret) + " has expired and is there").toList();
    }

    private Stream<JsonNode> tokens() {
        return contents.list(ResourceType.SECRETS, BootstrapWorkload.TOKENS, JsonNode.class).stream();
    }

    private boolean hasExpired(JsonNode secret) {
        String expiration = BootstrapWorkload.field(secret, "expiration");
        return expiration != null && !Instant.parse(expiration).isAfter(history.now());
    }

    /** A write of what was read at another version fails. */
    private static boolean isOfVersion(V1ConfigMap live, V1ConfigMap written) {
        return String.valueOf(live.getMetadata().getResourceVersion())
                .equals(written.getMetadata().getResourceVersion());
    }

    private static Map<String, String> unsigned(V1ConfigMap info) {
        Map<String, String> data = new HashMap<>(info.getData() == null ? Map.of() : info.getData());
        data.keySet().removeIf(key -> key.startsWith("jws-kubeconfig-"));
        return data;
    }
}
