package dev.wheelhouse.apiserver.auth;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.Sizes;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random questions of who may do what, put to this server and to a real kube-apiserver with the same random roles. All
 * questions go over HTTP, as the spelling of a path is part of the question. {@code -Dauthorization.pairs=N} says how
 * many; {@code -Dsize=long} asks 100,000. {@code -Dauthorization.table=FILE} writes what both servers
 * decided as the table that {@link AuthorizationTableTest} replays.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(3600)
class AuthorizationDifferentialTest {
    private static final int PAIRS = Sizes.of("authorization.pairs", 2_000, 2_000, 100_000);
    private static final long SEED = Long.getLong("authorization.seed", 1);
    private static final @Nullable String TABLE = System.getProperty("authorization.table");
    private static final int PAIRS_OF_A_WORLD = Integer.getInteger("authorization.world", 1_000);
    private static final int SHOWN = 60;
    private static final int CONNECTIONS = 4;
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    private static Path directory;

    private final ServerKeys keys = ServerKeys.inMemory();
    private final ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<String> differences = new ArrayList<>();
    private final List<String> table = new ArrayList<>();
    private List<Pair> connections = List.of();
    private RealApiServer real;
    private ApiServer ours;

    private static RawHttp wire(int port, boolean tls) {
        return new RawHttp("127.0.0.1", port, tls, 20_000);
    }

    /** Connections of one thread. */
    private record Pair(Server real, Server ours) {}

    private record Server(RawHttp client, int port, String token) {
        RawHttp.Answer send(AuthorizationQuestion question) throws IOException {
            return send(question.httpMethod(), question.httpTarget(), question.headers(token), question.body(),
                    question.mayBeWatch());
        }

        String verdict(AuthorizationQuestion question) throws IOException {
            RawHttp.Answer answer = send(question);
            return question.verdict(answer.code(), answer.body());
        }

        RawHttp.Answer admin(String method, String target, String body) throws IOException {
            return send(method, target,
                    Map.of("Authorization", List.of("Bearer " + token), "Content-Type", List.of("application/json")),
                    body.getBytes(StandardCharsets.UTF_8), false);
        }

        private RawHttp.Answer send(String method, String target, Map<String, List<String>> headers, byte[] body,
                boolean isStream) throws IOException {
            StringBuilder head = new StringBuilder(method).append(' ').append(target)
                    .append(" HTTP/1.1\r\nHost: 127.0.0.1:").append(port).append("\r\n");
            headers.forEach((name, values) -> values
                    .forEach(value -> head.append(name).append(": ").append(value).append("\r\n")));
            head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            request.writeBytes(body);
            return client.exchange(method, request.toByteArray(), isStream);
        }

        void create(ObjectNode object) throws IOException {
            RawHttp.Answer answer = admin("POST", RoleTable.collection(object), object.toString());
            if (answer.code() != 201) {
                throw new IOException(answer.code() + " " + answer.body() + " to " + object);
            }
        }
    }

