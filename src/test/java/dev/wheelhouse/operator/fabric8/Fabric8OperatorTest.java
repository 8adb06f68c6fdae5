package dev.wheelhouse.operator.fabric8;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.IngressBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.operator.CrdPolicy;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Manifests;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.testing.OperatorSimulation;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Operators that are written with fabric8's classes. */
class Fabric8OperatorTest {
    private static final ObjectKey HOME = ObjectKey.of("default", "home");

    /** A spec as people write it for fabric8: a class with getters and setters. */
    public static class PageSpec {
        private String html = "";
        private boolean exposed;

        public String getHtml() {
            return html;
        }

        public void setHtml(String html) {
            this.html = html;
        }

        public boolean isExposed() {
            return exposed;
        }

        public void setExposed(boolean exposed) {
            this.exposed = exposed;
        }
    }

    /** A status whose field has another name in JSON than in Java. */
    public static class PageStatus {
        @JsonProperty("configMap")
        private @Nullable String map;
        private @Nullable Integer ready;
        private @Nullable List<Condition> conditions;

        public @Nullable String getMap() {
            return map;
        }

        public @Nullable Integer getReady() {
            return ready;
        }

        public void setReady(Integer ready) {
            this.ready = ready;
        }

        public @Nullable List<Condition> getConditions() {
            return conditions;
        }

        public void setConditions(List<Condition> conditions) {
            this.conditions = conditions;
        }

        static PageStatus of(String map, int ready) {
            PageStatus status = new PageStatus();
            status.map = map;
            status.ready = ready;
            return status;
        }
    }

    @Group("fabric8.example.com")
    @Version("v1")
    public static class Page extends CustomResource<PageSpec, PageStatus> implements Namespaced {
        private static final long serialVersionUID = 1;
    }

    @Group("fabric8.example.com")
    @Version("v1")
    public static class Undefined extends CustomResource<PageSpec, Void> implements Namespaced {
        private static final long serialVersionUID = 1;
    }

    public static class PageOperator implements Fabric8Operator<Page> {
        @Override
        public void setup(Fabric8Setup<Page> setup) {
            setup.owns(ConfigMap.class).owns(Deployment.class).owns(Service.class).owns(Ingress.class)
                    .references(ConfigMap.class, page -> List.of(ObjectKey.cluster("style-of-"
                            + page.getMetadata().getName())))
                    .adopt(ConfigMap.class, map -> "old".equals(map.getData().get("made-by")))
                    .crd(CrdPolicy.INSTALL).plain().name("pages").errorCondition("Ready");
        }

        @Override
        public Decision decide(Page page, Fabric8Related related, Instant now) {
            String name = page.getMetadata().getName();
            if (page.getSpec().getHtml().contains("error")) {
                throw new IllegalArgumentException("the page asks for an error");
            }
            ConfigMap html = new ConfigMapBuilder().withNewMetadata().withName(name + "-html").endMetadata()
                    .addToData("index.html", page.getSpec().getHtml()).build();
            int ready = related.named(Deployment.class, name).map(deployment -> deployment.getStatus())
                    .map(status -> status.getReadyReplicas()).orElse(0);
            Decision decision = Decision.apply(Fabric8.of(html, servers(name), service(name)));
            if (page.getSpec().isExposed()) {
                decision.and(Fabric8.of(new IngressBuilder().withNewMetadata().withName(name).endMetadata()
                        .withNewSpec().withNewDefaultBackend().withNewService().withName(name).withNewPort()
                        .withNumber(80).endPort().endService().endDefaultBackend().endSpec().build()));
            }
            return decision.status(PageStatus.of(html.getMetadata().getName(), ready));
        }

        private static Deployment servers(String name) {
            return new DeploymentBuilder().withNewMetadata().withName(name).endMetadata().withNewSpec()
                    .withReplicas(1).withNewSelector().addToMatchLabels("app", name).endSelector()
                    .withNewTemplate().withNewMetadata().addToLabels("app", name).endMetadata().withNewSpec()
                    .addNewContainer().withName("nginx").withImage("nginx:1.29").withNewResources()
                    .addToRequests("cpu", new Quantity("100m")).endResources().addNewVolumeMount().withName("html")
                    .withMountPath("/usr/share/nginx/html").endVolumeMount().endContainer()
                    .addNewVolume().withName("html").withNewConfigMap().withName(name + "-html").endConfigMap()
                    .endVolume().endSpec().endTemplate().endSpec().build();
        }

        private static Service service(String name) {
            return new ServiceBuilder().withNewMetadata().withName(name).endMetadata().withNewSpec()
                    .addToSelector("app", name).addNewPort().withPort(80).withTargetPort(new IntOrString(8080))
                    .endPort()
                    .endSpec().build();
        }
    }

    private static String page(String html, boolean exposed) {
        return """
                {apiVersion: fabric8.example.com/v1, kind: Page, metadata: {name: home, namespace: default},
                 spec: {html: %s, exposed: %s}}""".formatted(html, exposed);
    }

