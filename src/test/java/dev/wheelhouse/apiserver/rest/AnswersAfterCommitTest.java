package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.store.CommitHook;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.apiserver.work.OutOfBudgetException;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** No answer denies a change that has happened, whatever fails after its commit. */
class AnswersAfterCommitTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String QUOTAS = "/api/v1/namespaces/default/resourcequotas";
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String SITES = "/apis/example.com/v1/namespaces/default/sites";
    private static final String SITE = "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Site\", "
            + "\"metadata\": {\"name\": \"s\", \"finalizers\": [\"x.y/z\"]}}";
    private static final String YAML = "application/yaml";
    private static final String METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

    private final ManualClock clock = new ManualClock();
    /** Called before each commit. */
    private volatile Consumer<List<Storage.Write>> onCommit = writes -> {};
    private final ObjectStore store = new ObjectStore(clock, Retention.standard(),
            new CommitHook(writes -> onCommit.accept(writes)));
    private final RestServer rest = new RestServer(store, clock, new SplittableRandom(1));

    private ApiResponse.Content ask(String method, String path, String accept, String body) {
        String type = !method.equals("PATCH")
                ? "application/json"
                : path.contains("fieldManager") ? "application/apply-patch+yaml" : "application/merge-patch+json";
        ApiRequest request = ApiRequest.of(method, path, type,
                body.isEmpty() ? null : body.getBytes(StandardCharsets.UTF_8));
        return (ApiResponse.Content) rest.handle(accept.isEmpty() ? request : request.withAccept(accept));
    }

    private ApiResponse.Content done(ApiResponse.Content answer) {
        assertThat(answer.code()).as(new String(answer.body(), StandardCharsets.UTF_8)).isIn(200, 201);
        return answer;
    }

    private static void isShortSuccess(ApiResponse.Content answer) {
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("Success", "could not make its answer");
    }

    private int get(String path) {
        return ask("GET", path, "", "").code();
    }

    @BeforeEach
    void fill() {
        done(ask("POST", MAPS, "", "{\"metadata\": {\"name\": \"a\"}, \"data\": {\"k\": \"%s\"}}"
                .formatted("x".repeat(50_000))));
        done(ask("POST", DEPLOYMENTS, "", """
                {"metadata": {"name": "d"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"x": "y"}},
                 "template": {"metadata": {"labels": {"x": "y"}}, "spec": {"containers": [
                  {"name": "c", "image": "i"}]}}}}"""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "POST  | " + MAPS + " | {\"metadata\": {\"name\": \"b\"}}",
            "PUT   | " + MAPS + "/a | {\"metadata\": {\"name\": \"a\"}}",
            "PATCH | " + MAPS + "/a | {\"data\": {\"k\": \"other\"}}",
            "PATCH | " + MAPS + "/a?fieldManager=m&force=true | {\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", "
                    + "\"metadata\": {\"name\": \"a\"}, \"data\": {\"k\": \"other\"}}",
            "PATCH | " + DEPLOYMENTS + "/d/status | {\"status\": {\"replicas\": 3}}",
            "PUT   | " + DEPLOYMENTS + "/d/scale | {\"metadata\": {\"name\": \"d\"}, \"spec\": {\"replicas\": 3}}",
            "PATCH | " + DEPLOYMENTS + "/d/scale | {\"spec\": {\"replicas\": 3}}"})
    void aFormThatTheAnswerCannotHaveIsRefusedBeforeTheChange(String method, String path, String body) {
        long before = store.version();

        assertThat(ask(method, path, METADATA_LIST, body).code()).isEqualTo(406);
        String include = (path.contains("?") ? "&" : "?") + "includeObject=Everything";
        assertThat(ask(method, path + include, TABLE, body).code()).isEqualTo(400);

        assertThat(store.version()).as("nothing has changed").isEqualTo(before);
        done(ask(method, path, "", body));
        assertThat(store.version()).isGreaterThan(before);
    }

    /** @param most bytes for the work, and for the answer */
    private static Allowance ofWork(long mostOfWork, long mostOfAnswer) {
        return (bytes, inAll) -> {
            if (bytes > (inAll ? mostOfAnswer : mostOfWork)) {
                throw new OutOfBudgetException(bytes, true);
            }
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "POST  | " + MAPS + " | {\"metadata\": {\"name\": \"b\"}, \"data\": {\"k\": \"%s\"}}",
            "PUT   | " + MAPS + "/a | {\"metadata\": {\"name\": \"a\"}, \"data\": {\"k\": \"%s\"}}",
            "PATCH | " + MAPS + "/a | {\"data\": {\"l\": \"small\"}}", "PATCH | " + MAPS + "/a | {}",
            "PATCH | " + MAPS + "/a?dryRun=All | {\"data\": {\"l\": \"small\"}}", "DELETE | " + MAPS + "/a | {}"})
    void aChangeWithoutMemoryForItsAnswerIsNotMade(String method, String path, String body) {
        long before = store.version();
        String sent = body.formatted("y".repeat(50_000));

        ApiResponse.Content refused = ofWork(1 << 20, 40_000).call(() -> ask(method, path, "", sent));

        assertThat(refused.code()).isEqualTo(429);
        assertThat(store.version()).isEqualTo(before);
        done(ofWork(1 << 20, 60_000 + 50_000).call(() -> ask(method, path, "", sent)));
    }

    @Test
    void theDeletionOfACollectionWhoseAnswerNeedsTooMuchMemoryIsASuccess() {
        ApiResponse.Content answer = done(ofWork(1_000, 1 << 20).call(() -> ask("DELETE", MAPS, YAML, "")));

        isShortSuccess(answer);
        assertThat(get(MAPS + "/a")).isEqualTo(404);
    }

    @Test
    void aDeletionWhoseAnswerNoWebhookConvertsIsASuccess() {
        define("""
                {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig":
                 {"url": "https://127.0.0.1:1/convert"}}}""", true);
        done(ask("POST", SITES, "", SITE));

        ApiResponse.Content answer = done(ask("DELETE", SITES.replace("/v1/", "/v2/") + "/s", "", ""));

        isShortSuccess(answer);
        assertThat(Json.read(ask("GET", SITES + "/s", "", "").body()).at("/metadata/deletionTimestamp").isMissingNode())
                .isFalse();
    }

    private void define(String conversion, boolean twoVersions) {
        String version = """
                {"name": "%s", "served": true, "storage": %s, "schema": {"openAPIV3Schema": {"type": "object"}}}""";
        done(ask("POST", CRDS, "", """
                {"metadata": {"name": "sites.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
                 "names": {"plural": "sites", "kind": "Site"}, "conversion": %s, "versions": [%s%s]}}"""
                .formatted(conversion, version.formatted("v1", true),
                        twoVersions ? ", " + version.formatted("v2", false) : "")));
    }

    private static void refuse(List<Storage.Write> writes, String resource) {
        if (writes.stream().anyMatch(write -> write.resource().equals(resource))) {
            throw new IllegalStateException("planted: no write of " + resource);
        }
    }

    private void limitPods() {
        done(ask("POST", QUOTAS, "", "{\"metadata\": {\"name\": \"q\"}, \"spec\": {\"hard\": {\"pods\": \"5\"}}}"));
        done(ask("PATCH", QUOTAS + "/q/status", "",
                "{\"status\": {\"hard\": {\"pods\": \"5\"}, \"used\": {\"pods\": \"0\"}}}"));
    }

    private ApiResponse.Content createPod() {
        return ask("POST", PODS, "",
                "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}");
    }

    @Test
    void aPodWhoseQuotaCannotBeChargedIsCreated() {
        limitPods();
        onCommit = writes -> refuse(writes, "resourcequotas");

        done(createPod());

        assertThat(get(PODS + "/p")).isEqualTo(200);
    }

    @Test
    void aPodThatIsStoredAtItsDeadlineIsChargedNevertheless() {
        limitPods();
        onCommit = writes -> clock.advance(Duration.ofMinutes(1));

        done(Deadline.in(Duration.ofSeconds(30), clock).call(this::createPod));

        JsonNode quota = Json.read(ask("GET", QUOTAS + "/q", "", "").body());
        assertThat(quota.at("/status/used/pods").asString()).isEqualTo("1");
    }

    @Test
    void theLastObjectOfADefinitionThatCannotEndIsGone() {
        define("{\"strategy\": \"None\"}", false);
        done(ask("POST", SITES, "", SITE));
        done(ask("DELETE", CRDS + "/sites.example.com", "", ""));
        onCommit = writes -> refuse(writes, "customresourcedefinitions.apiextensions.k8s.io");

        done(ask("PATCH", SITES + "/s", "", "{\"metadata\": {\"finalizers\": null}}"));

        assertThat(get(SITES + "/s")).isEqualTo(404);
    }
}
