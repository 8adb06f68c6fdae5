package dev.wheelhouse.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.apiserver.FuzzedRequests.Fuzzed;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends almost valid requests with almost valid credentials to a server with roles. None causes an internal error, and
 * none reads or writes an object without the right to. {@code -Dwheelhouse.fuzz=N} sets the number of requests,
 * {@code -Dwheelhouse.seed=S} the seed.
 */
class AuthFuzzTest {
    private static final int REQUESTS = Sizes.of("wheelhouse.fuzz", 3_000, 9_000, 100_000);
    private static final long SEED = Long.getLong("wheelhouse.seed", 4);
    private static final List<String> IMPERSONATION = List.of("Impersonate-User", "Impersonate-Group",
            "Impersonate-Uid", "Impersonate-Extra-Scopes", "Impersonate-Extra-%zz", "Impersonate-Extra-",
            "Impersonate-", "Impersonate-Nonsense");
    private static final List<String> NAMES = List.of("", "jane", "system:masters", "system:anonymous", "system:admin",
            "system:serviceaccount:default:default", "system:serviceaccount::", "system:serviceaccount:a", "é",
            "x".repeat(5000), "a\tb", "%", "*");

    private final Random random = new Random(SEED);
    private final ServerKeys keys = ServerKeys.inMemory();

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    @Test
    @Timeout(600)
    void nobodyGetsWhatTheyHaveNoRightTo() {
        FuzzedRequests requests = new FuzzedRequests(SEED);
        Map<String, Map<Integer, Integer>> codes = new TreeMap<>();
        List<String> failures = new ArrayList<>();
        User nobody = new User("nobody", "", List.of("system:authenticated"), Map.of());
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults().withSecurity(
                Security.of(AuthorizationMode.RBAC, Map.of("nobody-token", nobody), keys)))) {
            String account = accountToken(server);
            for (int i = 0; i < REQUESTS; i++) {
                Fuzzed fuzzed = requests.next();
                boolean admin = random.nextInt(4) == 0;
                Map<String, List<String>> headers = headers(admin, account);
                long version = server.store().version();
                int code = code(server, fuzzed, Credentials.of(headers, null), failures, headers);
                codes.computeIfAbsent(admin ? "administrator" : "others", key -> new TreeMap<>())
                        .merge(code, 1, Integer::sum);
                boolean resource = fuzzed.pathAndQuery().matches("/+(api/+[^/?]+|apis/+[^/?]+/+[^/?]+)/+[^/?].*");
                boolean review = fuzzed.pathAndQuery().contains("/selfsubject");
                if (!admin && (server.store().version() != version || code < 300 && resource && !review)) {
                    failures.add("allowed: " + headers + " " + fuzzed);
                }
            }
        }
        System.out.println("fuzzed " + REQUESTS + " requests and their senders, seed " + SEED + ": " + codes);
        assertThat(failures).isEmpty();
        assertThat(codes.get("administrator")).containsKeys(200, 201, 403, 404);
        assertThat(codes.get("others")).containsKeys(200, 401, 403);
    }

    private static String accountToken(ApiServer server) {
        server.rest().handle(ApiRequest.of("POST", "/api/v1/namespaces/default/serviceaccounts",
                "{\"metadata\": {\"name\": \"default\"}}".getBytes(StandardCharsets.UTF_8)));
        ApiResponse.Content answer = (ApiResponse.Content) server.rest().handle(ApiRequest.of("POST",
                "/api/v1/namespaces/default/serviceaccounts/default/token",
                "{\"spec\": {}}".getBytes(StandardCharsets.UTF_8)));
        return Json.text(Json.read(answer.body()), "status", "token");
    }

    private Map<String, List<String>> headers(boolean admin, String account) {
        Map<String, List<String>> headers = new TreeMap<>();
        headers.put("Authorization", List.of(admin
                ? "Bearer " + keys.adminToken()
                : any(List.of("Bearer nobody-token", "bearer nobody-token", "Bearer " + account,
                        "Bearer " + mangled(account), "Bearer " + mangled(keys.adminToken()), "Bearer", "Bearer  x",
                        "Basic YTpi", "", "é", "Bearer " + "x".repeat(20_000), "Bearer a.b.c", "Bearer ..",
                        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."))));
        while (random.nextInt(admin ? 3 : 2) == 0) {
            headers.put(any(IMPERSONATION), List.of(any(NAMES), any(NAMES)));
        }
        return headers;
    }

    private String mangled(String token) {
        int at = random.nextInt(token.length());
        char other = (char) ('0' + random.nextInt(75));
        return switch (random.nextInt(3)) {
            case 0 -> token.substring(0, at);
            case 1 ->
                token.substring(0, at) + (token.charAt(at) == other ? '~' : other) + token.substring(at + 1) + "~";
            default -> token + other;
        };
    }

    private static int code(ApiServer server, Fuzzed fuzzed, Credentials credentials, List<String> failures,
            Map<String, List<String>> headers) {
        ApiResponse answer;
        try {
            answer = server.rest().handle(ApiRequest
                    .of(fuzzed.method(), fuzzed.pathAndQuery(), fuzzed.contentType(), fuzzed.body())
                    .withAccept(fuzzed.accept()).withCredentials(credentials));
        } catch (StatusException e) {
            return e.code();
        }
        if (answer instanceof ApiResponse.Stream stream) {
            stream.feed().close();
            return 200;
        }
        ApiResponse.Content content = (ApiResponse.Content) answer;
        String text = new String(content.body(), StandardCharsets.UTF_8);
        if (content.code() >= 500 && (text.contains("Internal error occurred") || text.contains("Exception"))) {
            failures.add(headers + " " + fuzzed + "\n  -> " + text);
        }
        return content.code();
    }
}