    private static Page read(TestServer server) {
        return Fabric8.read(server.server().client("test").resource(Fabric8.type(Page.class), Unstructured.class)
                .get(HOME), Page.class);
    }

    @Test
    void anOperatorOfFabric8sClassesRunsWithItsGeneratedDefinition() {
        try (TestServer server = TestServer.builder().operators(new PageOperator()).controllers(true).nodes(1)
                .manualClock().start()) {
            server.settle();
            server.advance(Duration.ofSeconds(10));
            server.user().create(page("Hello", true));
            server.settle();
            assertThat(server.user().get(V1ConfigMap.class, "default", "home-html").getData()).containsEntry(
                    "index.html", "Hello");
            V1Deployment deployment = server.user().get(V1Deployment.class, "default", "home");
            assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().getResources()
                    .getRequests().get("cpu").toSuffixedString()).isEqualTo("100m");
            assertThat(deployment.getMetadata().getOwnerReferences().getFirst().getKind()).isEqualTo("Page");
            assertThat(server.user().get(V1Service.class, "default", "home").getSpec().getPorts().getFirst()
                    .getTargetPort().getIntValue()).isEqualTo(8080);
            assertThat(server.user().find(V1Ingress.class, "default", "home")).isPresent();
            PageStatus status = read(server).getStatus();
            assertThat(status.getReady()).isEqualTo(1);
            assertThat(status.getMap()).isEqualTo("home-html");
            assertThat(status.getConditions().getFirst().getStatus()).isEqualTo("True");
            server.user().apply(page("error", false));
            server.settle();
            assertThat(read(server).getStatus().getConditions().getFirst().getMessage()).contains(
                    "the page asks for an error");
            server.user().apply(page("Bye", false));
            server.settle();
            assertThat(server.user().find(V1Ingress.class, "default", "home")).isEmpty();
        }
    }

    @Test
    void aTestInstallsTheGeneratedDefinitionFromTheClassPath() {
        try (TestServer server = TestServer.builder().manifests("META-INF/fabric8/pages.fabric8.example.com-v1.yml")
                .manualClock().start()) {
            server.user().create(page("Hello", true));
            assertThat(read(server).getSpec().getHtml()).isEqualTo("Hello");
        }
    }

    @Test
    void itsDecisionIsTestedWithoutAServer() {
        Page page = new Page();
        page.getMetadata().setName("home");
        page.setSpec(new PageSpec());
        Deployment made = PageOperator.servers("home");
        made.setStatus(new io.fabric8.kubernetes.api.model.apps.DeploymentStatusBuilder().withReadyReplicas(1).build());
        Decision decision = new PageOperator().decide(page, new Fabric8Related(Related.of(Fabric8.of(made))),
                Instant.EPOCH);
        assertThat(decision.objects()).extracting(object -> object.getKind()).containsExactly("ConfigMap",
                "Deployment", "Service");
        assertThat(((PageStatus) decision.status()).getReady()).isEqualTo(1);
    }

    @Test
    void theSimulationFindsNothing() {
        OperatorSimulation.of(PageOperator::new).seeds(1).within(Duration.ofSeconds(10))
                .step("creates a page", user -> user.create(page("Hello", true)))
                .step("hides it", user -> user.apply(page("Hello", false))).run();
    }

    @Test
    void theManifestsHaveTheDefinitionAndTheRights() {
        assertThat(Manifests.of(new PageOperator()).yaml()).contains("name: pages.fabric8.example.com", "- pg",
                "- pages/status", "- deployments", "- ingresses", "- customresourcedefinitions");
    }

    @Test
    void typesHaveTheNamesThatFabric8Gives() {
        assertThat(Fabric8.type(Deployment.class)).isEqualTo(ResourceType.DEPLOYMENTS);
        assertThat(Fabric8.type(ConfigMap.class)).isEqualTo(ResourceType.CONFIG_MAPS);
        assertThat(Fabric8.type(io.fabric8.kubernetes.api.model.Node.class)).isEqualTo(ResourceType.NODES);
        assertThat(Fabric8.type(io.fabric8.kubernetes.api.model.Endpoints.class)).isEqualTo(ResourceType.ENDPOINTS);
        assertThat(Fabric8.type(Page.class))
                .isEqualTo(new ResourceType("fabric8.example.com", "v1", "pages", "Page", true));
    }

    @Test
    void mistakesAreToldInWords() {
        Fabric8Operator<Undefined> operator = new Fabric8Operator<>() {
            @Override
            public void setup(Fabric8Setup<Undefined> setup) {
                setup.crd(CrdPolicy.INSTALL);
            }

            @Override
            public Decision decide(Undefined primary, Fabric8Related related, Instant now) {
                return Decision.deleteAll();
            }
        };
        assertThatThrownBy(() -> Manifests.of(operator)).hasMessageContaining(
                "needs /META-INF/fabric8/undefineds.fabric8.example.com-v1.yml on the class path");
        Unstructured wrong = new Unstructured();
        wrong.set("spec", Map.of("html", List.of("a")));
        assertThatThrownBy(() -> Fabric8.read(wrong, Page.class)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("html");
    }
}
