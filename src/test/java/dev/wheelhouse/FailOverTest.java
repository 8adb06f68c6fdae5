package dev.wheelhouse;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Pod;

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
 * Two processes, of which one leads. The leader is killed, suspended, cut off or asked to end while a Deployment is
 * being scaled; the other one goes on, and a new process takes the place of the first. The figures are printed:
 * {@code -Pfailover} has 200 losses and holds the bounds.
 */
@Timeout(7200)
@Tag("processes")
class FailOverTest {
    private static final int LOSSES = Integer.getInteger("wheelhouse.failovers", 4);
    private static final boolean BOUNDS = Boolean.getBoolean("wheelhouse.failovers.bounds");
    /** The default: on a busy machine, a leader with a shorter lease loses it by itself. */
    private static final Duration LEASE = Duration.ofSeconds(15);
    /** The longest time between two attempts of a process that stands by: 2.2 times the default retry period. */
    private static final Duration ATTEMPT = Duration.ofMillis(4400);
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final ObjectKey WEB = ObjectKey.of("default", "web");
    private static final Pattern ACT = Pattern.compile("(?m)^ACT (\\d{17}) \\w+ decisions ");

    private enum Loss {
        KILLED, SUSPENDED, CUT_OFF, ASKED_TO_END
    }

    /** A process and its way to the API server. */
    private final class Replica implements AutoCloseable {
        final String name;
        final Relay relay;
        final WheelhouseProcess process;

        Replica(int number) throws IOException {
            name = "replica " + number;
            relay = new Relay(URI.create(server).getPort());
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig-" + number),
                    Files.readString(directory.resolve("wheelhouse.kubeconfig"))
                            .replace(server, "http://127.0.0.1:" + relay.port()));
            process = new WheelhouseProcess(directory, "--server.port=0", "--wheelhouse.kubeconfig=" + kubeconfig,
                    "--wheelhouse.controllers=deployment,replicaset", "--wheelhouse.leader-election.enabled=true",
                    "--logging.pattern.console=ACT %d{yyyyMMddHHmmssSSS} %level %logger{0} %msg%n");
        }

        boolean leads() {
            return process.output().contains(" leads: it holds the lease ");
        }

        void awaitStandBy() {
            eventually(name + " stands by or leads", SOON,
                    () -> leads() || process.output().contains(" stands by: "));
        }

        @Override
        public void close() throws IOException {
            process.close();
            relay.close();
        }
    }

    /** A decision that a replica logged, at a time of this machine as a number, such as 20260131120000123. */
    private record Act(long at, String replica) {}

    @TempDir
    private Path directory;

    private String server = "";
    private final List<Act> acts = new ArrayList<>();
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
            Replica leader = new Replica(0);
            Replica other = null;
            try {
                eventually("the first leads", SOON, leader::leads);
                for (int i = 1; i <= LOSSES; i++) {
                    other = new Replica(i);
                    other.awaitStandBy();
                    Loss loss = Loss.values()[i % Loss.values().length];
                    if (loss != Loss.SUSPENDED) {
                        // A leader that is suspended would log a write in flight when it wakes, as if it were late.
                        scale(deployments, 9);
                    }
                    lose(leader, loss);
                    long lost = System.nanoTime();
                    int replicas = 1 + i % 7;
                    long generation = scale(deployments, replicas);
                    eventually(other.name + " acts after " + loss, SOON, () -> observed(deployments) >= generation);
                    millis.computeIfAbsent(loss, each -> new ArrayList<>())
                            .add(Duration.ofNanos(System.nanoTime() - lost).toMillis());
                    eventually(replicas + " pods run", SOON, () -> isComplete(client, replicas));
                    end(leader, loss);
                    leader = other;
                }
                end(leader, Loss.KILLED);
            } finally {
                leader.close();
                if (other != null) {
                    other.close();
                }
            }
            report();
            requireOneAfterTheOther();
            V1Lease lease = client.resource(ResourceType.LEASES, V1Lease.class)
                    .get(ObjectKey.of("default", "wheelhouse"));
            assertThat(lease.getSpec().getLeaseTransitions()).isGreaterThanOrEqualTo(LOSSES);
        }
    }

    private static void lose(Replica leader, Loss loss) throws Exception {
        assertThat(leader.process.output()).as("the leader before it is lost").doesNotContain(" no longer leads");
        switch (loss) {
            case KILLED -> leader.process.kill();
            case SUSPENDED -> leader.process.suspend();
            case CUT_OFF -> leader.relay.cut();
            case ASKED_TO_END -> leader.process.terminate();
        }
    }

    /** Waits for the end of a lost leader, and notes its acts. */
    private void end(Replica lost, Loss loss) throws Exception {
        switch (loss) {
            case SUSPENDED -> {
                lost.process.resume();
                assertThat(lost.process.awaitExit(SOON)).as(lost.name + " wakes and ends").isEqualTo(1);
            }
            case CUT_OFF -> assertThat(lost.process.awaitExit(SOON)).as(lost.name + " ends").isEqualTo(1);
            case ASKED_TO_END -> assertThat(lost.process.awaitExit(SOON)).isEqualTo(143);
            case KILLED -> {
                lost.process.kill();
                lost.process.awaitExit(SOON);
            }
        }
        Matcher act = ACT.matcher(lost.process.output());
        while (act.find()) {
            acts.add(new Act(Long.parseLong(act.group(1)), lost.name));
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
        acts.sort((a, b) -> Long.compare(a.at, b.at));
        List<String> terms = new ArrayList<>();
        for (Act act : acts) {
            if (terms.isEmpty() || !terms.getLast().equals(act.replica)) {
                terms.add(act.replica);
            }
        }
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
            assertThat(percentile(unplanned, 99)).isLessThan(LEASE.plus(ATTEMPT).plusSeconds(2).toMillis());
            assertThat(percentile(millis.get(Loss.ASKED_TO_END), 99)).as("a graceful hand-over")
                    .isLessThan(ATTEMPT.plusSeconds(1).toMillis());
        }
    }

    private static long percentile(List<Long> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }
}
