package dev.wheelhouse.apiserver.access;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.OtherParties;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Webhooks that know users, and webhooks that authorize requests. */
class WebhooksTest {
    private static final List<String> HERE = List.of("https://kubernetes.default.svc");
    private static final User JANE = new User("jane", "j-1", List.of("devs"), Map.of("k", List.of("v")));
    private static final RequestInfo PODS = new RequestInfo(true, "/api/v1/pods", "list", "", "v1", "team", "pods", "",
            "", FieldSelector.of("spec.nodeName", "a"));

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock();
    private OtherParty party;

    @BeforeEach
    void begin() throws Exception {
        party = new OtherParty();
    }

    @AfterEach
    void end() {
        party.close();
    }

    @Test
    void aTokenWebhookIsSentAReviewAndItsAnswerIsKeptForATime() throws Exception {
        party.answers("/tokens", review -> Json.text(review, "spec", "token").equals("good")
                ? "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"jane\",\"uid\":\"j-1\","
                        + "\"groups\":[\"devs\"],\"extra\":{\"k\":[\"v\"]}}}}"
                : "{\"status\":{\"authenticated\":false}}");
        TokenWebhook webhook = new TokenWebhook(RemoteService.of(party.kubeconfig(directory, "/tokens"), clock),
                Duration.ofMinutes(2), clock);

        assertThat(webhook.user("good", HERE)).isEqualTo(
                new User("jane", "j-1", List.of("devs", "system:authenticated"), Map.of("k", List.of("v"))));
        assertThat(webhook.user("good", HERE)).isNotNull();
        assertThat(webhook.user("bad", HERE)).isNull();
        assertThat(party.sent.stream().map(Object::toString)).containsExactly(
                "{\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\",\"metadata\":{},\"spec\":"
                        + "{\"token\":\"good\",\"audiences\":[\"https://kubernetes.default.svc\"]},"
                        + "\"status\":{\"user\":{}}}",
                party.sent.get(1).toString());

        assertThat(webhook.user("good", List.of("vault"))).as("the webhook does not know this audience").isNull();
        clock.advance(Duration.ofSeconds(121));
        party.fails("/tokens");
        assertThatThrownBy(() -> webhook.user("good", HERE)).isInstanceOf(UnauthorizedException.class)
                .hasMessageContaining("answered 503");
    }

    private List<Authorizer> authorizers(String text) throws Exception {
        party.kubeconfig(directory, "/requests");
        ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
        return AuthorizationConfig.read(Files.writeString(directory.resolve("authorization.yaml"),
                "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n" + text),
                clock)
                .stream().map(each -> each.of(store, Security.none().accessTo(store, clock).policies())).toList();
    }

    private static String webhook(String further) {
        return """
                - type: Webhook
                  name: remote
                  webhook: {authorizedTTL: 10s, unauthorizedTTL: 5s, timeout: 3s, subjectAccessReviewVersion: v1,
                    matchConditionSubjectAccessReviewVersion: v1, failurePolicy: Deny,
                    connectionInfo: {type: KubeConfigFile, kubeConfigFile: service.kubeconfig}%s}
                """.formatted(further.isEmpty() ? "" : ", " + further);
    }

