package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.apiserver.Flow.Level;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

class FlowControlTest {
    private static final int REQUESTS = 12;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final FlowControl flows = new FlowControl(3, REQUESTS, Duration.ofMinutes(1), registry);

    private static Flow flow(String user) {
        return new Flow(Level.GLOBAL_DEFAULT, user, false);
    }

    private double rejected(String reason) {
        return registry.get("apiserver.flowcontrol.rejected.requests")
                .tags("priority_level", "global-default", "reason", reason).counter().count();
    }

    private FlowControl.Seat seat(String user) throws InterruptedException {
        FlowControl.Seat seat = flows.enter(flow(user));
        assertThat(seat).isNotNull();
        return seat;
    }

    private void waiting(int count) throws Exception {
        Eventually.eventually(count + " requests wait", Duration.ofMinutes(2),
                () -> flows.waiting(Level.GLOBAL_DEFAULT) == count);
    }

    private record Turn(String user, FlowControl.Seat seat) {}

    private void queue(String user, BlockingQueue<Turn> turns) {
        Thread.ofVirtual().start(() -> {
            try {
                turns.add(new Turn(user, flows.enter(flow(user))));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void oneSenderHoldsTwoThirdsOfTheSeatsAndAnotherIsServedAtOnce() throws Exception {
        seat("greedy");
        seat("greedy");
        queue("greedy", new LinkedBlockingQueue<>());
        waiting(1);
        seat("honest");
        assertThat(flows.executing(Level.GLOBAL_DEFAULT)).isEqualTo(3);
    }

    @Test
    void sendersTakeTurnsHoweverManyRequestsOneHas() throws Exception {
        List<FlowControl.Seat> held = new ArrayList<>();
        for (String user : List.of("a", "a", "b")) {
            held.add(seat(user));
        }
        BlockingQueue<Turn> turns = new LinkedBlockingQueue<>();
        for (int i = 1; i <= 4; i++) {
            queue("greedy", turns);
            waiting(i);
        }
        queue("honest", turns);
        waiting(5);
        held.remove(0).close();
        Turn first = turns.poll(2, TimeUnit.MINUTES);
        assertThat(first.user()).isEqualTo("greedy");
        first.seat().close();
        assertThat(turns.poll(2, TimeUnit.MINUTES).user()).as("the one that came last of five").isEqualTo("honest");
    }

    @Test
    void aSenderWithTooManyRequestsIsTurnedAwayAndAnotherIsNot() throws Exception {
        seat("greedy");
        seat("greedy");
        for (int i = 1; i <= 4; i++) {
            queue("greedy", new LinkedBlockingQueue<>());
            waiting(i);
        }
        assertThat(flows.enter(flow("greedy"))).isNull();
        seat("honest");
        assertThat(rejected("queue-full")).isEqualTo(1);
    }

    @Test
    void aRequestThatWaitsTooLongIsTurnedAwayAndLeavesNothingBehind() throws Exception {
        FlowControl impatient = new FlowControl(1, 12, Duration.ofMillis(1), registry);
        FlowControl.Seat held = impatient.enter(flow("a"));
        assertThat(impatient.enter(flow("a"))).isNull();
        assertThat(impatient.waiting(Level.GLOBAL_DEFAULT)).isZero();
        held.close();
        impatient.enter(flow("a")).close();
        assertThat(impatient.executing(Level.GLOBAL_DEFAULT)).isZero();
        assertThat(rejected("time-out")).isEqualTo(1);
    }

    @Test
    void noLevelWaitsForAnotherAndTheExemptOneNeverWaits() throws Exception {
        for (String user : List.of("a", "a", "b")) {
            seat(user);
        }
        assertThat(flows.enter(new Flow(Level.LEADER_ELECTION, "system:kube-scheduler", false))).isNotNull();
        assertThat(flows.enter(new Flow(Level.SYSTEM, "system:node:n", false))).isNotNull();
        assertThat(flows.enter(new Flow(Level.UNAUTHENTICATED, "system:anonymous", false))).isNotNull();
        assertThat(flows.enter(new Flow(Level.EXEMPT, "admin", false))).isNotNull();
    }

    @Test
    void exemptRequestsAreAtMostAsManyAsALevelHolds() throws Exception {
        List<FlowControl.Seat> taken = new ArrayList<>();
        for (FlowControl.Seat seat = exempt(); seat != null && taken.size() < 10_000; seat = exempt()) {
            taken.add(seat);
        }
        assertThat(taken).hasSize(REQUESTS);
        assertThat(flows.executing(Level.EXEMPT)).isEqualTo(REQUESTS);
        taken.getFirst().close();
        assertThat(exempt()).isNotNull();
    }

    private FlowControl.@Nullable Seat exempt() throws InterruptedException {
        return flows.enter(new Flow(Level.EXEMPT, "admin", false));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # user, group, verb, resource, open, level
            alice, system:authenticated, list, pods, false, GLOBAL_DEFAULT
            admin, system:masters, list, pods, false, EXEMPT
            system:admin, system:masters, list, pods, true, GLOBAL_DEFAULT
            system:admin, system:masters, update, leases, true, LEADER_ELECTION
            alice, system:authenticated, update, leases, false, GLOBAL_DEFAULT
            system:kube-controller-manager, system:authenticated, update, leases, false, LEADER_ELECTION
            system:kube-scheduler, system:authenticated, list, leases, false, SYSTEM
            system:node:n1, system:nodes, update, leases, false, LEADER_ELECTION
            system:node:n1, system:nodes, patch, nodes, false, SYSTEM
            system:serviceaccount:kube-system:dns, system:serviceaccounts:kube-system, list, pods, false, SYSTEM
            system:serviceaccount:default:x, system:serviceaccounts:default, list, pods, false, GLOBAL_DEFAULT
            system:anonymous, system:unauthenticated, list, pods, false, UNAUTHENTICATED
            """)
    void theLevelFollowsFromWhoAsksForWhat(String user, String group, String verb, String resource, boolean open,
            Level level) {
        User asks = user.equals("system:anonymous")
                ? User.ANONYMOUS
                : new User(user, "", List.of(group), java.util.Map.of());
        assertThat(Flow.of(asks, "agent", RequestInfo.ofResource(verb, "", resource, "", "ns", "n"), open).level())
                .isEqualTo(level);
    }

    @Test
    void probesAreExemptWhoeverSendsThem() {
        for (String path : List.of("/livez", "/readyz/ping", "/healthz", "/version")) {
            assertThat(Flow.of(User.ANONYMOUS, "", RequestInfo.ofPath("get", path), false).isProbe()).isTrue();
        }
        assertThat(Flow.of(User.ANONYMOUS, "", RequestInfo.ofPath("get", "/metrics"), false).isProbe()).isFalse();
        assertThat(Flow.of(User.ANONYMOUS, "", RequestInfo.ofPath("get", "/livezz"), false).isProbe()).isFalse();
    }
}
