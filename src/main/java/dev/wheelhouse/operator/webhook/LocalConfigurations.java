package dev.wheelhouse.operator.webhook;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
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
import dev.wheelhouse.client.PatchType;

/**
 * The webhook configurations, and the conversions in definitions, of processes that run on the machine of the API
 * server, as in development. When such a process has ended, the API server refuses every request that needs them.
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
     * Deletes the configurations, and ends the conversions, that this project has written for processes on this machine
     * that have ended: nobody listens at their ports. Does nothing unless the API server runs on this machine, too. A
     * failure is logged at the level of debugging, as clients may lack these rights.
     *
     * @param ending the port of a server that ends now; 0 for none
     */
    static void removeEnded(KubeClient client, int ending) {
        for (ResourceType type : List.of(VALIDATING, MUTATING, ResourceType.CUSTOM_RESOURCE_DEFINITIONS)) {
            try {
                if (isHere(client.server())) {
                    client.resource(type, Unstructured.class).list("", LabelSelector.everything(),
                            FieldSelector.everything(), ListOptions.consistent(0)).items()
                            .forEach(object -> removeIfEnded(client, type, object, ending));
                }
            } catch (KubeApiException | IllegalArgumentException e) {
                log.debug("{} of ended processes stay: {}", type, e.getMessage());
            }
        }
    }

    private static void removeIfEnded(KubeClient client, ResourceType type, Unstructured object, int ending) {
        ObjectKey key = ObjectKey.of(object);
        JsonNode tree = ModelJson.tree(object);
        if (type.equals(ResourceType.CUSTOM_RESOURCE_DEFINITIONS)) {
            JsonNode webhook = tree.at("/spec/conversion/webhook");
            if (isEnded(webhook, ending) && url(webhook).endsWith(Webhooks.CONVERT + key.name())) {
                client.metadata(type).patch(key, "", PatchType.MERGE, """
                        {"metadata": {"resourceVersion": "%s"},
                         "spec": {"conversion": {"strategy": "None", "webhook": null}}}"""
                        .formatted(object.getMetadata().getResourceVersion()));
                log.info("ended the conversion of {}: its process on this machine has ended", key);
            }
        } else if (!tree.path("webhooks").isEmpty()
                && tree.path("webhooks").valueStream().allMatch(webhook -> isEnded(webhook, ending))
                && client.metadata(type).appliers(key).contains(FIELD_MANAGER)) {
            client.metadata(type).delete(key, Deletion.ofUid(object.getMetadata().getUid()));
            log.info("deleted {} {}: its process on this machine has ended", type.kind(), key);
        }
    }

    private static String url(JsonNode webhook) {
        return webhook.path("clientConfig").path("url").asString("");
    }

    private static boolean isEnded(JsonNode webhook, int ending) {
        String url = url(webhook);
        return isHere(url) && (URI.create(url).getPort() == ending || !listens(URI.create(url).getPort()));
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
