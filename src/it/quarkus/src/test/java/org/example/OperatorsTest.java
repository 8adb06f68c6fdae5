package org.example;

import java.time.Duration;
import java.util.Map;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.util.Config;

import jakarta.inject.Inject;

import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTest;

import static org.junit.jupiter.api.Assertions.assertTrue;

@QuarkusTest
@QuarkusTestResource(OperatorsTest.ApiServer.class)
class OperatorsTest {
    /** An API server that starts before the application. */
    public static class ApiServer implements QuarkusTestResourceLifecycleManager {
        private TestServer server;

        @Override
        public Map<String, String> start() {
            server = TestServer.start();
            return Map.of("kubeconfig", server.kubeconfig().toString());
        }

        @Override
        public void stop() {
            server.close();
        }
    }

    @Inject
    Operators operators;

    @ConfigProperty(name = "kubeconfig")
    String kubeconfig;

    @Test
    void theOperatorRunsInTheApplication() throws Exception {
        CoreV1Api core = new CoreV1Api(Config.fromConfig(kubeconfig));
        core.createNamespacedServiceAccount("default",
                new V1ServiceAccount().metadata(new V1ObjectMeta().name("ada"))).execute();

        Eventually.eventually("the account is welcomed", Duration.ofSeconds(90),
                () -> core.listNamespacedConfigMap("default").execute().getItems().stream()
                        .anyMatch(map -> "Welcome, ada".equals(map.getData().get("text"))));
        assertTrue(operators.areReady());
    }
}