    @BeforeAll
    void start() throws Exception {
        real = RealApiServer.startOrSkip(directory);
        ours = new ApiServer(ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.RBAC, Map.of(), keys))).start();
        connections = IntStream.range(0, CONNECTIONS)
                .mapToObj(i -> new Pair(new Server(wire(real.port(), true), real.port(), RealApiServer.TOKEN),
                        new Server(wire(ours.port(), false), ours.port(), keys.adminToken())))
                .toList();
        eventually("the real server is ready", SOON, () -> connections.getFirst().real
                .admin("GET", "/readyz", "").code() == 200);
        for (String namespace : List.of("team-a", "team-b")) {
            String object = "{\"metadata\": {\"name\": \"" + namespace + "\"}}";
            assertThat(connections.getFirst().real.admin("POST", "/api/v1/namespaces", object).code()).isEqualTo(201);
            assertThat(connections.getFirst().ours.admin("POST", "/api/v1/namespaces", object).code()).isEqualTo(201);
        }
    }

    @AfterAll
    void stop() throws Exception {
        threads.shutdownNow();
        for (Pair pair : connections) {
            pair.real.client.close();
            pair.ours.client.close();
        }
        if (ours != null) {
            ours.close();
        }
        if (real != null) {
            real.close();
        }
    }

    @Test
    void bothServersDecideAlike() throws Exception {
        for (int asked = 0, number = 0; asked < PAIRS; number++) {
            int questions = Math.min(PAIRS_OF_A_WORLD, PAIRS - asked);
            world(number, questions);
            asked += questions;
        }
        if (TABLE != null) {
            Files.write(Path.of(TABLE), table);
        }
        System.out.println("asked " + PAIRS + " questions, seed " + SEED + ": " + counts);
        differences.stream().limit(SHOWN).forEach(System.out::println);
        assertThat(differences).isEmpty();
    }

    private void world(int number, int questions) throws Exception {
        AuthorizationWorld world = new AuthorizationWorld(SEED, number);
        Pair first = connections.getFirst();
        for (Server server : List.of(first.real, first.ours)) {
            for (ObjectNode object : world.objects()) {
                server.create(object);
            }
        }
        markAndWait(first, number);
        List<AuthorizationQuestion> all = new ArrayList<>();
        for (int i = 0; i < questions; i++) {
            all.add(i % 2 == 0 ? world.review() : world.request());
        }
        List<String> rows = ask(all, number);
        if (TABLE != null) {
            world.objects().forEach(object -> table.add(RoleTable.line(object)));
            table.addAll(rows);
            table.add("end");
        }
        for (Server server : List.of(first.real, first.ours)) {
            for (String kind : List.of("clusterrolebindings", "clusterroles")) {
                remove(server, kind, number);
            }
            for (String namespace : List.of("team-a", "team-b", "default", "kube-system")) {
                remove(server, "namespaces/" + namespace + "/rolebindings", number);
                remove(server, "namespaces/" + namespace + "/roles", number);
            }
        }
    }

    private static void remove(Server server, String collection, int number) throws IOException {
        assertThat(server.admin("DELETE", "/apis/rbac.authorization.k8s.io/v1/" + collection + "?labelSelector=world%3D"
                + number, "").code()).isEqualTo(200);
    }

    /** The real server learns of roles later: what it learns of last, in each of the four resources, is a mark. */
    private static void markAndWait(Pair pair, int number) throws IOException {
        String mark = "mark-" + number;
        for (String namespace : List.of("", "team-a")) {
            String kind = namespace.isEmpty() ? "ClusterRole" : "Role";
            ObjectNode role = RoleTable.parse(List.of(kind, namespace.isEmpty() ? "-" : namespace, mark,
                    "verbs=get groups=mark resources=" + mark + namespace));
            ObjectNode binding = RoleTable.parse(List.of(kind + "Binding", namespace.isEmpty() ? "-" : namespace, mark,
                    kind, mark, "User - mark"));
            for (ObjectNode object : List.of(role, binding)) {
                Json.child(object, "metadata").putObject("labels").put("world", String.valueOf(number));
                pair.real.create(object);
            }
        }
        for (String namespace : List.of("", "team-a")) {
            AuthorizationQuestion question = AuthorizationQuestion.review("subject", "mark", List.of(), Map.of("verb",
                    "get", "group", "mark", "resource", mark + namespace, "namespace", namespace));
            eventually("the real server knows the roles of world " + number, SOON,
                    () -> pair.real.verdict(question).equals("yes"));
        }
    }

    /** @return the rows of the table */
    private List<String> ask(List<AuthorizationQuestion> questions, int number) throws Exception {
        List<Callable<List<String[]>>> tasks = new ArrayList<>();
        for (int thread = 0; thread < CONNECTIONS; thread++) {
            int from = thread;
            tasks.add(() -> {
                List<String[]> verdicts = new ArrayList<>();
                for (int i = from; i < questions.size(); i += CONNECTIONS) {
                    verdicts.add(ask(connections.get(from), questions.get(i)));
                }
                return verdicts;
            });
        }
        List<Future<List<String[]>>> answers = threads.invokeAll(tasks);
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < questions.size(); i++) {
            AuthorizationQuestion question = questions.get(i);
            String[] verdicts = answers.get(i % CONNECTIONS).get().get(i / CONNECTIONS);
            String kind = question.isReview() ? "reviews" : "requests";
            counts.merge(kind + " " + verdicts[0], 1, Integer::sum);
            if (verdicts[2].contains("unsafeproxy")) {
                // A distribution's own kube-apiserver, which has another verb for proxies than Kubernetes.
                counts.merge("another verb", 1, Integer::sum);
                continue;
            }
            if (verdicts[1].equals("unread") && !verdicts[2].startsWith("2")) {
                // Such as a path with a null character, which leads nowhere on either server.
                counts.merge("unread by ours alone", verdicts[0].equals("unread") ? 0 : 1, Integer::sum);
            } else if (!verdicts[0].equals(verdicts[1])) {
                differences.add("world " + number + ": real " + verdicts[0] + ", ours " + verdicts[1] + ": " + question
                        + "\n    " + verdicts[2] + "\n    " + verdicts[3]);
            } else if (!verdicts[2].substring(0, 3).equals(verdicts[3].substring(0, 3))) {
                counts.merge("other code", 1, Integer::sum);
                if (Boolean.getBoolean("authorization.codes")) {
                    System.out.println("CODE " + verdicts[2].substring(0, 3) + " " + verdicts[3].substring(0, 3) + " "
                            + question);
                }
            }
            if (verdicts[0].equals(verdicts[1])) {
                rows.add(verdicts[0] + "\t" + question);
            }
        }
        return rows;
    }

    private static String[] ask(Pair pair, AuthorizationQuestion question) throws IOException {
        RawHttp.Answer theirs = pair.real.send(question);
        RawHttp.Answer mine = pair.ours.send(question);
        return new String[]{question.verdict(theirs.code(), theirs.body()),
                question.verdict(mine.code(), mine.body()), shown(theirs), shown(mine)};
    }

    private static String shown(RawHttp.Answer answer) {
        JsonNode body = answer.body().startsWith("{") ? Json.read(answer.body()) : Json.object();
        String text = answer.code() == 201 ? body.path("status").toString() : Json.text(body, "message");
        return answer.code() + " " + (text.isEmpty() ? answer.body().replace('\n', ' ') : text);
    }
}
