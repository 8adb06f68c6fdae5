package dev.wheelhouse.operator.webhook;

import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.operator.CustomResource;
import dev.wheelhouse.operator.ResourceDefinition;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.runtime.SafeYaml;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Webhook methods behind a server of their own, called by an API server. */
@Timeout(900)
class WebhookServerTest {
    private static final ResourceType SITES = new ResourceType("example.com", "v1", "sites", "Site", true);
    private static final ResourceType OLD_SITES = new ResourceType("example.com", "v1beta1", "sites", "Site", true);

    private final TestServer server = TestServer.start();
    private final LoopRunner runner = new LoopRunner("test", Clock.system());
    private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

    @AfterEach
    void close() throws Exception {
        runner.close();
        for (AutoCloseable closeable : open) {
            closeable.close();
        }
        server.close();
    }

    record Spec(@Nullable String host, int replicas) {}

    record OldSpec(@Nullable String hostname) {}

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site")
    static class Site extends CustomResource<Spec, Void> {
        Site of(String name, Spec spec) {
            setApiVersion("example.com/v1");
            setKind("Site");
            setMetadata(new V1ObjectMeta().namespace("default").name(name));
            setSpec(spec);
            return this;
        }
    }

    @ResourceDefinition(group = "example.com", version = "v1beta1", kind = "Site")
    static class OldSite extends CustomResource<OldSpec, Void> {}

    /** Everything that an operator may have for its own type. */
    static class SiteOperator {
        @Validates
        Verdict check(Site site, @Nullable Site before) {
            return Verdict.allow().refuseIf(site.getSpec().replicas() > 10, "spec.replicas", "must be at most 10")
                    .refuseIf(before != null && before.getSpec().replicas() > site.getSpec().replicas(),
                            "spec.replicas", "must not shrink")
                    .warnIf(site.getSpec().replicas() == 1, "spec.replicas: one is few");
        }

        @Validates(operations = Operation.DELETE)
        Verdict keep(Site site, Site before, Admission request) {
            return site.getSpec().replicas() == 5
                    ? Verdict.refuse(request.user() + " may not delete " + request.name())
                    : Verdict.allow();
        }

        @Mutates
        void defaults(Site site) {
            if (site.getSpec().replicas() == 0) {
                site.setSpec(new Spec(site.getSpec().host(), 2));
            }
            if ("forbidden".equals(site.getSpec().host())) {
                throw new Refused("this host is taken");
            }
        }

        @Converts
        Site upgrade(OldSite old) {
            Site site = new Site();
            site.setSpec(new Spec(old.getSpec().hostname(), 3));
            return site;
        }

        @Converts
        OldSite downgrade(Site site) {
            OldSite old = new OldSite();
            old.setSpec(new OldSpec(site.getSpec().host()));
            return old;
        }
    }

    private static ResourceType type(Class<?> model) {
        return model == Site.class ? SITES : model == OldSite.class ? OLD_SITES : ResourceType.CONFIG_MAPS;
    }

    private static Webhooks webhooks(Object operator) {
        return Webhooks.of(Map.of("site-operator", operator), (name, model) -> type(model));
    }

    private WebhookServer serve(Object operator, WebhookOptions options, Clock clock) {
        WebhookServer webhookServer = WebhookServer.start(webhooks(operator), options, server.client(), clock,
                () -> true, runner);
        open.add(webhookServer);
        webhookServer.refresh();
        return webhookServer;
    }

    private void define() {
        String version = """
                {"name": "%s", "served": true, "storage": %s, "schema": {"openAPIV3Schema": {"type": "object",
                 "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}""";
        server.client().resource(new ResourceType("apiextensions.k8s.io", "v1", "customresourcedefinitions",
                "CustomResourceDefinition", false), Unstructured.class).apply(ObjectKey.cluster("sites.example.com"),
                        "",
                        "test", true, """
                                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                                 "metadata": {"name": "sites.example.com"}, "spec": {"group": "example.com",
                                 "scope": "Namespaced", "names": {"plural": "sites", "kind": "Site"},
                                 "versions": [%s, %s]}}""".formatted(version.formatted("v1", true),
                                version.formatted("v1beta1", false)));
    }

