package dev.wheelhouse.informer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Logged;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.Sizes;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.Workloads.isComplete;
import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The service, its controllers, scheduler and hollow nodes, over HTTP to an API server that is sick for a while, as
 * users go on to change things. Afterwards everything is as it would be without the sickness, and what nobody deleted
 * is there.
 *
 * <p>A full build takes a sample. {@code -Dsize=long} takes every sickness alone, and then pairs, for ten
 * minutes; {@code -Dhostile.seed} says which pairs come first.
 */
@Tag("full")
@DisplayName("After an API server was sick, the service")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Isolated
class HostileServerTest {
    private static final Duration RECOVERY = Duration.ofMinutes(2);
    private static final boolean LONG = Sizes.isLong();
    private static final int MOST_LINES = 500;

    @TempDir
    private static Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private TestServer server;
    private HostileServer hostile;
    private RunningService service;
    private int rounds;

    @BeforeAll
    void start() throws IOException {
        server = TestServer.start(ApiServerOptions.defaults(), false, 0);
        hostile = new HostileServer(server.url());
        Path kubeconfig = Files.writeString(directory.resolve("hostile.kubeconfig"),
                server.server().kubeconfig().replace(server.url(), hostile.url()));
        // The hostile server rewrites lists and events as JSON.
        service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig,
                "--wheelhouse.kube-api-content-type=application/json",
                "--wheelhouse.manage=takeover", "--wheelhouse.nodes.count=2", "--wheelhouse.scheduler=true");
    }

    @AfterAll
    void stop() throws IOException {
        hostile.recover();
        service.close();
        hostile.close();
        server.close();
        http.close();
    }

    /** Two pairs that hurt most. */
    static Stream<List<Sickness>> sample() {
        return LONG
                ? Stream.of()
                : Stream.of(List.of(Sickness.GOES_BACK_IN_TIME, Sickness.SAYS_EXPIRED_FOR_EVER),
                        List.of(Sickness.ANSWERS_WITH_GARBAGE, Sickness.DOES_AND_SAYS_500));
    }

    @ParameterizedTest(name = "goes on as if nothing had been: {0}")
    @MethodSource("sample")
    void isAsIfNothingHadBeen(List<Sickness> sicknesses) throws Exception {
        new Round(sicknesses).run(Duration.ofMillis(1500));
    }

    @Test
    @EnabledIfSystemProperty(named = "size", matches = "long")
    void isAsIfNothingHadBeenAfterEverySicknessAloneAndAfterPairs() throws IOException {
        List<Sickness> known = Stream.of(Sickness.values()).filter(
                sickness -> sickness.name().matches(System.getProperty("hostile.only", ".*"))).toList();
        List<List<Sickness>> all = new ArrayList<>();
        for (int i = 0; i < known.size(); i++) {
            for (int j = i + 1; j < known.size(); j++) {
                all.add(List.of(known.get(i), known.get(j)));
            }
        }
        Collections.shuffle(all, new Random(Long.getLong("hostile.seed", 1)));
        if (!Boolean.getBoolean("hostile.pairs")) {
            all.addAll(0, known.stream().map(List::of).toList());
        }
        long end = System.nanoTime() + Duration.ofMinutes(Integer.getInteger("hostile.minutes", 10)).toNanos();
        Duration sick = Duration.ofMillis(Integer.getInteger("hostile.sick.millis", 2000));
        List<String> failed = new ArrayList<>();
        Path report = Path.of(System.getProperty("hostile.report", "target/hostile.txt"));
        Files.createDirectories(report.toAbsolutePath().getParent());
        Files.writeString(report, "");
        int done = 0;
        for (List<Sickness> sicknesses : all) {
            if (System.nanoTime() > end) {
                break;
            }
            String result;
            try {
                result = new Round(sicknesses).run(sick);
            } catch (Exception | AssertionError e) {
                result = "FAILED " + String.valueOf(e.getMessage()).replace('\n', ' ') + " "
                        + (e.getCause() == null ? "" : String.valueOf(e.getCause().getMessage()).replace('\n', ' '));
                failed.add(sicknesses + ": " + result);
            }
            done++;
            Files.writeString(report, sicknesses + ": " + result + "\n", java.nio.file.StandardOpenOption.APPEND);
        }
        Files.writeString(report, done + " of " + all.size() + " done\n", java.nio.file.StandardOpenOption.APPEND);
        assertThat(failed).isEmpty();
    }

    @Test
    void saysInReadinessWhatIsWrongWhileItLasts() {
        hostile.fallSick(List.of(Sickness.ANSWERS_500_BY_A_PAGE));
        eventually("readiness names caches and the answer", Duration.ofMinutes(2),
                () -> caches().contains("500") && caches().contains("It works!"));
        hostile.recover();
        eventually("the informers have nothing to complain of", RECOVERY, () -> !caches().contains("It works!"));
    }

    private String caches() throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(service.actuator() + "/informers"))
                .timeout(Duration.ofMinutes(2)).build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    /** A namespace with workloads, which change while the server is sick. */
    private final class Round {
        private final List<Sickness> sicknesses;
        private final Workloads user;
        private final ResourceClient<V1ConfigMap> maps = server.client().resource(ResourceType.CONFIG_MAPS,
                V1ConfigMap.class);
        private final ResourceClient<V1Namespace> namespaces = server.client().resource(ResourceType.NAMESPACES,
                V1Namespace.class);
        private final String doomed;
        private ObjectKey setOfDeleted = ObjectKey.cluster("unknown");

        Round(List<Sickness> sicknesses) {
            this.sicknesses = sicknesses;
            rounds++;
            user = new Workloads(server.client(), "round-" + rounds);
            doomed = "doomed-" + rounds;
        }

        String run(Duration sick) {
            prepare();
            Map<String, Set<String>> before = kept();
            int astray = hostile.ledAstray.get();
            try (Logged logged = Logged.by("dev.wheelhouse")) {
                hostile.fallSick(sicknesses);
                change();
                long until = System.nanoTime() + sick.toNanos();
                while (System.nanoTime() < until) {
                    LockSupport.parkNanos(20_000_000);
                }
                int lines = logged.lines().size();
                hostile.recover();
                long healthy = System.nanoTime();
                eventually("the end is as without " + sicknesses, RECOVERY, this::isSettled);
                Duration took = Duration.ofNanos(System.nanoTime() - healthy);
                assertThat(kept()).as("what nobody touched, after " + sicknesses).isEqualTo(before);
                assertThat(hostile.ledAstray.get()).as("requests that followed a redirect").isEqualTo(astray);
                assertThat(lines).as(() -> "log lines of " + sicknesses + ":\n" + logged.lines().stream().limit(50)
                        .collect(Collectors.joining("\n"))).isLessThan(MOST_LINES);
                Runtime runtime = Runtime.getRuntime();
                String result = "recovered in " + took.toMillis() + " ms, " + lines + " lines, "
                        + Thread.activeCount() + " threads, "
                        + (runtime.totalMemory() - runtime.freeMemory()) / 1024 / 1024 + " MB";
                cleanUp();
                return result;
            } finally {
                hostile.recover();
            }
        }

        private void prepare() {
            for (String name : List.of("kept", "scaled", "updated", "deleted")) {
                user.deployments().create(user.newDeployment(name, 2));
            }
            owned("owner-kept", "kept-1");
            owned("owner-deleted", "orphan");
            namespaces.create(new V1Namespace().metadata(new V1ObjectMeta().name(doomed)));
            maps.create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace(doomed).name("in-it")));
            for (String name : List.of("kept", "scaled", "updated", "deleted")) {
                user.awaitComplete(name);
            }
            setOfDeleted = ObjectKey.of(user.replicaSetsOf("deleted").getFirst());
        }

        private void owned(String owner, String dependent) {
            V1ConfigMap made = maps.create(
                    new V1ConfigMap().metadata(new V1ObjectMeta().namespace(user.namespace).name(owner)));
            maps.create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace(user.namespace).name(dependent)
                    .addOwnerReferencesItem(new V1OwnerReference().apiVersion("v1").kind("ConfigMap").name(owner)
                            .uid(made.getMetadata().getUid()))));
        }

        private void change() {
            user.scale("scaled", 3);
            user.setImage("updated", "app:2");
            user.delete("deleted", "Background");
            user.deployments().create(user.newDeployment("created", 2));
            maps.delete(user.key("owner-deleted"), Deletion.unconditional());
            namespaces.delete(ObjectKey.cluster(doomed), Deletion.unconditional());
        }

        private boolean isSettled() {
            List<String> open = new ArrayList<>();
            Map.of("kept", 2, "scaled", 3, "updated", 2, "created", 2).forEach((name, replicas) -> {
                if (!isComplete(user.deployment(name)) || !areRunning(user.podsLabelled(name), replicas)) {
                    open.add(Workloads.counts(user.deployment(name)) + " of " + name + ", with pods "
                            + describe(user.podsLabelled(name)));
                }
            });
            if (!user.podsLabelled("deleted").isEmpty() || !isGone(user.replicaSets(), setOfDeleted)) {
                open.add("what belonged to the deleted Deployment: " + describe(user.podsLabelled("deleted")));
            }
            if (!isGone(maps, user.key("orphan"))) {
                open.add("what belonged to the deleted ConfigMap");
            }
            if (!isGone(namespaces, ObjectKey.cluster(doomed)) || !isGone(maps, ObjectKey.of(doomed, "in-it"))) {
                open.add("the deleted namespace");
            }
            if (!open.isEmpty()) {
                throw new AssertionError("still to come: " + open);
            }
            return true;
        }

        private static boolean areRunning(List<V1Pod> pods, int count) {
            return pods.size() == count
                    && pods.stream().allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null
                            && "Running".equals(pod.getStatus().getPhase()));
        }

        private static List<String> describe(List<V1Pod> pods) {
            return pods.stream().map(pod -> pod.getMetadata().getName() + " " + pod.getStatus().getPhase()
                    + (pod.getMetadata().getDeletionTimestamp() == null ? "" : " being deleted")).toList();
        }

        /** UIDs of what is neither changed nor deleted, by kind. A lie about pods may cost pods, and nothing else. */
        private Map<String, Set<String>> kept() {
            Map<String, Set<String>> kept = new TreeMap<>();
            kept.put("Deployment", Set.of(user.deployment("kept").getMetadata().getUid()));
            kept.put("ReplicaSet", uids(user.replicaSetsOf("kept")));
            kept.put("ConfigMap", uids(List.of(maps.get(user.key("owner-kept")), maps.get(user.key("kept-1")))));
            if (sicknesses.stream().noneMatch(Sickness::lies)) {
                kept.put("Pod", uids(user.podsLabelled("kept")));
            }
            return kept;
        }

        private static Set<String> uids(List<? extends KubernetesObject> objects) {
            return objects.stream().map(object -> object.getMetadata().getUid())
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        private static boolean isGone(ResourceClient<?> of, ObjectKey key) {
            try {
                of.get(key);
                return false;
            } catch (KubeApiException e) {
                return e.isNotFound();
            }
        }

        private void cleanUp() {
            namespaces.delete(ObjectKey.cluster(user.namespace), Deletion.unconditional());
        }
    }
}
