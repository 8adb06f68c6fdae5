package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.operator.webhook.Validates;
import dev.wheelhouse.operator.webhook.Verdict;
import dev.wheelhouse.testing.OperatorSimulation;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Operators whose primary objects have no class. */
class ClasslessOperatorTest {
    private static final ResourceType WIDGETS = type("widgets", "Widget");
    private static final ResourceType GADGETS = type("gadgets", "Gadget");
    private static final ObjectKey A = ObjectKey.of("default", "a");

    private static ResourceType type(String plural, String kind) {
        return new ResourceType("example.com", "v1", plural, kind, true);
    }

    private static String definition(ResourceType type, boolean status) {
        return """
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: %s}
                spec:
                  group: example.com
                  scope: Namespaced
                  names: {plural: %s, kind: %s}
                  versions:
                    - name: v1
                      served: true
                      storage: true
                      %s
                      schema:
                        openAPIV3Schema:
                          type: object
                          properties:
                            spec: {type: object, properties: {text: {type: string}}}
                            status:
                              type: object
                              properties:
                                length: {type: integer}
                                conditions: {type: array, items: {type: object,
                                  x-kubernetes-preserve-unknown-fields: true}}
                """.formatted(type.groupResource(), type.plural(), type.kind(),
                status ? "subresources: {status: {}}" : "deprecated: false");
    }

    private static String object(ResourceType type, String text) {
        return "{apiVersion: example.com/v1, kind: %s, metadata: {name: a, namespace: default}, spec: {text: %s}}"
                .formatted(type.kind(), text);
    }

    /** The operator that the page shows. */
    static class Page {
        class Mirror implements DecidingOperator<Unstructured> {
            private final ResourceType type;

            Mirror(ResourceType type) {
                this.type = type;
            }

            @Override
            public void setup(Setup<Unstructured> setup) {
                setup.primary(type).owns(V1ConfigMap.class);
            }

