package dev.wheelhouse.testing;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.KubeClient;

import static dev.wheelhouse.testing.EmbeddedApiServer.TestClock.MANUAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The fields of a test class are set by their types. */
class FieldsOfTestsTest {
    @Nested
    @EmbeddedApiServer(manifests = "/testing/team.yaml", clock = MANUAL)
    class OfAClass {
        static TestServer server;
        static String url;
        private User user;
        private Faults faults;
        private KubeClient client;
        private ApiClient official;
        @Kubeconfig
        private Path kubeconfig;

        @BeforeAll
        static void start() {
            url = server.url();
        }

        @Test
        void areSetBeforeTheTest() throws Exception {
            assertThat(url).isEqualTo(server.url());
            assertThat(faults).isSameAs(server.faults());
            assertThat(client.server()).startsWith(url);
            assertThat(official.getBasePath()).isEqualTo(url);
            assertThat(Files.readString(kubeconfig)).contains(url);
        }

        @Test
        void andTheManifestsAreThere() {
            assertThat(user.get(V1ConfigMap.class, "team", "settings").getData()).containsEntry("size", "large");
        }
    }

    /** One instance for the class: Spring's context is started before anything else. */
    @Nested
    @EmbeddedApiServer(clock = MANUAL)
    @SpringJUnitConfig(OfASpringTest.Nothing.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class OfASpringTest {
        static TestServer server;

        @Value("${the.url}")
        private String url;

        @Configuration
        static class Nothing {
        }

        @DynamicPropertySource
        static void properties(DynamicPropertyRegistry registry) {
            registry.add("the.url", server::url);
        }

        @Test
        void areSetBeforeItsProperties() {
            assertThat(url).isEqualTo(server.url());
        }
    }

    @Nested
    @EmbeddedApiServer(lifetime = EmbeddedApiServer.Lifetime.METHOD, clock = MANUAL)
    class OfAMethod {
        private TestServer server;

        @Test
        void haveANewServerInOneTest() {
            server.user().create(new V1ConfigMap().metadata(new V1ObjectMeta().name("mine")));
        }

        @Test
        void andAnotherOneInTheNext() {
            haveANewServerInOneTest();
        }
    }

    static final class Dependent extends PlantedBugs.ByHand {
        Dependent(String dependency) {
            throw new IllegalStateException(dependency);
        }
    }

    @Test
    void anOperatorWithoutAPlainConstructorIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> EmbeddedApiServerExtension.make(Dependent.class))
                .hasMessage("the operator " + Dependent.class.getName() + " has no constructor without parameters: start"
                        + " the server by TestServer.builder().operators(new Dependent(…)).start()");
    }
}
