package dev.wheelhouse.apiserver.rest;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;

@DisplayName("The API server answers as the transcripts say")
class TranscriptTest {
    private static final Map<String, User> USERS = Map.of("eve",
            new User("eve", "", List.of("system:authenticated"), Map.of()));

    @TestFactory
    Stream<DynamicContainer> answersAsTheTranscriptsSay() {
        return Transcript.all("", TranscriptTest::server);
    }

    private static Transcript.World server(JsonNode server) {
        Security security = server.has("rbac")
                ? Security.of(AuthorizationMode.RBAC, USERS, ServerKeys.inMemory())
                : Security.none();
        RestClient client = new RestClient(security.withPodAccounts(server.has("accounts")), server.has("apis")
                ? RuntimeConfig.parse(server.path("apis").asString())
                : RuntimeConfig.standard());
        return new Transcript.World() {
            @Override
            public ApiResponse handle(ApiRequest request) {
                return client.rest.handle(request);
            }

            @Override
            public Instant now() {
                return client.clock.now();
            }

            @Override
            public void pass(Duration time) {
                client.clock.advance(time);
            }
        };
    }
}
