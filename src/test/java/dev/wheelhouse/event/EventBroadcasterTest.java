package dev.wheelhouse.event;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EventBroadcasterTest {
    private final Cluster cluster = new Cluster();
    private final List<String> dropped = new ArrayList<>();
    private final EventBroadcaster broadcaster = new EventBroadcaster(cluster.client(), cluster.clock,
            new EventMetrics() {
                @Override
                public void dropped(String component, String why) {
                    dropped.add(why);
                }
            });
    private final EventRecorder recorder = broadcaster.recorder("replicaset-controller");

    @BeforeEach
    void createNamespace() {
        cluster.create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: shop}}");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static V1Pod pod(String name) {
        return new V1Pod().metadata(
                new V1ObjectMeta().namespace("shop").name(name).uid("uid-" + name).resourceVersion("7"));
    }

    private void report(String name, String message) {
        recorder.event(ResourceType.PODS, pod(name), EventRecorder.NORMAL, "Tested", message);
    }

    private long write() {
        long wait = Loop.BUSY;
        for (int i = 0; i < 5000 && wait == Loop.BUSY; i++) {
            wait = broadcaster.step();
        }
        return wait;
    }

    private List<CoreV1Event> written() {
        return cluster.all(ResourceType.EVENTS, CoreV1Event.class);
    }

    private CoreV1Event only() {
        assertThat(written()).hasSize(1);
        return written().get(0);
    }

    @Test
    void anEventAboutAPartOfAnObjectNamesIt() {
        recorder.event(ResourceType.PODS, pod("web-1"), "spec.containers{web}", EventRecorder.NORMAL, "Started",
                "it runs");
        write();

        assertThat(only().getInvolvedObject().getFieldPath()).isEqualTo("spec.containers{web}");
    }

    @Test
    void anEventSaysWhatHappenedToWhomAndWhoSaysSo() {
        report("web-1", "it was tested");
        assertThat(written()).isEmpty();
        assertThat(write()).isEqualTo(Loop.IDLE);
        CoreV1Event event = only();
        assertThat(event.getMetadata().getNamespace()).isEqualTo("shop");
        long nanos = cluster.clock.now().getEpochSecond() * 1_000_000_000L;
        assertThat(event.getMetadata().getName()).isEqualTo("web-1." + Long.toHexString(nanos));
        assertThat(event.getInvolvedObject()).isEqualTo(new V1ObjectReference().apiVersion("v1").kind("Pod")
                .namespace("shop").name("web-1").uid("uid-web-1").resourceVersion("7"));
        assertThat(event.getType()).isEqualTo("Normal");
        assertThat(event.getReason()).isEqualTo("Tested");
        assertThat(event.getMessage()).isEqualTo("it was tested");
        assertThat(event.getSource().getComponent()).isEqualTo("replicaset-controller");
        assertThat(event.getReportingComponent()).isEqualTo("replicaset-controller");
        assertThat(event.getCount()).isEqualTo(1);
        assertThat(event.getFirstTimestamp().toInstant()).isEqualTo(cluster.clock.now());
        assertThat(event.getLastTimestamp()).isEqualTo(event.getFirstTimestamp());
    }

    @Test
    void anEventAboutAClusterScopedObjectGoesToTheDefaultNamespace() {
        recorder.event(ResourceType.NODES, new V1Node().metadata(new V1ObjectMeta().name("node-1")), "Normal", "Up",
                "");
        write();
        assertThat(only().getMetadata().getNamespace()).isEqualTo("default");
        assertThat(only().getInvolvedObject().getNamespace()).isNull();
    }

    @Test
    void eventsOfOneMomentHaveNamesOfTheirOwn() {
        report("web-1", "first");
        report("web-1", "second");
        write();
        assertThat(written()).hasSize(2);
    }

    @Test
    void theSameEventAgainRaisesTheCountOfTheFirst() {
        report("web-1", "again");
        write();
        cluster.clock.advance(Duration.ofSeconds(30));
        report("web-1", "again");
        report("web-1", "again");
        write();
        CoreV1Event event = only();
        assertThat(event.getCount()).isEqualTo(3);
        assertThat(Duration.between(event.getFirstTimestamp(), event.getLastTimestamp()))
                .isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void anEventThatHasExpiredMeanwhileIsMadeAnewWithItsCount() {
        report("web-1", "again");
        write();
        cluster.remove(ResourceType.EVENTS, ObjectKey.of(only()));
        report("web-1", "again");
        write();
        assertThat(only().getCount()).isEqualTo(2);
    }

    @Test
    void fromTheTenthOnEventsThatDifferInTheirMessageAloneBecomeOne() {
        for (int i = 1; i <= 15; i++) {
            report("web-1", "message " + i);
        }
        write();
        assertThat(written()).hasSize(10);
        assertThat(written()).filteredOn(e -> e.getMessage().startsWith("(combined from similar events): "))
                .singleElement()
                .matches(e -> e.getCount() == 6 && e.getMessage().endsWith("message 15"));
    }

    @Test
    void similarEventsAfterTenQuietMinutesStandAloneAgain() {
        for (int i = 1; i <= 12; i++) {
            report("web-1", "message " + i);
        }
        write();
        cluster.clock.advance(Duration.ofMinutes(11));
        report("web-1", "message 13");
        write();
        assertThat(written()).anyMatch(e -> e.getMessage().equals("message 13"));
    }

    @Test
    void afterTwentyFiveAboutOneObjectThereIsOneInFiveMinutes() {
        for (int i = 0; i < 40; i++) {
            report("noisy", "again");
            report("other-" + i, "once");
        }
        write();
        assertThat(written()).filteredOn(e -> e.getInvolvedObject().getName().equals("noisy")).singleElement()
                .matches(e -> e.getCount() == 25);
        assertThat(written()).hasSize(41);
        assertThat(dropped).hasSize(15).containsOnly("spam");
        cluster.clock.advance(Duration.ofMinutes(5));
        report("noisy", "again");
        report("noisy", "again");
        write();
        assertThat(dropped).hasSize(16);
    }

    @Test
    void partsOfAnObjectShareItsBudgetAndAreCombinedTogether() {
        for (int i = 0; i < 40; i++) {
            recorder.event(ResourceType.PODS, pod("web-1"), "spec.containers{c" + i + "}", EventRecorder.NORMAL,
                    "Pulling", "image " + i);
        }
        write();
        assertThat(written()).hasSize(10);
        assertThat(dropped).hasSize(15).containsOnly("spam");
    }

    @Test
    void aServerThatDoesNotAnswerIsTriedAgainLater() {
        int[] failures = {2};
        cluster.requests
                .fault((verb, type,
                        key) -> failures[0]-- > 0 ? new KubeApiException(verb, new IOException("down")) : null);
        report("web-1", "patience");
        assertThat(write()).isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(broadcaster.step()).isEqualTo(Duration.ofSeconds(1).toNanos());
        cluster.clock.advance(Duration.ofSeconds(1));
        assertThat(write()).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(broadcaster.isIdle()).isFalse();
        cluster.clock.advance(Duration.ofSeconds(10));
        write();
        assertThat(written()).hasSize(1);
        assertThat(broadcaster.isIdle()).isTrue();
    }

    @Test
    void anEventThatTheServerRefusesIsGivenUpAtOnceAndOneThatItNeverHearsOfAfterTwelveTries() {
        cluster.requests.fault((verb, type, key) -> new KubeApiException(verb, 403, "Forbidden", "no", null));
        report("web-1", "refused");
        assertThat(write()).isEqualTo(Loop.IDLE);
        cluster.requests.fault((verb, type, key) -> new KubeApiException(verb, new IOException("down")));
        report("web-1", "unheard");
        for (int i = 0; i < 12; i++) {
            write();
            cluster.clock.advance(Duration.ofSeconds(10));
        }
        assertThat(broadcaster.isIdle()).isTrue();
        assertThat(dropped).containsExactly("rejected", "unreachable");
    }

    /** An error for the Events about one pod, and whether such an Event is tried again. */
    private static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of(new KubeApiException("create", new IOException("garbage")), true),
                Arguments.of(KubeApiException.unreachable("create", new ConnectException("refused")), true),
                Arguments.of(new KubeApiException("create", 429, "TooManyRequests", "", Duration.ofSeconds(1)), true),
                Arguments.of(new KubeApiException("create", 503, "ServiceUnavailable", "", Duration.ofSeconds(30)),
                        true),
                Arguments.of(new KubeApiException("create", 429, "TooManyRequests", "", null), false),
                Arguments.of(new KubeApiException("create", 400, "BadRequest", "", null), false),
                Arguments.of(new KubeApiException("create", 403, "Forbidden", "", Duration.ofSeconds(1)), false),
                Arguments.of(new KubeApiException("create", 422, "Invalid", "", null), false),
                Arguments.of(new KubeApiException("create", 500, "InternalError", "", null), false),
                Arguments.of(new KubeApiException("create", 503, "", "", null), false),
                Arguments.of(new KubeApiException("create", 504, "Timeout", "", null), false));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void anEventThatFailsDelaysNoOtherWhateverTheAnswerIs(KubeApiException answer, boolean again) {
        cluster.requests.fault((verb, type, key) -> key.name().startsWith("bad") ? answer : null);
        report("bad", "fails");
        report("web-1", "goes on");
        write();
        report("web-2", "goes on");
        write();
        assertThat(written()).extracting(e -> e.getInvolvedObject().getName()).containsExactly("web-1", "web-2");
        assertThat(broadcaster.isIdle()).isNotEqualTo(again);
        assertThat(dropped).isEqualTo(again ? List.of() : List.of("rejected"));
        cluster.requests.noFault();
        cluster.clock.advance(Duration.ofSeconds(30));
        write();
        assertThat(written()).hasSize(again ? 3 : 2);
    }

    @Test
    void anEventThatCannotEvenBeSentIsDroppedAndTheNextGoesOn() {
        cluster.requests.fault((verb, type, key) -> {
            if (key.name().startsWith("bad")) {
                throw new IllegalStateException("cannot be encoded");
            }
            return null;
        });
        report("bad", "fails");
        report("web-1", "goes on");
        assertThatThrownBy(this::write).hasMessage("cannot be encoded");
        write();
        assertThat(written()).hasSize(1);
        assertThat(broadcaster.isIdle()).isTrue();
    }

    @Test
    void aServerThatFailsForEveryEventIsAskedOnceASecond() {
        int[] asked = {0};
        cluster.requests.fault((verb, type, key) -> {
            asked[0]++;
            return new KubeApiException(verb, new IOException("down"));
        });
        for (int i = 0; i < 500; i++) {
            report("web-" + i, "unheard");
        }
        for (int second = 0; second < 60; second++) {
            write();
            cluster.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(asked[0]).isBetween(55, 62);
        assertThat(dropped).isEmpty();
        cluster.requests.noFault();
        write();
        cluster.clock.advance(Duration.ofSeconds(10));
        write();
        assertThat(written()).hasSize(500);
    }

    @Test
    void aRepetitionOfAnEventThatWaitsIsWrittenWithItAndNotBefore() {
        cluster.requests.fault((verb, type, key) -> new KubeApiException(verb, new IOException("down")));
        report("web-1", "again");
        write();
        report("web-1", "again");
        report("web-1", "again");
        assertThat(write()).isPositive();
        cluster.requests.noFault();
        cluster.clock.advance(Duration.ofSeconds(1));
        write();
        assertThat(only().getCount()).isEqualTo(3);
        assertThat(broadcaster.isIdle()).isTrue();
    }

    @Test
    void reportingNeverWaitsAndWhatDoesNotFitIsDropped() {
        for (int i = 0; i < 1200; i++) {
            report("web-" + i, "flood");
        }
        assertThat(dropped).hasSize(200).containsOnly("buffer_full");
        write();
        assertThat(written()).hasSize(1000);
    }

    @Test
    void aDrainWritesWhatIsBufferedAndTellsWhatIsLost() throws Exception {
        report("web-1", "one");
        report("web-2", "two");
        assertThat(broadcaster.drain(Duration.ofSeconds(5))).isZero();
        assertThat(written()).hasSize(2);
        report("web-3", "too late");
        assertThat(broadcaster.step()).isEqualTo(Loop.IDLE);
        assertThat(dropped).containsExactly("buffer_full");
    }

    @Test
    void aDrainEndsAtItsDeadlineThoughTheServerIsSlow() throws Exception {
        cluster.requests.fault(new Requests.Fault() {
            @Override
            public @Nullable KubeApiException before(String verb, ResourceType type, ObjectKey key) {
                cluster.clock.advance(Duration.ofSeconds(2));
                return null;
            }
        });
        for (int i = 0; i < 5; i++) {
            report("web-" + i, "slow");
        }
        assertThat(broadcaster.drain(Duration.ofSeconds(3))).isEqualTo(3);
        assertThat(written()).hasSize(2);
    }

    @Test
    void anObjectWhoseNameIsNoDnsNameGetsAnEventAllTheSame() {
        recorder.event(ResourceType.PODS, pod("system:admin"), "Normal", "Tested", "odd");
        recorder.event(ResourceType.PODS, pod("x".repeat(250)), "Normal", "Tested", "long");
        write();
        assertThat(written()).hasSize(2).allMatch(e -> e.getMetadata().getName().startsWith("event."));
    }

    @Test
    void aMessageIsCutBecauseItMayContainTheTextOfAnObjectAndIsRemembered() {
        report("web-1", "selector: " + "x".repeat(1_000_000));
        write();
        assertThat(written()).singleElement()
                .satisfies(e -> assertThat(e.getMessage()).startsWith("selector: x").endsWith("x…").hasSize(4096));
    }
}
