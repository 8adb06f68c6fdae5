package org.example;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.operator.Wheelhouse;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;
import io.micronaut.context.ApplicationContext;

import static org.junit.jupiter.api.Assertions.assertTrue;

class OperatorsTest {
    @Test
    void theOperatorRunsInTheContext() throws Exception {
        try (TestServer server = TestServer.start();
                ApplicationContext context = ApplicationContext.run(
                        Map.of("kubeconfig", server.kubeconfig().toString()))) {
            CoreV1Api core = new CoreV1Api(server.apiClient());
            core.createNamespacedServiceAccount("default",
                    new V1ServiceAccount().metadata(new V1ObjectMeta().name("ada"))).execute();

            Eventually.eventually("the account is welcomed", Duration.ofSeconds(90),
                    () -> core.listNamespacedConfigMap("default").execute().getItems().stream()
                            .anyMatch(map -> "Welcome, ada".equals(map.getData().get("text"))));
            assertTrue(context.getBean(Wheelhouse.class).isReady());
        }
    }
}
