package dev.wheelhouse.election;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Relay;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.Sizes;
import dev.wheelhouse.WheelhouseProcess;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes of which one leads, while the others stand by with warm caches. The leader is killed, suspended, cut off or
 * asked to end while a Deployment is being scaled, and another one goes on. The figures are printed:
 * {@code -Dsize=long} has 200 losses, the default lease, and bounds.
 */
@Timeout(7200)
@Tag("processes")
@Tag("full")
class FailOverTest {
    private static final boolean BOUNDS = Sizes.isLong();
    /** A leader with a shorter lease loses it by itself on a busy machine, so the bounds are those of the default. */
    private static final Duration LEASE = BOUNDS ? Duration.ofSeconds(15) : Duration.ofSeconds(4);
    private static final List<String> ELECTION = BOUNDS
            ? List.of()
            : List.of("--wheelhouse.leader-election.lease-duration=" + LEASE.toSeconds() + "s",
                    "--wheelhouse.leader-election.renew-deadline=3500ms",
                    "--wheelhouse.leader-election.retry-period=500ms");
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final ObjectKey WEB = ObjectKey.of("default", "web");
    /** A controller's write. Events and the Lease are none. */
    private static final Pattern ACT = Pattern.compile("(?:POST|PUT|PATCH|DELETE) (?!.*/(?:events|leases)\\b).*");

    /** The losses in their order, again and again. A graceful end follows a wait, in which standbys start. */
    private static final List<Loss> ORDER = List.of(Loss.KILLED, Loss.ASKED_TO_END, Loss.SUSPENDED, Loss.CUT_OFF,
            Loss.ASKED_TO_END);

    private static final int LOSSES = Sizes.of("wheelhouse.failovers", ORDER.size(), ORDER.size(), 200);

    private enum Loss {
        KILLED, SUSPENDED, CUT_OFF, ASKED_TO_END, BY_ITSELF
    }

    /** A process and its way to the API server. */
    private final class Replica implements AutoCloseable {
        final String name;
        final Relay relay;
        final WheelhouseProcess process;

        Replica(int number) throws IOException {
            name = "replica " + number;
            relay = new Relay(URI.create(server).getPort(), line -> {
                if (ACT.matcher(line).matches()) {
                    acts.add(new Act(System.nanoTime(), name));
                }
            });
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig-" + number),
                    Files.readString(directory.resolve("wheelhouse.kubeconfig"))
                            .replace(server, "http://127.0.0.1:" + relay.port()));
            List<String> options = new ArrayList<>(ELECTION);
            options.addAll(List.of("--server.port=0", "--wheelhouse.kubeconfig=" + kubeconfig,
                    "--wheelhouse.controllers=deployment,replicaset", "--wheelhouse.leader-election.enabled=true"));
            process = new WheelhouseProcess(directory, options.toArray(String[]::new));
        }

        boolean leads() {
            return process.output().contains(" leads: it holds the lease ");
        }

        /** Whether it lost the lead by itself, because the machine was too busy for its renewals. */
        boolean hasGivenUp() {
            return process.output().contains(" no longer leads");
        }

        boolean isWarm() {
            return leads() || process.output().contains("Wheelhouse stands by, because ");
        }