            @Override
            public Decision decide(Unstructured object, Related related, Instant now) {
                String text = String.valueOf(object.getString("spec", "text"));
                return Decision.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name("mirror-"
                        + object.getMetadata().getName()))
                        .putDataItem("text", text)).status(Map.of("length", text.length()));
            }
        }
    }

    @Test
    void theOperatorOfThePageIsThatOfThisTest() throws IOException {
        Matcher snippet = Pattern.compile("### Types without a class.*?```java\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/library.md")));
        assertThat(snippet.find()).isTrue();
        assertThat(Files.readString(Path.of("src/test/java/dev/wheelhouse/operator/ClasslessOperatorTest.java"))
                .replaceAll("\\s+", "")).contains(snippet.group(1).replaceAll("\\s+", ""));
        Operator<Unstructured> operator = new Page().new Mirror(WIDGETS);
        assertThat(Declaration.of(operator).name()).isEqualTo("mirror.widgets.example.com");
    }

    /** Keeps the text of each object in a ConfigMap. */
    static class Mirror implements DecidingOperator<Unstructured> {
        private final Consumer<Setup<Unstructured>> primary;

        Mirror(Consumer<Setup<Unstructured>> primary) {
            this.primary = primary;
        }

        Mirror(ResourceType primary) {
            this(setup -> setup.primary(primary));
        }

        @Override
        public void setup(Setup<Unstructured> setup) {
            primary.accept(setup);
            setup.owns(V1ConfigMap.class).errorCondition("Mirrored")
                    .finalizer("example.com/mirror", (request, context) -> Result.done());
        }

        @Override
        public Decision decide(Unstructured object, Related related, Instant now) {
            String text = String.valueOf(object.getString("spec", "text"));
            if (text.isEmpty()) {
                throw new IllegalArgumentException("spec.text is empty");
            }
            return Decision.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name(
                    object.getKind().toLowerCase(Locale.ROOT) + "-a")).putDataItem("text", text))
                    .status(Map.of("length", text.length()));
        }
    }

    /** An operator with a webhook for its primary type. */
    static class Checking extends Mirror {
        Checking(ResourceType primary) {
            super(primary);
        }

        @Validates
        Verdict check(Unstructured object) {
            return Verdict.allow().refuseIf("bad".equals(object.getString("spec", "text")), "spec.text", "is bad");
        }
    }

    private static TestServer server(Operator<?>... operators) {
        return TestServer.builder().operators(operators).manualClock().start();
    }

    private static Unstructured read(TestServer server, ResourceType type) {
        return server.server().client("test").resource(type, Unstructured.class).get(A);
    }

    private static void settle(TestServer server) {
        server.settle();
        server.advance(Duration.ofSeconds(30));
    }

    @Test
    void oneClassReconcilesSeveralTypesEachByAnInstanceOfItsOwn() {
        try (TestServer server = server(new Mirror(WIDGETS), new Mirror(GADGETS))) {
            List.of(WIDGETS, GADGETS).forEach(type -> server.user().create(definition(type, true)));
            settle(server);
            server.user().create(object(WIDGETS, "one"));
            server.user().create(object(GADGETS, "three"));
            settle(server);
            assertThat(server.user().get(V1ConfigMap.class, "default", "widget-a").getData()).containsEntry("text",
                    "one");
            assertThat(server.user().get(V1ConfigMap.class, "default", "gadget-a").getData()).containsEntry("text",
                    "three");
            Unstructured widget = read(server, WIDGETS);
            assertThat(widget.getNumber("status", "length")).isEqualTo(3);
            assertThat(widget.getString("status", "conditions", "0", "status")).isEqualTo("True");
            assertThat(widget.getMetadata().getFinalizers()).containsExactly("example.com/mirror");
            server.server().client("test").resource(WIDGETS, Unstructured.class).delete(A,
                    Deletion.ofUid(widget.getMetadata().getUid()));
            settle(server);
            assertThat(server.user().find(V1ConfigMap.class, "default", "widget-a")).isEmpty();
        }
    }

    @Test
    void anOperatorOfANameWaitsUntilTheTypeIsServed() {
        try (TestServer server = server(new Mirror(ResourceType.named("widgets.example.com")))) {
            settle(server);
            server.user().create(definition(WIDGETS, true));
            settle(server);
            server.user().create(object(WIDGETS, "''"));
            settle(server);
            assertThat(read(server, WIDGETS).getString("status", "conditions", "0", "message"))
                    .contains("spec.text is empty");
        }
    }

    @Test
    void aTypeWhoseServedDefinitionHasNoStatusIsRefusedInWords() {
        try (TestServer server = server()) {
            server.user().create(definition(WIDGETS, false));
            Mirror operator = new Mirror(WIDGETS);
            assertThatThrownBy(() -> new TypeDiscovery<>(operator, Declaration.of(operator), null)
                    .declaration(server.server().client("test"))).hasMessage("operator " + Mirror.class.getName()
                            + ": the error condition Mirrored needs a status, and Widget has none");
        }
    }

    @Test
    void aTypeByNameGetsVersionKindAndScopeFromTheServer() {
        try (TestServer server = server()) {
            server.user().create(definition(WIDGETS, true));
            Mirror operator = new Mirror(setup -> setup.primary(ResourceType.named("widgets.example.com"))
                    .watches(ResourceType.named("pods"), pod -> List.of(), all -> {})
                    .adopt(ResourceType.named("pods"), pod -> true));
            Declaration<Unstructured> declared = new TypeDiscovery<>(operator, Declaration.of(operator), null)
                    .declaration(server.server().client("test"));
            assertThat(declared.parts().map(part -> part.type())).contains(WIDGETS, ResourceType.PODS);
            assertThat(declared.adoptions().getFirst().type()).isEqualTo(ResourceType.PODS);
            assertThat(declared.name()).isEqualTo("mirror.widgets.example.com");
        }
    }

    @Test
    void aDefinitionIsInstalledAndTellsAboutTheStatusAtSetup() {
        Mirror operator = new Mirror(
                setup -> setup.primary(Crds.read(definition(WIDGETS, true))).crd(CrdPolicy.INSTALL));
        try (TestServer server = server(operator)) {
            settle(server);
            server.user().create(object(WIDGETS, "one"));
            settle(server);
            assertThat(read(server, WIDGETS).getNumber("status", "length")).isEqualTo(3);
        }
        assertThat(Manifests.of(operator).yaml()).contains("name: widgets.example.com", "- widgets/status");
        assertThatThrownBy(() -> Declaration.of(new Mirror(
                setup -> setup.primary(Crds.read(definition(WIDGETS, false))))))
                .hasMessageContaining("the error condition Mirrored needs a status, and Widget has none");
        assertThatThrownBy(() -> Crds.read("{kind: Pod}")).hasMessageContaining("is no CustomResourceDefinition");
    }

    @Test
    void theRightsOfATypeByNameNeedNoServer() {
        String yaml = Manifests.of(new Mirror(ResourceType.named("certificates.cert-manager.io"))).yaml();
        assertThat(yaml).contains("- cert-manager.io", "- certificates/status", "- certificates/finalizers");
    }

    @Test
    void webhookMethodsTakeThePrimaryObjectsAsTrees() {
        try (TestServer server = server(new Checking(ResourceType.named("widgets.example.com")))) {
            server.user().create(definition(WIDGETS, true));
            assertThatThrownBy(() -> server.user().create(object(WIDGETS, "bad")))
                    .hasMessageContaining("spec.text: is bad");
            server.user().create(object(WIDGETS, "good"));
        }
    }

    @Test
    void theSimulationRunsAnOperatorOfAName() {
        OperatorSimulation.of(() -> new Mirror(ResourceType.named("widgets.example.com")))
                .manifests(definition(WIDGETS, true)).seeds(1)
                .step("creates a widget", user -> user.create(object(WIDGETS, "one")))
                .step("changes it", user -> user.apply(object(WIDGETS, "two")))
                .within(Duration.ofSeconds(10)).run();
    }

    @Test
    void mistakesOfSetupNameTheRemedy() {
        assertThatThrownBy(() -> Declaration.of(new Mirror(setup -> {}))).hasMessageEndingWith(
                "its primary objects have no class: declare their type first, by setup.primary(type)");
        assertThatThrownBy(() -> Declaration.of(new Scripted(setup -> setup.primary(WIDGETS)))).hasMessageEndingWith(
                "its primary objects have a class: only an Operator<Unstructured> declares their type");
        assertThatThrownBy(() -> ResourceType.named("Certificate")).hasMessage(
                "\"Certificate\" is no name of a type, such as certificates.cert-manager.io or pods");
        assertThatThrownBy(() -> Declaration.of(new Mirror(ResourceType.named("w.a-very-long-name-of-a-group-"
                + "that-nobody-should-have.example.com")))).hasMessageEndingWith("is too long: add setup.name(…)");
    }
}