    @Test
    void anAuthorizationWebhookIsSentAReviewAndItsAnswerIsKeptForATime() throws Exception {
        party.answers("/requests", review -> "{\"status\":{\"allowed\":true,\"reason\":\"because\"}}");
        Authorizer remote = authorizers(webhook("")).getFirst();

        assertThat(remote.authorize(JANE, PODS)).isEqualTo(new AuthorizationDecision(true, false, "because"));
        assertThat(party.sent.getFirst().toString()).isEqualTo("{\"kind\":\"SubjectAccessReview\",\"apiVersion\":"
                + "\"authorization.k8s.io/v1\",\"metadata\":{},"
                + "\"spec\":{\"resourceAttributes\":{\"namespace\":\"team\","
                + "\"verb\":\"list\",\"version\":\"v1\",\"resource\":\"pods\",\"fieldSelector\":{\"requirements\":"
                + "[{\"key\":\"spec.nodeName\",\"operator\":\"In\",\"values\":[\"a\"]}]}},\"user\":\"jane\","
                + "\"uid\":\"j-1\","
                + "\"groups\":[\"devs\"],\"extra\":{\"k\":[\"v\"]}},\"status\":{\"allowed\":false}}");
        party.answers("/requests", review -> "{\"status\":{\"denied\":true,\"reason\":\"no\"}}");
        assertThat(remote.authorize(JANE, PODS).allowed()).as("the answer is kept").isTrue();
        clock.advance(Duration.ofSeconds(11));
        assertThat(remote.authorize(JANE, PODS)).isEqualTo(new AuthorizationDecision(false, true, "no"));
        assertThat(remote.authorize(JANE, RequestInfo.ofPath("get", "/metrics")).denied()).isTrue();
        assertThat(party.sent.getLast().path("spec").get("nonResourceAttributes").toString())
                .isEqualTo("{\"path\":\"/metrics\",\"verb\":\"get\"}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'team' | true",
            "request.user == 'joe'                                     | false",
            "!('system:masters' in request.groups)                     | true",
            "!has(request.resourceAttributes)                          | false",
            "request.resourceAttributes.subresource == ''              | true"})
    void aWebhookIsAskedIfItsConditionsHold(String condition, boolean asked) throws Exception {
        party.answers("/requests", review -> "{}");
        Authorizer remote = authorizers(webhook("matchConditions: [{expression: \"" + condition + "\"}]")).getFirst();
        remote.authorize(JANE, PODS);
        assertThat(!party.asked.isEmpty()).isEqualTo(asked);
    }

    @Test
    void theFailurePolicyDecidesIfThereIsNoAnswer() throws Exception {
        assertThat(authorizers(webhook("")).getFirst().authorize(JANE, PODS))
                .isEqualTo(new AuthorizationDecision(false, true, party.url() + "/requests answered 503"));
        assertThat(authorizers(webhook("").replace("Deny", "NoOpinion")).getFirst().authorize(JANE, PODS).denied())
                .isFalse();
        String broken = webhook("matchConditions: [{expression: 'request.nothing == 1'}]");
        assertThat(authorizers(broken).getFirst().authorize(JANE, PODS).denied()).isTrue();
        assertThat(party.asked).hasSize(2);
    }

    @Test
    void authorizersAreAskedInTheirOrderAndAdministratorsNotAtAll() throws Exception {
        party.answers("/requests", review -> "{\"status\":{\"allowed\":false,\"reason\":\"unknown\"}}");
        party.kubeconfig(directory, "/requests");
        ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
        Path file = Files.writeString(directory.resolve("all.yaml"), "kind: AuthorizationConfiguration\nauthorizers:\n"
                + webhook("") + "- {type: Node, name: node}\n- {type: RBAC, name: rbac}\n");
        Authorizer all = Security.of(AuthorizationMode.ALWAYS_ALLOW, Map.of(), ServerKeys.inMemory())
                .withOthers(new OtherParties(List.of(), any -> true, AuthorizationConfig.read(file, clock)))
                .accessTo(store, clock).authorizer();

        assertThat(all.authorize(JANE, PODS)).isEqualTo(new AuthorizationDecision(false, false, "unknown"));
        assertThat(all.authorize(User.ADMIN, PODS).allowed()).isTrue();
        assertThat(party.asked).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"- {type: ABAC, name: a} | type is \"ABAC\"",
            "- {type: RBAC} | needs a name", "- {type: Webhook, name: a} | connectionInfo needs the type",
            "- {type: Webhook, name: a, webhook: {}} | connectionInfo needs the type KubeConfigFile",
            "- {type: Webhook, name: a, webhook: {ttl: 1s}} | the field authorizers[0].webhook.ttl is unknown",
            "- {type: Webhook, name: a, webhook: {connectionInfo: {type: KubeConfigFile, kubeConfigFile: x}, "
                    + "subjectAccessReviewVersion: v2}} | subjectAccessReviewVersion is \"v2\""})
    void aConfigurationThatIsNoneIsRefusedWithItsField(String entry, String why) {
        assertThatThrownBy(() -> authorizers(entry + "\n")).isInstanceOf(AuthConfigException.class)
                .hasMessageContaining(why);
    }
}
