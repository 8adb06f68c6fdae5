package org.example;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** Reconcilers for the official client run on this engine, by nothing but a further dependency. */
@SpringBootTest
class AnnotatedApplicationTest {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final TestServer SERVER = TestServer.start();

    @DynamicPropertySource
    static void kubeconfig(DynamicPropertyRegistry registry) {
        registry.add("wheelhouse.kubeconfig", () -> SERVER.kubeconfig().toString());
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void bothReconcilersAreRunByTheManager(@Autowired ApiClient client, @Autowired ControllerManager manager,
            @Autowired AnnotatedApplication.ConfigMaps annotated, @Autowired AnnotatedApplication.Secrets built)
            throws Exception {
        CoreV1Api core = new CoreV1Api(client);
        core.createNamespacedConfigMap("default", new V1ConfigMap().metadata(new V1ObjectMeta().name("one"))).execute();
        core.createNamespacedSecret("default", new V1Secret().metadata(new V1ObjectMeta().name("two"))
                .stringData(Map.of("k", "v"))).execute();

        Eventually.eventually("the annotated reconciler has seen it", SOON, () -> annotated.seen.contains("one"));
        Eventually.eventually("the built controller has seen it", SOON, () -> built.seen.contains("two"));
        assertThat(manager.states()).extracting(state -> state.name()).contains("annotated", "built");
    }
}
