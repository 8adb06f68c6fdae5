package dev.wheelhouse.operator.webhook;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;

/**
 * The webhook configurations of processes that run on the machine of the API server, as in development. When such a
 * process has ended, the API server refuses every write that they select, until somebody deletes them.
 */
final class LocalConfigurations {
    private static final Logger log = LoggerFactory.getLogger(LocalConfigurations.class);
    static final ResourceType VALIDATING = type("Validating");
    static final ResourceType MUTATING = type("Mutating");
    static final String FIELD_MANAGER = "wheelhouse-webhooks";
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final int CONNECT_MILLIS = 500;

    private LocalConfigurations() {}

    private static ResourceType type(String kind) {
        return new ResourceType("admissionregistration.k8s.io", "v1",
                kind.toLowerCase(Locale.ROOT) + "webhookconfigurations", kind + "WebhookConfiguration", false);
    }

    /**
     * Deletes the configurations that this project has applied for processes on this machine that have ended: nobody
     * listens at their ports. Does nothing unless the API server runs on this machine, too. A failure is logged at the
     * level of debugging, as clients may lack these rights.
     *
     * @param ending the port of a server that ends now; 0 for none
     */
    static void removeEnded(KubeClient client, int ending) {
        try {
            if (!isHere(client.server())) {
                return;
            }
            for (ResourceType type : Set.of(VALIDATING, MUTATING)) {
                for (Unstructured configuration : client.resource(type, Unstructured.class).list("",
                        LabelSelector.everything(), FieldSelector.everything(), ListOptions.consistent(0)).items()) {
                    ObjectKey key = ObjectKey.of(configuration);
                    if (isEnded(ModelJson.tree(configuration).path("webhooks"), ending)
                            && client.metadata(type).appliers(key).contains(FIELD_MANAGER)) {
                        client.metadata(type).delete(key, Deletion.ofUid(configuration.getMetadata().getUid()));
                        log.info("deleted {} {}: its process on this machine has ended", type.kind(), key);
                    }
                }
            }
        } catch (KubeApiException | IllegalArgumentException e) {
            log.debug("webhook configurations of ended processes stay: {}", e.getMessage());
        }
    }

    private static boolean isEnded(JsonNode webhooks, int ending) {
        return !webhooks.isEmpty() && webhooks.valueStream().allMatch(webhook -> {
            String url = webhook.path("clientConfig").path("url").asString("");
            return isHere(url) && (URI.create(url).getPort() == ending || !listens(URI.create(url).getPort()));
        });
    }

    private static boolean isHere(String url) {
        return !url.isEmpty() && LOOPBACK.contains(String.valueOf(URI.create(url).getHost()));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), CONNECT_MILLIS);
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
