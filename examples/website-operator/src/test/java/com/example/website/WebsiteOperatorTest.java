package com.example.website;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.EmbeddedApiServer.Lifetime;
import dev.wheelhouse.testing.EmbeddedApiServer.TestClock;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.testing.User;

/** The operator on an API server in this JVM, with controllers and a node. Time passes only when a test says so. */
@EmbeddedApiServer(crds = Website.class, operators = WebsiteOperator.class, clock = TestClock.MANUAL,
        lifetime = Lifetime.METHOD, controllers = true, nodes = 1)
class WebsiteOperatorTest {
    private final TestServer server;
    private final User user;

    WebsiteOperatorTest(TestServer server) {
        this.server = server;
        this.user = server.user();
    }

    @BeforeEach
    void createTheWebsite() {
        user.create("""
                apiVersion: example.com/v1
                kind: Website
                metadata: {name: home}
                spec: {html: <h1>Hello</h1>, replicas: 2}
                """);
        server.settle();
    }

    @Test
    void aWebsiteBecomesReadyOnceItsWebServersAre() {
        assertEquals("False", ready().getStatus());
        server.advance(Duration.ofSeconds(10));
        assertEquals("True", ready().getStatus());
        assertEquals("2 of 2 web servers are ready.", ready().getMessage());
        assertEquals(2, user.all(V1Pod.class).size());
        assertEquals("home", user.get(V1Service.class, "default", "home").getSpec().getSelector().get("website"));
    }

    @Test
    void aChangedPageIsStored() {
        user.edit(Website.class, "default", "home", it -> it.setSpec(new Website.Spec("<h1>Goodbye</h1>", 2)));
        server.settle();
        assertEquals("<h1>Goodbye</h1>",
                user.get(V1ConfigMap.class, "default", "home").getData().get("index.html"));
    }

    @Test
    void anOwnedObjectThatSomebodyDeletesOrChangesIsRepaired() {
        user.delete(V1Service.class, "default", "home");
        user.edit(V1Deployment.class, "default", "home", it -> it.getSpec().setReplicas(7));
        server.settle();
        assertTrue(user.find(V1Service.class, "default", "home").isPresent());
        assertEquals(2, user.get(V1Deployment.class, "default", "home").getSpec().getReplicas());
    }

    @Test
    void aWebsiteThatIsDeletedTakesItsObjectsWithIt() {
        user.delete(Website.class, "default", "home");
        server.advance(Duration.ofMinutes(1));
        assertTrue(user.all(V1ConfigMap.class).stream().noneMatch(it -> it.getMetadata().getName().equals("home")));
        assertTrue(user.all(V1Deployment.class).isEmpty());
        assertTrue(user.all(V1Pod.class).isEmpty());
    }

    private V1Condition ready() {
        return user.get(Website.class, "default", "home").getStatus().conditions().getFirst();
    }
}