    private ResourceClient<Site> sites() {
        return server.client().resource(SITES, Site.class);
    }

    @Test
    void aVerdictIsPlainJava() {
        SiteOperator operator = new SiteOperator();
        Verdict verdict = operator.check(new Site().of("a", new Spec("x", 11)), new Site().of("a", new Spec("x", 12)));

        assertThat(verdict.isAllowed()).isFalse();
        assertThat(verdict.problems()).extracting(Verdict.Problem::toString)
                .containsExactly("spec.replicas: must be at most 10", "spec.replicas: must not shrink");
        assertThat(operator.check(new Site().of("a", new Spec("x", 1)), null).warnings())
                .containsExactly("spec.replicas: one is few");
    }

    @Test
    void objectsAreCompletedCheckedAndConvertedByTheMethods() {
        define();
        serve(new SiteOperator(), WebhookOptions.local(), Clock.system());

        Site made = sites().create(new Site().of("a", new Spec("x", 0)));
        assertThat(made.getSpec()).isEqualTo(new Spec("x", 2));
        assertThatThrownBy(() -> sites().create(new Site().of("b", new Spec("x", 11))))
                .isInstanceOf(KubeApiException.class)
                .hasMessageContaining("admission webhook \"check.site-operator.example.com\" denied the request: "
                        + "spec.replicas: must be at most 10")
                .extracting(e -> ((KubeApiException) e).code()).isEqualTo(422);
        assertThatThrownBy(() -> sites().create(new Site().of("b", new Spec("forbidden", 1))))
                .hasMessageContaining("denied the request: this host is taken")
                .extracting(e -> ((KubeApiException) e).code()).isEqualTo(403);
        made.setSpec(new Spec("x", 1));
        assertThatThrownBy(() -> sites().update(made)).hasMessageContaining("spec.replicas: must not shrink");

        OldSite old = server.client().resource(OLD_SITES, OldSite.class).get(ObjectKey.of("default", "a"));
        assertThat(old.getSpec()).isEqualTo(new OldSpec("x"));
        assertThat(old.getMetadata().getUid()).isEqualTo(made.getMetadata().getUid());
        old.setSpec(new OldSpec("y"));
        server.client().resource(OLD_SITES, OldSite.class).update(old);
        assertThat(sites().get(ObjectKey.of("default", "a")).getSpec()).isEqualTo(new Spec("y", 3));

        sites().create(new Site().of("kept", new Spec("x", 5)));
        assertThatThrownBy(() -> sites().delete(ObjectKey.of("default", "kept"),
                Deletion.unconditional())).hasMessageContaining("system:admin may not delete kept");
    }

    @Test
    void fieldsThatTheClassDoesNotKnowSurviveAMutation() {
        define();
        serve(new SiteOperator(), WebhookOptions.local(), Clock.system());
        Unstructured made = server.client().resource(SITES, Unstructured.class).apply(ObjectKey.of("default", "a"), "",
                "test", true,
                """
                        {"apiVersion": "example.com/v1", "kind": "Site", "metadata": {"name": "a",
                        "namespace": "default"},
                         "spec": {"host": "x", "unknown": {"list": [1, null, {"a": 1.50}]}}}""");

        assertThat(made.getContent().toString()).contains("unknown").contains("replicas");
    }

    /** One method that fails, with each failure policy. */
    static class FailingOperator {
        static class Strict {
            @Validates
            Verdict check(V1ConfigMap map) {
                if (map.getMetadata().getName().equals("b")) {
                    throw new AssertionError("another mistake");
                }
                throw new IllegalStateException("a mistake");
            }
        }

        static class Lenient {
            @Validates(failurePolicy = FailurePolicy.IGNORE)
            Verdict check(V1ConfigMap map) {
                throw new IllegalStateException("a mistake");
            }
        }
    }

