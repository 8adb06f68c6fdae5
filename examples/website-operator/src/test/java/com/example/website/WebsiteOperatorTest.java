package com.example.website;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.EmbeddedApiServer.TestClock;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.testing.User;

/** The operator on an API server in this JVM, with controllers and a node. Time passes only when a test says so. */
@EmbeddedApiServer(crds = Website.class, operators = WebsiteOperator.class, clock = TestClock.MANUAL,
        controllers = true, nodes = 1)
class WebsiteOperatorTest {
    private static TestServer server;
    private static User user;

    @Test
    void aWebsiteIsServedByReadyWebServers() {
        create("served");
        V1Condition ready = status("served").conditions().getFirst();
        assertEquals("True", ready.getStatus(), ready.getMessage());
        assertEquals(2, status("served").readyReplicas());
        assertEquals("served",
                user.get(V1Service.class, "default", "served").getSpec().getSelector().get("website"));
    }

    @Test
    void aChangedPageIsStored() {
        create("changed");
        user.edit(Website.class, "default", "changed", it -> it.setSpec(new Website.Spec("<h1>Bye</h1>", 2)));
        server.settle();
        V1ConfigMap page = user.get(V1ConfigMap.class, "default", "changed");
        assertEquals("<h1>Bye</h1>", page.getData().get("index.html"));
    }

    @Test
    void anObjectThatSomebodyDeletesOrChangesIsRepaired() {
        create("repaired");
        user.delete(V1Service.class, "default", "repaired");
        user.edit(V1Deployment.class, "default", "repaired", it -> it.getSpec().setReplicas(7));
        server.settle();
        assertTrue(user.find(V1Service.class, "default", "repaired").isPresent());
        assertEquals(2, user.get(V1Deployment.class, "default", "repaired").getSpec().getReplicas());
    }

    @Test
    void aWebsiteThatIsDeletedTakesItsObjectsWithIt() {
        create("deleted");
        user.delete(Website.class, "default", "deleted");
        server.advance(Duration.ofMinutes(1));
        assertTrue(user.find(V1ConfigMap.class, "default", "deleted").isEmpty());
        assertTrue(user.find(V1Deployment.class, "default", "deleted").isEmpty());
        assertTrue(user.all(V1Pod.class).stream().noneMatch(it -> it.getMetadata().getName().startsWith("deleted")));
    }

    @Test
    void aWebsiteWithoutAPageIsRefused() {
        KubeApiException refused = assertThrows(KubeApiException.class, () -> user.create("""
                apiVersion: example.com/v1
                kind: Website
                metadata: {name: empty}
                spec: {replicas: 2}
                """));
        assertTrue(refused.getMessage().contains("spec.html: Required value"), refused.getMessage());
    }

    private static void create(String name) {
        user.create("""
                apiVersion: example.com/v1
                kind: Website
                metadata: {name: %s}
                spec: {html: <h1>Hello</h1>, replicas: 2}
                """.formatted(name));
        server.settle();
    }

    private static Website.Status status(String name) {
        return user.get(Website.class, "default", name).getStatus();
    }
}
