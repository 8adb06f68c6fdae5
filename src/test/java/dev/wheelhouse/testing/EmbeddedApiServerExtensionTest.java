package dev.wheelhouse.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EmbeddedApiServerExtensionTest {

    private static ResourceClient<V1ConfigMap> configMaps(KubeClient client) {
        return client.resource(new ResourceType("", "v1", "configmaps", "ConfigMap", true), V1ConfigMap.class);
    }

    private static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)).data(Map.of("k", "v"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClosedServerStartsNothingAgain(boolean manual) {
        TestServer server = (manual ? TestServer.builder().manualClock() : TestServer.builder()).start();
        server.close();

        assertThatThrownBy(server::url).isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("this test server was closed");
        assertThatThrownBy(server::kubeconfig).hasMessageStartingWith("this test server was closed");
        assertThatThrownBy(server.server()::start).hasMessage(
                "the API server was closed and cannot listen again: make another one");
        server.close();
    }

    @Nested
    @EmbeddedApiServer
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    class WithAServerForTheClass {
        @Test
        @Order(1)
        void allParametersLeadToTheSameServer(TestServer server, KubeClient client, ApiClient official,
                @Kubeconfig Path kubeconfig) throws Exception {
            configMaps(client).create(configMap("kept"));
            assertThat(new CoreV1Api(official).readNamespacedConfigMap("kept", "default").execute().getData())
                    .containsEntry("k", "v");
            assertThat(Files.readString(kubeconfig)).contains("server: " + server.url());
        }

        @Test
        @Order(2)
        void whatOneTestWroteTheNextOneSees(KubeClient client) {
            assertThat(configMaps(client).get(ObjectKey.of("default", "kept")).getData()).containsEntry("k", "v");
        }

        @Test
        @Order(3)
        void aFaultFailsTheRequestsThatItNamesAndNoOthers(KubeClient client, Faults faults) {
            Faults.Rule rule = faults.on("update", "configmaps").times(1).fail(409, "somebody was faster");
            V1ConfigMap present = configMaps(client).get(ObjectKey.of("default", "kept"));
            assertThatThrownBy(() -> configMaps(client).update(present)).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("injected fault: update of configmaps: somebody was faster");
            configMaps(client).update(present);
            assertThat(rule.hits()).isEqualTo(1);
            faults.on("*", "*").fail(503, "left behind");
        }

        @Test
        @Order(4)
        void faultsEndWithTheTestThatMadeThem(KubeClient client) {
            assertThat(configMaps(client).get(ObjectKey.of("default", "kept")).getData()).containsEntry("k", "v");
        }

        @Test
        @Order(5)
        void aDelayIsWaitedFor(KubeClient client, Faults faults) {
            Faults.Rule rule = faults.on("get", "configmaps").delay(Duration.ofMillis(50));
            long before = System.nanoTime();
            configMaps(client).get(ObjectKey.of("default", "kept"));
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
            assertThat(rule.hits()).isEqualTo(1);
        }

        @Test
        @Order(6)
        void aWatchIsCutAndAnOldVersionIsCompacted(KubeClient client, Faults faults) throws Exception {
            var lister = configMaps(client).listerWatcher("default", LabelSelector.everything(),
                    FieldSelector.everything());
            String version = lister.list(ListOptions.consistent(0)).resourceVersion();
            try (WatchStream<V1ConfigMap> watch = lister
                    .watch(new WatchOptions(version, false, Duration.ofSeconds(60)))) {
                faults.cutWatches();
                assertThat(watch.next(Duration.ofSeconds(20))).isNull();
                assertThat(watch.isEnded()).isTrue();
            }
            configMaps(client).create(configMap("later"));
            faults.compactNow();
            try (WatchStream<V1ConfigMap> watch = lister
                    .watch(new WatchOptions(version, false, Duration.ofSeconds(60)))) {
                assertThat(watch.next(Duration.ofSeconds(20))).isInstanceOfSatisfying(WatchEvent.Failed.class,
                        failed -> assertThat(failed.error().code()).isEqualTo(410));
            }
        }

        @Test
        @Order(7)
        void anAnswerIsLostAlthoughTheRequestWasExecuted(TestServer server, KubeClient client, Faults faults) {
            for (KubeClient each : List.of(client, server.server().client("in-process"))) {
                String name = "unanswered-" + (each == client ? "http" : "in-process");
                Faults.Rule rule = faults.on("create", "configmaps").times(1).loseAnswer();
                assertThatThrownBy(() -> configMaps(each).create(configMap(name)))
                        .isInstanceOfSatisfying(KubeApiException.class, e -> assertThat(e.isUnknownOutcome()).isTrue());
                assertThat(rule.hits()).isEqualTo(1);
                assertThat(configMaps(each).get(ObjectKey.of("default", name)).getData()).containsEntry("k", "v");
            }
        }

        @Nested
        class AndANestedClass {
            @Test
            void sharesItsServer(KubeClient client) {
                assertThat(configMaps(client).get(ObjectKey.of("default", "kept"))).isNotNull();
            }
        }
    }

    @Nested
    @EmbeddedApiServer(lifetime = EmbeddedApiServer.Lifetime.METHOD)
    class WithAServerForEachMethod {
        @BeforeEach
        void create(KubeClient client) {
            configMaps(client).create(configMap("fresh"));
        }

        @Test
        void oneTestBeginsWithAnEmptyServer(KubeClient client) {
            configMaps(client).create(configMap("mine"));
        }

        @Test
        void andSoDoesAnother(KubeClient client) {
            configMaps(client).create(configMap("mine"));
        }
    }
}
