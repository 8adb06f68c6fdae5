package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.rest.ServerInfo;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The decisions of a kube-apiserver 1.36, replayed. The table {@code recorded/authorization.tsv} has the roles and
 * bindings of a world, then questions with the verdict first, then {@code end}; {@link AuthorizationDifferentialTest}
 * writes it.
 */
class AuthorizationTableTest {
    private static final int FEWEST = 2_000;

    private final ServerKeys keys = ServerKeys.inMemory();
    private final List<String> differences = new ArrayList<>();
    private final Map<String, Integer> verdicts = new TreeMap<>();

    @Test
    void everyDecisionIsTheRecordedOne() {
        List<String> world = new ArrayList<>();
        for (String line : Resources.text("/recorded/authorization.tsv").split("\n", -1)) {
            if (line.equals("end")) {
                replay(world);
                world.clear();
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                world.add(line);
            }
        }
        assertThat(differences).isEmpty();
        assertThat(verdicts.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(FEWEST);
        assertThat(verdicts).containsKeys("yes", "no", "unread");
    }

    private void replay(List<String> world) {
        ManualClock clock = new ManualClock();
        try (ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory())) {
            RestServer server = new RestServer(store, clock, new SplittableRandom(1),
                    Security.of(AuthorizationMode.RBAC, Map.of(), keys), ServerInfo.none());
            for (String namespace : List.of("team-a", "team-b")) {
                create(server, "/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + namespace + "\"}}");
            }
            for (String line : world) {
                List<String> columns = List.of(line.split("\t", -1));
                if (RoleTable.isRole(columns.getFirst())) {
                    ObjectNode object = RoleTable.parse(columns);
                    create(server, RoleTable.collection(object), object.toString());
                    continue;
                }
                AuthorizationQuestion question = AuthorizationQuestion.parse(columns.subList(1, columns.size()));
                String verdict = verdict(server, question);
                verdicts.merge(verdict, 1, Integer::sum);
                if (!verdict.equals(columns.getFirst())) {
                    differences.add("recorded " + columns.getFirst() + ", found " + verdict + ": " + question);
                }
            }
        }
    }

    private static void create(RestServer server, String collection, String object) {
        ApiResponse.Content answer = (ApiResponse.Content) server
                .handle(ApiRequest.of("POST", collection, object.getBytes(StandardCharsets.UTF_8)));
        assertThat(answer.code()).as(object).isEqualTo(201);
    }

    private String verdict(RestServer server, AuthorizationQuestion question) {
        Map<String, List<String>> headers = question.headers(keys.adminToken());
        String target = question.httpTarget();
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String type = headers.getOrDefault("Content-Type", List.of("")).getFirst();
        ApiResponse answer;
        try {
            answer = server.handle(new ApiRequest(question.httpMethod(), path,
                    QueryParameters.parse(mark < 0 ? null : target.substring(mark + 1)), "application/json", type, "",
                    question.body(), Credentials.of(headers, null), User.ANONYMOUS));
        } catch (StatusException e) {
            return question.verdict(e.code(), e.status().toString());
        }
        return switch (answer) {
            case ApiResponse.Stream stream -> {
                stream.feed().close();
                yield question.verdict(200, "");
            }
            case ApiResponse.Content content -> question.verdict(content.code(),
                    new String(content.body(), StandardCharsets.UTF_8));
        };
    }
}
