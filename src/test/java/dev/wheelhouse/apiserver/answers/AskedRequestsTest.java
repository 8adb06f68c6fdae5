package dev.wheelhouse.apiserver.answers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.operator.webhook.ScriptedWebhook;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Webhooks are asked about subresources, connections, reviews and deletions as a real kube-apiserver 1.36 asks them.
 * {@link RealWebhooksTest} compares the whole reviews.
 */
class AskedRequestsTest {
    /** A line for each request: what a webhook with rules about everything is asked, or nothing. */
    private static final String ASKED = """
            POST pods/p/binding?dryRun=All -> CREATE pods/binding p Binding
            POST pods/p/binding -> CREATE pods/binding p Binding
            POST bindings -> CREATE bindings q Binding
            POST pods/r/eviction -> CREATE pods/eviction r Eviction
            POST pods/gone/eviction -> CREATE pods/eviction gone Eviction
            POST pods/p/exec?command=ls&command=-l&container=c&stdin=1&stdout=true -> CONNECT pods/exec p PodExecOptions
            GET pods/p/exec?command=ls&tty=1&stdout=false -> CONNECT pods/exec p PodExecOptions
            GET pods/p/attach?container=c -> CONNECT pods/attach p PodAttachOptions
            POST pods/p/portforward?ports=80&ports=81 -> CONNECT pods/portforward p PodPortForwardOptions
            GET pods/gone/portforward -> CONNECT pods/portforward gone PodPortForwardOptions
            GET pods/p/proxy -> CONNECT pods/proxy p PodProxyOptions
            GET pods/p/proxy/a/b?x=y -> CONNECT pods/proxy p PodProxyOptions
            POST pods/http:p:81/proxy/a/ -> CONNECT pods/proxy http:p:81 PodProxyOptions
            DELETE pods/p/proxy/a -> CONNECT pods/proxy p PodProxyOptions
            GET services/s/proxy/ -> CONNECT services/proxy s ServiceProxyOptions
            GET nodes/n/proxy/metrics -> CONNECT nodes/proxy n NodeProxyOptions
            GET pods/p/log ->
            GET deployments/d/scale ->
            POST serviceaccounts/a/token -> CREATE serviceaccounts/token a TokenRequest
            POST serviceaccounts/a/token -> CREATE serviceaccounts/token a TokenRequest
            PUT deployments/d/scale -> UPDATE deployments/scale d Scale
            PATCH deployments/d/scale?fieldManager=me -> UPDATE deployments/scale d Scale
            PATCH deployments/d/scale?fieldManager=you&force=true -> UPDATE deployments/scale d Scale
            PATCH replicasets/rs/scale -> UPDATE replicasets/scale rs Scale
            PATCH statefulsets/ss/scale?dryRun=All -> UPDATE statefulsets/scale ss Scale
            PATCH replicationcontrollers/rc/scale -> UPDATE replicationcontrollers/scale rc Scale
            PATCH yards/x/scale -> UPDATE yards/scale x Scale
            PATCH yards/x/status -> UPDATE yards/status x Yard
            PATCH deployments/d/status -> UPDATE deployments/status d Deployment
            PATCH nodes/n/status -> UPDATE nodes/status n Node
            PATCH status -> UPDATE namespaces/status asked Namespace
            PUT finalize -> UPDATE namespaces/finalize asked Namespace
            PATCH pods/p/status -> UPDATE pods/status p Pod
            PATCH pods/c2/resize -> UPDATE pods/resize c2 Pod
            PATCH pods/p/ephemeralcontainers -> UPDATE pods/ephemeralcontainers p Pod
            POST tokenreviews -> CREATE tokenreviews  TokenReview
            POST selfsubjectreviews -> CREATE selfsubjectreviews  SelfSubjectReview
            POST subjectaccessreviews -> CREATE subjectaccessreviews  SubjectAccessReview
            POST selfsubjectaccessreviews -> CREATE selfsubjectaccessreviews  SelfSubjectAccessReview
            POST selfsubjectrulesreviews -> CREATE selfsubjectrulesreviews  SelfSubjectRulesReview
            POST localsubjectaccessreviews -> CREATE localsubjectaccessreviews  LocalSubjectAccessReview
            DELETE pods/on-node?dryRun=All -> DELETE pods on-node Pod 30
            DELETE pods/on-node -> DELETE pods on-node Pod 30
            DELETE pods/on-node ->
            DELETE pods/on-node?gracePeriodSeconds=40 ->
            DELETE pods/on-node?gracePeriodSeconds=3 -> DELETE pods on-node Pod 3
            DELETE pods/short -> DELETE pods short Pod 5
            DELETE pods/now?gracePeriodSeconds=0 -> DELETE pods now Pod 0
            DELETE pods/t -> DELETE pods t Pod 0
            DELETE pods/pending?gracePeriodSeconds=-7 -> DELETE pods pending Pod 1
            DELETE configmaps/m ->
            DELETE configmaps/m -> DELETE configmaps m ConfigMap 5
            DELETE pods?fieldSelector=metadata.name=c1 -> DELETE pods  Pod
            DELETE pods/gone ->
            """;

    @Test
    void webhooksAreAskedAboutEachSubresourceConnectionReviewAndDeletion() throws Exception {
        List<String> asked = new ArrayList<>();
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
                ScriptedWebhook webhook = new ScriptedWebhook("127.0.0.1");
                HttpWire wire = new HttpWire(server.port(), false, "")) {
            webhook.respond("/asked", request -> "{\"allowed\": true}");
            for (Probe object : AskedRequests.objects()) {
                assertThat(wire.send(object).code()).as(object.toString()).isEqualTo(201);
            }
            eventually("the definition is served", Duration.ofMinutes(2),
                    () -> wire.send(AskedRequests.yard()).code() == 201);
            assertThat(wire.send(AskedRequests.configuration("Validating", webhook.client("/asked"))).code())
                    .isEqualTo(201);
            for (Probe probe : AskedRequests.requests()) {
                webhook.reviews.clear();
                wire.send(probe);
                List<JsonNode> reviews = List.copyOf(webhook.reviews);
                asked.add(probe.method() + " " + probe.target().replaceFirst(".*/v1/(namespaces/asked/)?", "") + " -> "
                        + reviews.stream().map(AskedRequests::summary).collect(Collectors.joining(", ")));
            }
        }
        assertThat(String.join("\n", asked).lines().map(String::stripTrailing)
                .collect(Collectors.joining("\n"))).isEqualTo(ASKED.strip());
    }
}