        @Override
        public void close() throws IOException {
            process.close();
            relay.close();
        }
    }

    /** A write that a replica sent, at a time of {@link System#nanoTime}. */
    private record Act(long at, String replica) {}

    @TempDir
    private Path directory;

    private String server = "";
    private int started;
    private final List<Replica> standbys = new ArrayList<>();
    private final Queue<Act> acts = new ConcurrentLinkedQueue<>();
    private final Map<Loss, List<Long>> millis = new EnumMap<>(Loss.class);

    @Test
    void nothingIsLostAndNeverTwoActWhileTheLeaderIsLostAgainAndAgain() throws Exception {
        try (RunningService service = RunningService.start(directory, "--wheelhouse.controllers=",
                "--wheelhouse.nodes.pods=1000")) {
            KubeClient client = service.bean(KubeClient.class);
            server = client.server().replaceAll("/$", "");
            ResourceClient<V1Deployment> deployments = client.resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
            V1Deployment web = Workloads.web();
            web.getMetadata().setNamespace(WEB.namespace());
            deployments.create(web);
            try {
                startStandbys(2);
                for (int i = 0; i < LOSSES; i++) {
                    Replica leader = awaitLeader();
                    eventually("another is warm", SOON, () -> standbys.stream().anyMatch(Replica::isWarm));
                    lose(leader, ORDER.get(i % ORDER.size()), deployments, 1 + i % 7);
                    int replicas = 1 + i % 7;
                    eventually(replicas + " pods run", SOON, () -> isComplete(client, replicas));
                }
                end(awaitLeader(), Loss.KILLED);
            } catch (AssertionError e) {
                standbys.forEach(left -> System.out.println(left.name + ":\n" + left.process.output()));
                throw e;
            } finally {
                for (Replica left : standbys) {
                    left.close();
                }
            }
            report();
            requireOneAfterTheOther();
            V1Lease lease = client.resource(ResourceType.LEASES, V1Lease.class)
                    .get(ObjectKey.of("default", "wheelhouse"));
            assertThat(lease.getSpec().getLeaseTransitions()).isGreaterThanOrEqualTo(LOSSES);
        }
    }

    private void startStandbys(int count) throws IOException {
        while (standbys.size() < count) {
            standbys.add(new Replica(started++));
        }
    }

    /** @return the leader, which is not among the standbys any more */
    private Replica awaitLeader() throws Exception {
        Replica[] leader = new Replica[1];
        eventually("one leads", SOON, () -> {
            for (Replica each : List.copyOf(standbys)) {
                if (each.hasGivenUp()) {
                    standbys.remove(each);
                    end(each, Loss.BY_ITSELF);
                    startStandbys(2);
                } else if (each.leads()) {
                    leader[0] = each;
                }
            }
            return leader[0] != null;
        });
        standbys.remove(leader[0]);
        return leader[0];
    }

    /** Takes the leader away, asks for other replicas at once, and measures the time until another one has acted. */
    private void lose(Replica leader, Loss loss, ResourceClient<V1Deployment> deployments, int replicas)
            throws Exception {
        if (loss == Loss.SUSPENDED) {
            // Suspended between its look at the lease and a request, a leader would send that when it wakes.
            eventually(leader.name + " is at rest", SOON, () -> acts.stream()
                    .allMatch(act -> System.nanoTime() - act.at > Duration.ofMillis(500).toNanos()));
        } else {
            scale(deployments, 9);
        }
        strike(leader, loss);
        long lost = System.nanoTime();
        long generation = scale(deployments, replicas);
        if (loss != Loss.ASKED_TO_END) {
            startStandbys(3);
        }
        eventually("another acts after " + leader.name + " was " + loss, SOON,
                () -> observed(deployments) >= generation);
        millis.computeIfAbsent(loss, each -> new ArrayList<>())
                .add(Duration.ofNanos(System.nanoTime() - lost).toMillis());
        startStandbys(2);
        end(leader, loss);
    }

    private static void strike(Replica leader, Loss loss) throws Exception {
        switch (loss) {
            case BY_ITSELF -> throw new IllegalArgumentException("nobody does that");
            case KILLED -> leader.process.kill();
            case SUSPENDED -> leader.process.suspend();
            case CUT_OFF -> leader.relay.cut();
            case ASKED_TO_END -> leader.process.terminate();
        }
    }

    /** Waits for the end of a lost leader. */
    private void end(Replica lost, Loss loss) throws Exception {
        switch (loss) {
            case SUSPENDED -> {
                lost.process.resume();
                assertThat(lost.process.awaitExit(SOON)).as(lost.name + " wakes and ends").isEqualTo(1);
            }
            case CUT_OFF, BY_ITSELF -> assertThat(lost.process.awaitExit(SOON)).as(lost.name + " ends").isEqualTo(1);
            // On a busy machine it may have lost the lead just before.
            case ASKED_TO_END -> assertThat(lost.process.awaitExit(SOON)).isEqualTo(lost.hasGivenUp() ? 1 : 143);
            case KILLED -> {
                lost.process.kill();
                lost.process.awaitExit(SOON);
            }
        }
        lost.close();
    }

    /** @return the generation after that */
    @CanIgnoreReturnValue
    private static long scale(ResourceClient<V1Deployment> deployments, int replicas) {
        return deployments.patch(WEB, "", PatchType.MERGE, "{\"spec\":{\"replicas\":" + replicas + "}}").getMetadata()
                .getGeneration();
    }

    private static long observed(ResourceClient<V1Deployment> deployments) {
        var status = deployments.get(WEB).getStatus();
        Long observed = status == null ? null : status.getObservedGeneration();
        return observed == null ? 0 : observed;
    }

    private static boolean isComplete(KubeClient client, int replicas) {
        List<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class).list("default", LabelSelector.everything(),
                FieldSelector.everything(), ListOptions.consistent(0)).items();
        var status = client.resource(ResourceType.DEPLOYMENTS, V1Deployment.class).get(WEB).getStatus();
        return pods.size() == replicas && status != null && Integer.valueOf(replicas).equals(status.getReadyReplicas());
    }

    private void requireOneAfterTheOther() {
        List<String> terms = new ArrayList<>();
        acts.stream().sorted((a, b) -> Long.compare(a.at, b.at)).map(Act::replica).forEach(replica -> {
            if (terms.isEmpty() || !terms.getLast().equals(replica)) {
                terms.add(replica);
            }
        });
        assertThat(terms).as("each replica acts in one term only").doesNotHaveDuplicates()
                .hasSizeGreaterThan(LOSSES / 2);
    }

    private void report() {
        List<Long> unplanned = new ArrayList<>();
        millis.forEach((loss, each) -> {
            Collections.sort(each);
            System.out.printf("%s: %d times, p50 %d ms, p99 %d ms, longest %d ms%n", loss, each.size(),
                    percentile(each, 50), percentile(each, 99), each.getLast());
            if (loss != Loss.ASKED_TO_END) {
                unplanned.addAll(each);
            }
        });
        Collections.sort(unplanned);
        System.out.printf("fail-over with a lease of %d ms: p50 %d ms, p99 %d ms%n", LEASE.toMillis(),
                percentile(unplanned, 50), percentile(unplanned, 99));
        if (BOUNDS) {
            assertThat(percentile(unplanned, 99)).isLessThan(LEASE.plusSeconds(2).toMillis());
            assertThat(percentile(millis.get(Loss.ASKED_TO_END), 99)).as("a graceful hand-over").isLessThan(1000);
        }
    }

    private static long percentile(List<Long> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }
}
