package org.example;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.testing.User;

import static dev.wheelhouse.testing.EmbeddedApiServer.TestClock.MANUAL;
import static org.junit.jupiter.api.Assertions.assertEquals;

@EmbeddedApiServer(crds = Website.class, operators = WebsiteOperator.class, clock = MANUAL)
class WebsiteOperatorTest {
    @Test
    void valuesOfLombokAreWrittenAndRead(TestServer server, User user) {
        Website website = new Website();
        website.setMetadata(new V1ObjectMeta().namespace("default").name("home"));
        website.setSpec(Website.Spec.builder().html("Hello").replicas(3).build());
        user.create(website);
        server.settle();

        Website stored = user.get(Website.class, "default", "home");
        assertEquals(website.getSpec(), stored.getSpec());
        assertEquals(1, stored.getStatus().getPages());

        user.edit(Website.class, "default", "home",
                it -> it.setSpec(it.getSpec().toBuilder().html("Bye").build()));
        server.settle();
        assertEquals("Bye", user.get(V1ConfigMap.class, "default", "home").getData().get("index.html"));
    }
}
