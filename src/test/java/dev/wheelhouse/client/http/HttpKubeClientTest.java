package dev.wheelhouse.client.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.RetryAfter;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Requests and answers other than watches. */
@Isolated
class HttpKubeClientTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final ObjectKey A = ObjectKey.of("default", "a");

    private final RawServer server = new RawServer(RawServer.always(200, "{}"));
    private final HttpKubeClient client = new HttpKubeClient(server.api(),
            new HttpDeadlines(SOON, SOON, SOON), "test/1", ContentType.JSON, Clock.system());
    private final ResourceClient<V1ConfigMap> configMaps = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);

    HttpKubeClientTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private ListPage<V1ConfigMap> list(ListOptions options) {
        return configMaps.list("default", LabelSelector.everything(), FieldSelector.everything(), options);
    }

    @Test
    void aListIsDecodedItemByItemWithKindAndVersionFilledIn() {
        server.answerWith(RawServer.always(200,
                """
                        {"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"next"},
                         "items":[{"metadata":{"name":"a","namespace":"default","managedFields":[{"manager":"x"}]},\
                        "data":{"k":"}]\\"{"}},
                                  {"metadata":{"name":"b"}}]}"""));
        ListPage<V1ConfigMap> page = list(ListOptions.consistent(2));
        assertThat(page.items()).extracting(o -> o.getMetadata().getName()).containsExactly("a", "b");
        V1ConfigMap a = page.items().getFirst();
        assertThat(a.getKind()).isEqualTo("ConfigMap");
        assertThat(a.getApiVersion()).isEqualTo("v1");
        assertThat(a.getData()).containsEntry("k", "}]\"{");
        assertThat(a.getMetadata().getManagedFields()).isEmpty();
        assertThat(page.resourceVersion()).isEqualTo("42");
        assertThat(page.continueToken()).isEqualTo("next");
        assertThat(server.requests.getFirst().line()).isEqualTo("GET /api/v1/namespaces/default/configmaps?limit=2");
    }

    @Test
    void itemsOfAnySizeAreReadWhereverTheBufferEnds() throws Exception {
        StringBuilder list = new StringBuilder("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[");
        int[] sizes = {1, 16_000, 16_384, 20_000, 65_000, 65_536, 70_000, 300_000, 3, 40_000, 1_000_000, 2, 100};
        for (int round = 0; round < 3; round++) {
            for (int size : sizes) {
                list.append(list.charAt(list.length() - 1) == '[' ? "" : ",").append("{\"metadata\":{\"name\":\"n")
                        .append(size).append("\"},\"data\":{\"k\":\"").append("x".repeat(size)).append("\"}}");
            }
        }
        server.answerWith(RawServer.always(200, list.append("]}").toString()));
        ListPage<V1ConfigMap> page = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .listerWatcher("", LabelSelector.everything(), FieldSelector.everything()).list(ListOptions.cached());
        assertThat(page.skipped()).isEmpty();
        assertThat(page.items()).hasSize(3 * sizes.length);
        for (int i = 0; i < page.items().size(); i++) {
            V1ConfigMap item = page.items().get(i);
            assertThat(item.getMetadata().getName()).isEqualTo("n" + sizes[i % sizes.length]);
            assertThat(item.getData().get("k")).hasSize(sizes[i % sizes.length]);
            assertThat(item.getKind()).isEqualTo("ConfigMap");
        }
    }

    @Test
    void onlyACompressedClientAsksForCompressedListsAndReadsThem() throws Exception {
        byte[] list = "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}"
                .getBytes(StandardCharsets.UTF_8);
        server.answerWith((request, out) -> {
            boolean gzip = request.headers().getOrDefault("accept-encoding", "").contains("gzip");
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            try (OutputStream writer = gzip ? new GZIPOutputStream(body) : body) {
                writer.write(list);
            }
            out.write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    + (gzip ? "Content-Encoding: gzip\r\n" : "")
                    + "Content-Length: " + body.size() + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.UTF_8));
            body.writeTo(out);
        });
        assertThat(list(ListOptions.cached()).items()).hasSize(1);
        ResourceClient<V1ConfigMap> compressed = client.compressed().resource(ResourceType.CONFIG_MAPS,
                V1ConfigMap.class);
        ListPage<V1ConfigMap> page = compressed.list("default", LabelSelector.everything(), FieldSelector.everything(),
                ListOptions.cached());
        assertThat(page.items()).extracting(o -> o.getMetadata().getName()).containsExactly("a");
        assertThat(server.requests).extracting(request -> request.headers().get("accept-encoding"))
                .containsExactly("identity", "gzip");
    }

    @Test
    void aCompressedListThatIsDamagedIsAnError() {
        server.answerWith((request, out) -> out.write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                + "Content-Encoding: gzip\r\nContent-Length: 9\r\nConnection: close\r\n\r\nnot gzip!")
                .getBytes(StandardCharsets.UTF_8)));
        ResourceClient<V1ConfigMap> compressed = client.compressed().resource(ResourceType.CONFIG_MAPS,
                V1ConfigMap.class);
        assertThatThrownBy(() -> compressed.list("default", LabelSelector.everything(), FieldSelector.everything(),
                ListOptions.cached())).isInstanceOf(KubeApiException.class).hasMessageContaining("list configmaps");
    }

    @Test
    void oneBadItemIsSkippedAndReportedWithItsKeyAndFieldAndTheRestGoesOn() {
        server.answerWith(RawServer.always(200, """
                {"metadata":{"resourceVersion":"42"},"items":[
                 {"metadata":{"name":"a","namespace":"default"}},
                 {"metadata":{"name":"bad","namespace":"default","creationTimestamp":"yesterday"}},
                 {"metadata":{"name":"worse","namespace":"default"},"data":{"k":{"not":"text"}}},
                 {"data":{}},
                 null,
                 {"metadata":{"name":"b"},"kind":"Secret"},
                 {"metadata":{"name":"c"},"unknown":[{"x":null}]}]}"""));
        ListPage<V1ConfigMap> page = list(ListOptions.cached());
        assertThat(page.items()).extracting(o -> o.getMetadata().getName()).containsExactly("a", "c");
        assertThat(page.skipped()).hasSize(5);
        assertThat(page.skipped().get(0).key()).isEqualTo(ObjectKey.of("default", "bad"));
        assertThat(page.skipped().get(0).field()).isEqualTo("metadata.creationTimestamp");
        assertThat(page.skipped().get(0).problem()).contains("yesterday");
        assertThat(page.skipped().get(1).toString()).startsWith("configmaps default/worse, field data.k");
        assertThat(page.skipped().get(2).field()).isEqualTo("metadata.name");
        assertThat(page.skipped().get(4).problem()).isEqualTo("expected ConfigMap, got Secret");
    }

    @Test
    void selectorsAndOptionsGoIntoTheQuery() {
        server.answerWith(RawServer.always(200, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":null}"));
        configMaps.list("", LabelSelector.parse("app=web,tier in (a,b)"), FieldSelector.of("metadata.name", "ü&=x"),
                new ListOptions("7", "NotOlderThan", 3, "a/b+c="));
        String target = URLDecoder.decode(server.requests.getFirst().target(), StandardCharsets.UTF_8);
        assertThat(target).isEqualTo("/api/v1/configmaps?labelSelector=app=web,tier in (a,b)"
                + "&fieldSelector=metadata.name=ü&\\=x&resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=3"
                + "&continue=a/b+c=");
    }

    @Test
    void anErrorCarriesTheServersStatus() {
        server.answerWith(RawServer.always(409, """
                {"kind":"Status","apiVersion":"v1","status":"Failure","message":"configmaps \\"a\\" already exists",
                 "reason":"AlreadyExists","details":{"name":"a"},"code":409}"""));
        KubeApiException error = catchThrowableOfType(KubeApiException.class,
                () -> configMaps.create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("a"))));
        assertThat(error.isAlreadyExists()).isTrue();
        assertThat(error).hasMessage("create configmaps default/a: 409 AlreadyExists: configmaps \"a\" already exists");
        assertThat(error.isUnknownOutcome()).isFalse();
    }

    @Test
    void retryAfterComesFromTheHeaderOrTheDetails() {
        server.answerWith((request, out) -> RawServer.json(out, 429, "Retry-After: 7\r\n",
                "{\"kind\":\"Status\",\"message\":\"slow down\",\"reason\":\"TooManyRequests\"}"));
        assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)).retryAfter())
                .isEqualTo(Duration.ofSeconds(7));
        server.answerWith(RawServer.always(504,
                "{\"kind\":\"Status\",\"message\":\"Too large resource version: 9, current: 1\",\"reason\":\"Timeout\","
                        + "\"details\":{\"retryAfterSeconds\":3},\"code\":504}"));
        KubeApiException tooLarge = catchThrowableOfType(KubeApiException.class,
                () -> list(ListOptions.notOlderThan("9", 0)));
        assertThat(tooLarge.retryAfter()).isEqualTo(Duration.ofSeconds(3));
        assertThat(tooLarge.isTooLargeResourceVersion()).isTrue();
    }

    @Test
    void aWaitOfADayIsOneOfHalfAMinuteInHeadersAndInDetails() {
        for (String seconds : List.of("86400", "99999999999999999999", "1e99")) {
            server.answerWith(RawServer.always(503, "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":" + seconds
                    + "},\"code\":503}"));
            assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)).retryAfter()).as(seconds)
                    .isEqualTo(RetryAfter.LONGEST);
        }
        for (String details : List.of("null", "[]", "{\"retryAfterSeconds\":-3}", "{\"retryAfterSeconds\":{}}")) {
            server.answerWith(RawServer.always(503,
                    "{\"kind\":\"Status\",\"details\":" + details + ",\"code\":503}"));
            assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)).retryAfter()).as(details)
                    .isNull();
        }
        server.answerWith((request, out) -> RawServer.json(out, 429,
                "Retry-After: 5\r\nRetry-After: 86400\r\nRetry-After: x\r\n", "no Status at all"));
        assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)).retryAfter())
                .isEqualTo(RetryAfter.LONGEST);
    }

    @Test
    void aRequestThatABusyServerRefusesIsRepeatedAsOftenAsThereIsTime() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        server.answerWith((request, out) -> RawServer.json(out, refusals.getAndIncrement() < 2 ? 503 : 201,
                "Retry-After: 1\r\n", "{\"metadata\":{\"name\":\"a\"}}"));
        try (KubeClient patient = patient(Duration.ofMinutes(2))) {
            patient.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(configMap());
        }
        assertThat(server.requests).hasSize(3).extracting(RawServer.Request::body).containsOnly(
                server.requests.getFirst().body());

        server.requests.clear();
        server.answerWith((request, out) -> RawServer.json(out, 429, "Retry-After: 25\r\n", "{}"));
        try (KubeClient patient = patient(Duration.ofSeconds(20))) {
            assertThat(catchThrowableOfType(KubeApiException.class, () -> patient.resource(ResourceType.CONFIG_MAPS,
                    V1ConfigMap.class).create(configMap())).code()).isEqualTo(429);
        }
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void aClientWithoutRetriesDoesNotWaitForABusyServer() {
        server.answerWith((request, out) -> RawServer.json(out, 429, "Retry-After: 30\r\n", "{}"));
        try (KubeClient patient = patient(Duration.ofHours(1))) {
            assertThat(catchThrowableOfType(KubeApiException.class, () -> patient.sharing().withoutRetries().resource(
                    ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(configMap())).code()).isEqualTo(429);
        }
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void aClosedClientDoesNotWaitForABusyServer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        server.answerWith((request, out) -> {
            RawServer.json(out, 429, "Retry-After: 30\r\n", "{}");
            asked.countDown();
        });
        KubeClient patient = patient(Duration.ofHours(1));
        CompletableFuture<KubeApiException> error = CompletableFuture
                .supplyAsync(() -> catchThrowableOfType(KubeApiException.class,
                        () -> patient.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(configMap())));
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        patient.close();
        assertThat(error.get(1, TimeUnit.MINUTES)).hasMessageContaining("the client is closed");
        assertThat(server.requests).hasSize(1);
    }

    private static V1ConfigMap configMap() {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("a").namespace("default"));
    }

    private KubeClient patient(Duration busy) {
        return new HttpKubeClient(server.api(), new HttpDeadlines(SOON, SOON, SOON, busy), "test/1",
                ContentType.JSON, Clock.system());
    }

    @Test
    void aRedirectIsAnErrorAndIsNotFollowed() {
        for (int code : List.of(301, 302, 303, 307, 308)) {
            server.requests.clear();
            server.answerWith((request, out) -> RawServer.json(out, code,
                    "Location: /api/v1/namespaces/default/secrets/b\r\n", ""));
            assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A)).code()).isEqualTo(code);
            assertThat(server.requests).as("with %s", code).hasSize(1);
        }
    }

    @Test
    void anAnswerWithoutAnEndIsGivenUp() {
        byte[] piece = "x".repeat(1024 * 1024).getBytes(StandardCharsets.US_ASCII);
        for (String begin : List.of("{\"items\":[{\"metadata\":{\"name\":\"", "{\"items\":[[[[", "{\"metadata\":9")) {
            server.answerWith((request, out) -> {
                out.write(("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + begin).getBytes(StandardCharsets.US_ASCII));
                for (int i = 0; i < 40; i++) {
                    out.write(piece);
                }
            });
            assertThat(catchThrowableOfType(KubeApiException.class, () -> list(ListOptions.consistent(500)))).as(begin)
                    .hasMessageContaining("is longer than 32 MB");
            assertThat(catchThrowableOfType(KubeApiException.class, () -> configMaps.get(A))).as(begin)
                    .hasMessageContaining("is longer than 32 MB");
        }
    }

    @Test
    void aStatusIsNoListOfNothing() {
        server.answerWith(RawServer.always(200,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},"
                        + "\"status\":\"Success\"}"));
        assertThat(catchThrowableOfType(KubeApiException.class, () -> list(ListOptions.consistent(500))))
                .hasMessageContaining("the answer is not a list: it is of kind \"Status\"");
    }

    /** The garbage collector would take such an answer for the end of an owner, and delete its dependents. */
    @Test
    void anAnswerAboutAnotherObjectIsAnError() {
        for (String answer : List.of("{}", "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\",\"uid\":\"1\"}}")) {
            server.answerWith(RawServer.always(200, answer));
            assertThatThrownBy(() -> configMaps.get(A)).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("get configmaps default/a")
                    .hasMessageContaining("the answer is an object of the name ");
        }
        server.answerWith(RawServer.always(200, "{\"kind\":\"Status\",\"metadata\":{},\"status\":\"Success\"}"));
        assertThatThrownBy(() -> client.metadata(ResourceType.CONFIG_MAPS).get(A)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("the answer is an object of the name null");
    }

    @Test
    void anExpiredListIs410() {
        server.answerWith(
                RawServer.always(410, "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"too old\"}"));
        assertThat(catchThrowableOfType(KubeApiException.class, () -> list(ListOptions.cached())).isExpired()).isTrue();
    }

    @Test
    void anAnswerThatIsNoStatusIsQuotedShortly() {
        server.answerWith(RawServer.always(502, "<html>bad gateway</html>"));
        assertThatThrownBy(() -> configMaps.get(A)).isInstanceOf(KubeApiException.class)
                .hasMessage("get configmaps default/a: 502 <html>bad gateway</html>");
    }

    @Test
    void aServerThatDoesNotAnswerIsGivenUpWithAnUnknownOutcome() {
        CountDownLatch never = new CountDownLatch(1);
        server.answerWith((request, out) -> never.await());
        try (KubeClient impatient = new HttpKubeClient(server.api(),
                new HttpDeadlines(SOON, Duration.ofMillis(500), SOON), "test/1", Clock.system())) {
            KubeApiException error = catchThrowableOfType(KubeApiException.class,
                    () -> impatient.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(A));
            assertThat(error.isUnknownOutcome()).isTrue();
            assertThat(error.getMessage()).startsWith("get configmaps default/a: ");
        } finally {
            never.countDown();
        }
    }

    @Test
    void aListThatStopsInTheMiddleIsAnErrorAndNoShorterList() {
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            byte[] part = "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{\"metadata\":{\"name\":\"a\"}},"
                    .getBytes(StandardCharsets.UTF_8);
            RawServer.chunk(out, part, 0, part.length);
            RawServer.endChunked(out);
        });
        assertThatThrownBy(() -> list(ListOptions.cached())).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("list configmaps");
    }

    @Test
    void aConnectionThatIsRefusedNamesTheAddress() throws IOException {
        server.close();
        assertThatThrownBy(() -> configMaps.get(A)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void anInterruptEndsACall() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        server.answerWith((request, out) -> {
            asked.countDown();
            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        });
        HttpKubeClient patient = new HttpKubeClient(server.api(), Clock.system());
        var outcome = new java.util.concurrent.atomic.AtomicReference<String>();
        Thread caller = Thread.ofPlatform().start(() -> {
            try {
                patient.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(A);
            } catch (KubeApiException e) {
                outcome.set(e.isUnknownOutcome() + " " + Thread.currentThread().isInterrupted());
            }
        });
        assertThat(asked.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        caller.interrupt();
        assertThat(caller.join(SOON)).isTrue();
        assertThat(outcome).hasValue("true true");
        patient.close();
    }

    @Test
    void writesGoWhereTheyBelong() {
        server.answerWith(RawServer.always(200, "{\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"}}"));
        V1ConfigMap a = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("a"));
        configMaps.update(a);
        configMaps.updateStatus(a);
        configMaps.patch(A, "", PatchType.MERGE, "{\"data\":{\"k\":\"ü\"}}");
        configMaps.patch(A, "scale", PatchType.JSON, "[]");
        configMaps.delete(A, Deletion.ofUid("u1").withPropagation("Foreground"));
        configMaps.createSubresource(A, "binding", Map.of("target", "n1"));
        assertThat(server.requests).extracting(RawServer.Request::line).containsExactly(
                "PUT /api/v1/namespaces/default/configmaps/a", "PUT /api/v1/namespaces/default/configmaps/a/status",
                "PATCH /api/v1/namespaces/default/configmaps/a", "PATCH /api/v1/namespaces/default/configmaps/a/scale",
                "DELETE /api/v1/namespaces/default/configmaps/a",
                "POST /api/v1/namespaces/default/configmaps/a/binding");
        assertThat(server.requests.get(0).body())
                .isEqualTo(
                        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
                                + "\"namespace\":\"default\"}}");
        assertThat(server.requests.get(2).headers().get("content-type")).isEqualTo("application/merge-patch+json");
        assertThat(server.requests.get(2).body()).isEqualTo("{\"data\":{\"k\":\"ü\"}}");
        assertThat(server.requests.get(4).body()).contains("\"preconditions\":{\"uid\":\"u1\"}")
                .contains("\"propagationPolicy\":\"Foreground\"");
    }

    @Test
    void anApplyNamesItsFieldManager() {
        server.answerWith(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"));
        configMaps.apply(A, "", "test", true, "{}");
        assertThat(server.requests.getFirst().target()).startsWith("/api/v1/namespaces/default/configmaps/a?")
                .contains("fieldManager=test").contains("force=true");
        assertThat(server.requests.getFirst().headers()).containsEntry("user-agent", "test/1")
                .containsEntry("content-type", "application/apply-patch+yaml");
    }

    @Test
    void theAnswerToAPatchOfScaleIsOfAnotherKind() {
        server.answerWith(RawServer.always(200,
                "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"a\","
                        + "\"resourceVersion\":\"9\"}}"));
        assertThat(configMaps.patch(A, "scale", PatchType.MERGE, "{}").getMetadata().getResourceVersion())
                .isEqualTo("9");
    }

    @Test
    void theAnswersOfASharingClientHaveEqualPartsInCommonAndThoseOfAnotherDoNot() {
        server.answerWith(RawServer.always(200, """
                {"metadata":{"name":"a","namespace":"default","labels":{"app":"web"}},"data":{"k":"v"}}"""));
        V1ConfigMap a = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("a"));
        ResourceClient<V1ConfigMap> sharing = client.sharing().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        // A value is kept when it comes again, and is found from then on.
        for (int i = 0; i < 4; i++) {
            sharing.update(a);
        }
        Map<String, String> shared = sharing.update(a).getMetadata().getLabels();
        assertThat(shared).containsExactly(Map.entry("app", "web"))
                .isSameAs(sharing.patch(A, "", PatchType.MERGE, "{}").getMetadata().getLabels());
        assertThat(configMaps.update(a).getMetadata().getLabels()).isEqualTo(shared)
                .isNotSameAs(configMaps.update(a).getMetadata().getLabels());
        assertThat(sharing.update(a)).isEqualTo(configMaps.update(a));
    }

    @Test
    void aWriteWhoseAnswerIsLostIsNotSentAgain() {
        server.answerWith((request, out) -> {});
        KubeApiException error = catchThrowableOfType(KubeApiException.class,
                () -> configMaps.create(
                        new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").generateName("a-"))));
        assertThat(error.isUnknownOutcome()).isTrue();
        assertThat(error.getMessage()).startsWith("create configmaps default/a-*: ");
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void metadataAloneIsAskedForByTheAcceptHeader() {
        server.answerWith(RawServer.always(200,
                """
                        {"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",\
                        "metadata":{"resourceVersion":"9"},
                         "items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a",\
                        "uid":"u"}}]}"""));
        var page = client.metadata(ResourceType.DEPLOYMENTS).list("", LabelSelector.everything(),
                FieldSelector.everything(), ListOptions.cached());
        assertThat(page.items().getFirst().getMetadata().getUid()).isEqualTo("u");
        assertThat(page.items().getFirst().getKind()).isEqualTo("Deployment");
        assertThat(server.requests.getFirst().headers().get("accept")).contains("as=PartialObjectMetadataList");
    }

    @Test
    void discoveryIsAggregatedWhereTheServerCanDoIt() {
        server.answerWith((request, out) -> RawServer.json(out, 200, "", request.target().equals("/api")
                ? """
                        {"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{},\
                        "versions":[
                         {"version":"v1","resources":[
                          {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","verbs":["delete",\
                        "list","watch"]},
                          {"resource":"bindings","responseKind":{"kind":"Binding"},"scope":"Namespaced",\
                        "verbs":["create"]}]}]}]}"""
                : """
                        {"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[
                         {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]},
                         {"metadata":{"name":"x.io"},"versions":[
                          {"version":"v2","resources":[
                           {"resource":"as","responseKind":{"kind":"A"},"scope":"Cluster","verbs":["delete","list",\
                        "watch"]}]},
                          {"version":"v1","resources":[
                           {"resource":"as","responseKind":{"kind":"A"},"scope":"Cluster","verbs":["delete","list",\
                        "watch"]}]}]}]}"""));
        KubeClient.Discovered found = client.discover();
        assertThat(found.types()).containsExactly(ResourceType.PODS, new ResourceType("x.io", "v2", "as", "A", false));
        assertThat(found.otherVersions()).containsExactly(new ResourceType("x.io", "v1", "as", "A", false));
        assertThat(found.failures()).hasSize(1).first().asString().startsWith("metrics.k8s.io/v1beta1");
    }

    @Test
    void discoveryFallsBackToOneDocumentAGroupVersionAndNamesThoseThatFail() {
        server.answerWith((request, out) -> {
            switch (request.target()) {
                case "/api" -> RawServer.json(out, 200, "", "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
                case "/api/v1" -> RawServer.json(out, 200, "", """
                        {"kind":"APIResourceList","groupVersion":"v1","resources":[
                         {"name":"pods","kind":"Pod","namespaced":true,"verbs":["delete","list","watch"]},
                         {"name":"pods/status","kind":"Pod","namespaced":true,"verbs":["delete","list","watch"]}]}""");
                case "/apis" -> RawServer.json(out, 200, "",
                        """
                                {"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1beta1"},\
                                {"version":"v1"}],
                                 "preferredVersion":{"version":"v1"}}]}""");
                case "/apis/apps/v1" -> RawServer.json(out, 200, "",
                        """
                                {"kind":"APIResourceList","resources":[
                                 {"name":"deployments","kind":"Deployment","namespaced":true,"verbs":["delete","list",\
                                "watch"]}]}""");
                default -> RawServer.json(out, 503, "", "away");
            }
        });
        KubeClient.Discovered found = client.discover();
        assertThat(found.types()).isEqualTo(List.of(ResourceType.PODS, ResourceType.DEPLOYMENTS));
        assertThat(found.failures()).hasSize(1).first().asString().startsWith("apps/v1beta1: ").contains("503");
    }

    /** Controllers would conclude that a namespace is empty, for example. */
    @Test
    void anAnswerThatIsNoDiscoveryIsNotOneOfNoTypes() {
        for (String answer : List.of("{}", "{\"kind\":\"Status\"}", "[]",
                "{\"kind\":\"APIVersions\",\"versions\":[]}", "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}")) {
            server.answerWith(RawServer.always(200, answer));
            assertThatThrownBy(client::discover).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("discover /api: ")
                    .hasMessageContaining("look for a proxy");
        }
        server.answerWith((request, out) -> RawServer.json(out, 200, "", request.target().equals("/api")
                ? "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}"
                : request.target().equals("/apis") ? "{\"kind\":\"APIGroupList\"}" : "{}"));
        assertThat(client.discover().failures()).singleElement().asString().startsWith("v1: ")
                .contains("the answer is of kind \"\", not APIResourceList");
    }

    @Test
    void afterCloseItsThreadsAreGoneAndACallSaysSo() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        server.answerWith(RawServer.always(200, "{\"metadata\":{\"name\":\"a\"}}"));
        configMaps.get(A);
        client.close();
        assertThatThrownBy(() -> configMaps.get(A)).isInstanceOf(KubeApiException.class).hasMessageContaining("closed");
        Eventually.eventually("OkHttp's threads end", SOON, () -> Thread.getAllStackTraces().keySet()
                .stream().noneMatch(t -> t.getName().startsWith("OkHttp") && !before.contains(t)));
    }
}
