package dev.wheelhouse.apiserver.answers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.operator.webhook.ScriptedWebhook;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Webhooks are asked about subresources, connections, reviews and deletions as a real kube-apiserver 1.36 asks them.
 * {@link RealWebhooksTest} compares the whole reviews.
 */
class AskedRequestsTest {
    @Test
    void webhooksAreAskedAboutEachSubresourceConnectionReviewAndDeletion() throws Exception {
        List<AskedRequests.Asked> asked = new ArrayList<>();
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
                ScriptedWebhook webhook = new ScriptedWebhook("127.0.0.1");
                HttpWire wire = new HttpWire(server.port(), false, "")) {
            webhook.respond("/asked", request -> "{\"allowed\": true}");
            for (Probe object : AskedRequests.objects()) {
                assertThat(wire.send(object).code()).as(object.toString()).isEqualTo(201);
            }
            eventually("the definition is served", Duration.ofMinutes(2),
                    () -> wire.send(AskedRequests.yard()).code() == 201);
            assertThat(wire.send(AskedRequests.configuration("Validating", webhook.client("/asked"))).code())
                    .isEqualTo(201);
            for (AskedRequests.Asked request : AskedRequests.requests()) {
                webhook.reviews.clear();
                wire.send(request.probe());
                asked.add(new AskedRequests.Asked(request.probe(), List.copyOf(webhook.reviews).stream()
                        .map(AskedRequests::summary).collect(Collectors.joining(", "))));
            }
        }
        assertThat(asked).containsExactlyElementsOf(AskedRequests.requests());
    }
}