    private static V1ConfigMap map(String name) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name));
    }

    private ResourceClient<V1ConfigMap> maps() {
        return server.client().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
    }

    @Test
    void aMethodThatThrowsFailsTheWriteUnlessItsFailurePolicyIsIgnore() {
        serve(new FailingOperator.Strict(), WebhookOptions.local(), Clock.system());
        assertThatThrownBy(() -> maps().create(map("a")))
                .hasMessageContaining("failed calling webhook \"check.site-operator.wheelhouse.dev\"")
                .hasMessageContaining("check failed: java.lang.IllegalStateException: a mistake")
                .extracting(e -> ((KubeApiException) e).code()).isEqualTo(500);
        assertThatThrownBy(() -> maps().create(map("b")))
                .hasMessageContaining("check failed: java.lang.AssertionError: another mistake");

        serve(new FailingOperator.Lenient(), WebhookOptions.local(), Clock.system());
        assertThat(maps().create(map("a")).getMetadata().getName()).isEqualTo("a");
    }

    /** Counts its calls. */
    static class CountingOperator {
        final AtomicInteger calls = new AtomicInteger();

        @Validates(objects = "watched=yes,level in (1,2)", namespaces = "kubernetes.io/metadata.name!=kube-system")
        Verdict count(V1ConfigMap map) {
            calls.incrementAndGet();
            return Verdict.allow();
        }
    }

    @Test
    void selectorsInKubectlsFormNarrowWhatAMethodIsAskedAbout() {
        CountingOperator operator = new CountingOperator();
        serve(operator, WebhookOptions.local(), Clock.system());
        for (String level : new String[]{"1", "2", "3"}) {
            V1ConfigMap map = map("m-" + level);
            map.getMetadata().putLabelsItem("watched", "yes").putLabelsItem("level", level);
            maps().create(map);
        }
        V1ConfigMap system = map("m");
        system.getMetadata().namespace("kube-system").putLabelsItem("watched", "yes").putLabelsItem("level", "1");
        maps().create(system);

        assertThat(operator.calls).hasValue(2);
    }

    private void externalName() {
        server.client().resource(ResourceType.SERVICES, Unstructured.class).apply(ObjectKey.of("default", "hooks"), "",
                "test", true, """
                        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hooks", "namespace": "default"},
                         "spec": {"type": "ExternalName", "externalName": "localhost"}}""");
    }

    private static WebhookOptions behindService(int port) {
        return new WebhookOptions("127.0.0.1", port, "default", "hooks", null);
    }

    /** The certificate that a server on 127.0.0.1 shows to its clients. */
    private static X509Certificate shown(int port) throws Exception {
        try (SSLSocket socket = (SSLSocket) AnyPeer.context().getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void theReplicaThatLeadsRenewsTheCertificateForAllWhileRequestsGoOn() throws Exception {
        externalName();
        ManualClock clock = new ManualClock();
        clock.jump(Duration.between(clock.now(), Instant.now().minus(Duration.ofDays(70))));
        CountingOperator operator = new CountingOperator();
        WebhookServer leader = serve(operator, behindService(0), clock);
        WebhookServer follower = WebhookServer.start(webhooks(operator), behindService(0), server.client(), clock,
                () -> false, runner);
        open.add(follower);
        follower.refresh();
        assertThat(follower.isReady()).isTrue();
        assertThat(shown(follower.port())).isEqualTo(shown(leader.port()));
        X509Certificate before = shown(leader.port());
        pointTo(leader.port());
        CountDownLatch some = new CountDownLatch(20);
        Set<String> failures = ConcurrentHashMap.newKeySet();
        AtomicInteger written = new AtomicInteger();
        Thread writer = Thread.ofVirtual().start(() -> {
            while (!Thread.interrupted()) {
                V1ConfigMap map = map("m-" + written.incrementAndGet());
                map.getMetadata().putLabelsItem("watched", "yes").putLabelsItem("level", "1");
                try {
                    maps().create(map);
                } catch (KubeApiException e) {
                    if (!e.isUnknownOutcome()) {
                        failures.add(String.valueOf(e.getMessage()));
                    }
                }
                some.countDown();
            }
        });

        clock.advance(Duration.ofDays(70));
        leader.refresh();
        follower.refresh();
        X509Certificate after = shown(leader.port());
        some.await();
        pointTo(leader.port());
        int now = written.get();
        while (written.get() < now + 5) {
            Thread.onSpinWait();
        }
        writer.interrupt();
        writer.join();

        assertThat(after).isNotEqualTo(before);
        assertThat(shown(follower.port())).isEqualTo(after);
        assertThat(failures).isEmpty();
        assertThat(operator.calls.get()).isGreaterThan(20);
    }

    /** The configuration names port 443 of the Service, which on this machine is another one. */
    private void pointTo(int port) {
        ResourceType type = new ResourceType("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                "ValidatingWebhookConfiguration", false);
        server.client().resource(type, Unstructured.class).apply(ObjectKey.cluster("site-operator"), "", "test", true,
                """
                        {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                         "metadata": {"name": "site-operator"},
                         "webhooks": [{"name": "count.site-operator.wheelhouse.dev",
                         "admissionReviewVersions": ["v1"], "sideEffects": "None", "clientConfig": {"service":
                         {"namespace": "default", "name": "hooks", "port": %d}}}]}"""
                        .formatted(port));
    }

    @Test
    void aReplicaAppliesItsConfigurationsAtTheNextStepOnceItLeads() throws Exception {
        AtomicBoolean leads = new AtomicBoolean();
        ManualClock clock = new ManualClock();
        WebhookServer webhookServer = WebhookServer.start(webhooks(new CountingOperator()), WebhookOptions.local(),
                server.client(), clock, leads::get, runner);
        open.add(webhookServer);
        Loop loop = webhookServer.loop();
        assertThat(loop.step()).as("it looks soon whether it leads").isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(webhookServer.isReady()).isTrue();
        assertThat(configurations()).isEmpty();

        leads.set(true);
        assertThat(loop.step()).isEqualTo(Duration.ofSeconds(30).toNanos());
        assertThat(configurations()).hasSize(1);
    }

    /** A process that was killed leaves its configurations, which refuse every write that they select. */
    @Test
    void theConfigurationsOfEndedProcessesOfThisMachineAreRemovedAndTheServersOwnWhenItEnds() throws Exception {
        define();
        String left = """
                {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                 "metadata": {"name": "%s"}, "webhooks": [{"name": "check.%s.example.com", "sideEffects": "None",
                 "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://%s/check"}}]}""";
        ResourceClient<Unstructured> all = server.client()
                .resource(new ResourceType("admissionregistration.k8s.io", "v1",
                        "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", false),
                        Unstructured.class);
        ServerSocket alive = new ServerSocket(0);
        List.of(List.of("ended", "wheelhouse-webhooks", "127.0.0.1:1"), List.of("others", "somebody", "127.0.0.1:1"),
                List.of("alive", "wheelhouse-webhooks", "127.0.0.1:" + alive.getLocalPort()),
                List.of("elsewhere", "wheelhouse-webhooks", "hooks.example.com:1"))
                .forEach(each -> all.apply(ObjectKey.cluster(each.get(0)), "", each.get(1), true,
                        left.formatted(each.get(0), each.get(0), each.get(2))));
        WebhookServer local = WebhookServer.start(webhooks(new SiteOperator()), WebhookOptions.local(),
                new HttpKubeClient(server.apiClient(), Clock.system()), Clock.system(), () -> true, runner);
        open.add(local);
        local.refresh();
        assertThat(names()).containsExactlyInAnyOrder("others", "alive", "elsewhere", "site-operator");
        local.close();
        assertThat(names()).containsExactlyInAnyOrder("others", "alive", "elsewhere");
        alive.close();
    }

    /** Hands the metadata on, with one label and all annotations less. */
    static class Leaner {
        @Converts
        Site upgrade(OldSite old) {
            Site site = new Site();
            site.setMetadata(old.getMetadata());
            site.getMetadata().getAnnotations().remove("old");
            site.getMetadata().getLabels().remove("old");
            return site;
        }

        @Converts
        OldSite downgrade(Site site) {
            return new OldSite();
        }
    }

    @Test
    void aConversionThatHandsTheMetadataOnCanRemoveTheLastAnnotation() throws Exception {
        byte[] answer = AdmissionReviews.convert(
                webhooks(new Leaner()).conversions("/convert/sites.example.com"), """
                        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "u",
                         "desiredAPIVersion": "example.com/v1", "objects": [{"apiVersion": "example.com/v1beta1",
                         "kind": "Site", "metadata": {"name": "a", "annotations": {"old": "x"},
                         "labels": {"old": "x", "new": "y"}}}]}}""".getBytes(StandardCharsets.UTF_8));
        assertThat(ModelJson.tree(SafeYaml.load(answer)).at("/response/convertedObjects/0/metadata").toString())
                .isEqualTo("{\"name\":\"a\",\"labels\":{\"new\":\"y\"}}");
    }

    @Test
    void aDefinitionIsNotConvertedByAProcessOfThisMachineThatHasEnded() {
        define();
        ResourceClient<Unstructured> definitions = server.client().resource(ResourceType.CUSTOM_RESOURCE_DEFINITIONS,
                Unstructured.class);
        ObjectKey sites = ObjectKey.cluster("sites.example.com");
        List.of("hooks.example.com:1/convert/sites.example.com", "127.0.0.1:1/by-somebody").forEach(others -> {
            convertBy(definitions, others);
            LocalConfigurations.removeEnded(new HttpKubeClient(server.apiClient(), Clock.system()), 0);
            assertThat(definitions.get(sites).getString("spec", "conversion", "strategy")).isEqualTo("Webhook");
        });
        convertBy(definitions, "127.0.0.1:1/convert/sites.example.com");
        WebhookServer.removeEnded(new HttpKubeClient(server.apiClient(), Clock.system()), runner);
        eventually("the definition converts nothing", Duration.ofMinutes(1),
                () -> definitions.get(sites).getString("spec", "conversion", "strategy").equals("None"));
    }

    private static void convertBy(ResourceClient<Unstructured> definitions, String url) {
        definitions.patch(ObjectKey.cluster("sites.example.com"), "", PatchType.MERGE, """
                {"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                 "clientConfig": {"url": "https://%s"}}}}}""".formatted(url));
    }

    private List<String> names() {
        return configurations().stream().map(each -> each.getMetadata().getName()).toList();
    }

    private List<V1ValidatingWebhookConfiguration> configurations() {
        return server.user().all(V1ValidatingWebhookConfiguration.class);
    }

    @Test
    void filesOfACertificateAreReadAgainWhenTheyChange(@TempDir Path files) throws Exception {
        CountingOperator operator = new CountingOperator();
        for (int i = 0; i < 2; i++) {
            for (Map.Entry<String, byte[]> file : Certificates.create(Set.of("localhost", "127.0.0.1"), Instant.now())
                    .data().entrySet()) {
                Files.write(files.resolve(file.getKey()), file.getValue());
            }
            if (i == 0) {
                serve(operator, WebhookOptions.local().withFiles(files), Clock.system());
            } else {
                open.forEach(closeable -> ((WebhookServer) closeable).refresh());
            }
            V1ConfigMap map = map("m-" + i);
            map.getMetadata().putLabelsItem("watched", "yes").putLabelsItem("level", "1");
            maps().create(map);
        }
        assertThat(operator.calls).hasValue(2);
    }

    @Test
    void strangeRequestsAreAnsweredInASentenceAndSlowOnesEnd() throws Exception {
        RotatingKeys keys = new RotatingKeys();
        keys.use(Certificates.create(Set.of("localhost", "127.0.0.1"), Instant.now()));
        // A whole request has half a second at the second one, which is short for an honest client on a busy machine.
        WebhookEndpoint endpoint = new WebhookEndpoint(webhooks(new SiteOperator()), keys, WebhookOptions.local(),
                Duration.ofMinutes(2), Clock.system());
        open.add(endpoint);
        WebhookEndpoint impatient = new WebhookEndpoint(webhooks(new SiteOperator()), keys, WebhookOptions.local(),
                Duration.ofMillis(500), Clock.system());
        open.add(impatient);
        SSLContext tls = AnyPeer.context();
        String path = "/validate/site-operator/check";
        try (HttpClient client = HttpClient.newBuilder().sslContext(tls).build()) {
            assertThat(post(client, endpoint.port(), "/nothing", "{}")).isEqualTo("404 no webhook has this path");
            assertThat(post(client, endpoint.port(), path, "nonsense")).startsWith("400 the body is not JSON");
            assertThat(post(client, endpoint.port(), path, "{}")).startsWith("400 the body is no AdmissionReview of");
            assertThat(post(client, endpoint.port(), path, "[".repeat(100_000))).startsWith("400 the body is not JSON");
        }
        try (SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", impatient.port())) {
            socket.getOutputStream().write(("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readAllBytes()).as("it is closed, without an answer").isEmpty();
        }
    }

    private static String post(HttpClient client, int port, String path, String body) throws Exception {
        HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    static class Wrong {
        static class NoObject {
            @Validates
            Verdict check() {
                return Verdict.allow();
            }
        }

        static class NoVerdict {
            @Validates
            boolean check(Site site) {
                return true;
            }
        }

        static class MutatesDeletions {
            @Mutates(operations = Operation.DELETE)
            void change(Site site) {}
        }

        static class OneWay {
            @Converts
            Site upgrade(OldSite old) {
                return new Site();
            }
        }

        static class Unrelated {
            @Converts
            V1ConfigMap upgrade(Site site) {
                return new V1ConfigMap();
            }
        }

        static class TooSlow {
            @Validates(timeoutSeconds = 60)
            Verdict check(Site site) {
                return Verdict.allow();
            }
        }

        static class Strangers {
            @Validates
            Verdict check(Site site, V1ConfigMap other) {
                return Verdict.allow();
            }
        }
    }

    @Test
    void aMethodThatCannotBeCalledIsRefusedAtTheStartWithTheRemedy() {
        Map<Object, String> remedies = Map.of(new Wrong.NoObject(),
                "its first parameter must be the class of the objects",
                new Wrong.NoVerdict(), "NoVerdict.check cannot be called: it must return a Verdict",
                new Wrong.MutatesDeletions(), "a deletion has no object to change: use @Validates",
                new Wrong.OneWay(),
                "there is no @Converts method that leads from example.com/v1 to example.com/v1beta1",
                new Wrong.Unrelated(), "not from example.com/v1 Site to v1 ConfigMap",
                new Wrong.TooSlow(), "timeoutSeconds must be from 1 to 30",
                new Wrong.Strangers(), "its parameters must be (Site), (Site, Site) for the object as it was");
        Set<Object> checked = new HashSet<>();
        remedies.forEach((operator, remedy) -> {
            checked.add(operator);
            assertThatThrownBy(() -> webhooks(operator)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(remedy);
        });
        assertThat(checked).hasSize(7);
    }

    @Test
    void aConfigurationNamesTheServiceTheRulesAndTheAuthority() {
        WebhookOptions options = WebhookOptions.behind("prod", "hooks");
        assertThat(webhooks(new SiteOperator()).configurations(options, "PEM")).extracting(KubernetesObject::getKind)
                .containsExactly("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration");
        String json = ModelJson.write(webhooks(new CountingOperator())
                .configurations(options, "PEM").getFirst());
        assertThat(json).contains("\"service\":{\"name\":\"hooks\",\"namespace\":\"prod\","
                + "\"path\":\"/validate/site-operator/count\"}").contains("\"caBundle\":\"UEVN\"")
                .contains("\"operations\":[\"CREATE\",\"UPDATE\"]").contains("\"failurePolicy\":\"Fail\"");
        assertThat(webhooks(new SiteOperator()).conversions(options, "PEM")).containsOnlyKeys("sites.example.com");
    }
}
