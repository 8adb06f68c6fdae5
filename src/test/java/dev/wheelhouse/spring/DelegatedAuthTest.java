package dev.wheelhouse.spring;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.DelegatedAuth;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The time for which the API server's answer about a token is cached, and decisions without an answer. The test moves
 * the clock.
 */
class DelegatedAuthTest {
    private static final String PATH = "/actuator/env";

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final ApiClient api = new ClientBuilder().setBasePath(server.url()).build();
    private final ManualClock clock = new ManualClock();
    private final DelegatedAuth reviews = ManagementGuard.reviews(api, clock);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void anAnswerIsKeptForTenSecondsForThisToken() {
        Faults.Rule asked = server.faults().on("create", "tokenreviews").delay(Duration.ZERO);

        assertThat(reviews.mayGet("x", "get", PATH).why()).isEqualTo("the token is nobody's, or no longer valid");
        assertThat(reviews.mayGet("x", "get", PATH).user()).isNull();
        clock.advance(Duration.ofMillis(9_999));
        reviews.mayGet("x", "get", PATH);
        assertThat(asked.hits()).isEqualTo(1);

        clock.advance(Duration.ofMillis(1));
        reviews.mayGet("x", "get", PATH);
        reviews.mayGet("y", "get", PATH);
        reviews.mayGet("x", "post", PATH);
        reviews.mayGet("x", "get", "/actuator/beans");
        assertThat(asked.hits()).isEqualTo(3);
    }

    @Test
    void afterAFailureNobodyIsAskedForASecondAndEveryTokenIsDenied() {
        Faults.Rule failing = server.faults().on("create", "tokenreviews").fail(500, "broken");

        assertThat(reviews.mayGet("x", "get", PATH)).isEqualTo(
                new DelegatedAuth.Answer(null, "the API server could not say whose the token is: it answered 500"));
        assertThat(reviews.mayGet("y", "get", PATH).user()).isNull();
        assertThat(failing.hits()).isEqualTo(1);

        clock.advance(Duration.ofSeconds(1));
        assertThat(reviews.mayGet("x", "get", PATH).user()).isNull();
        assertThat(failing.hits()).isEqualTo(2);

        server.faults().clear();
        clock.advance(Duration.ofSeconds(1));
        assertThat(reviews.mayGet("x", "get", PATH).why()).startsWith("the token is nobody's");
    }

    @Test
    void withoutTheRightToAskTheRemedyIsNamed() {
        server.faults().on("create", "tokenreviews").fail(403, "no");

        assertThat(reviews.mayGet("x", "get", PATH).why()).contains("let it create tokenreviews.authentication.k8s.io");
    }

    @Test
    void aServerThatIsNotThereDenies() {
        server.close();

        assertThat(reviews.mayGet("x", "get", PATH)).isEqualTo(
                new DelegatedAuth.Answer(null, "the API server could not say whose the token is: it did not answer"));
    }
}
