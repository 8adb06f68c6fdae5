package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

class ApiActionExecutorTest {
    private static final ObjectKey OWNER = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();
    private final ConsistencyStore consistency = new ConsistencyStore(cluster.clock);
    private final List<String> counted = new ArrayList<>();
    private final Journal journal = new Journal(cluster.clock, Journal.DEFAULT_BYTES);
    private boolean leads = true;
    private final ApiActionExecutor executor = new ApiActionExecutor("test", cluster.client(), consistency,
            cluster.recorder("test"), Parallel.inOrder(), () -> leads, new ControllerMetrics(Meters.NONE) {
                @Override
                public void written(String controller, String verb, ResourceType type, int code) {
                    counted.add(verb + " " + type + " " + code);
                }
            }, journal);

    ApiActionExecutorTest() {
        consistency.register(ResourceType.PODS, cluster.informers().informer(ResourceType.PODS, V1Pod.class));
        cluster.deliver();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private static Action.Create create(String name) {
        return new Action.Create(ResourceType.PODS, Manifests.pod(name), "a test wants it");
    }

    private Outcome execute(Action... actions) {
        return executor.execute(OWNER, List.of(actions));
    }

    private V1Pod only() {
        return cluster.all(ResourceType.PODS, V1Pod.class).get(0);
    }

    private void refuse(String name, int code, String reason) {
        cluster.requests.fault((verb, type, key) -> key.name().equals(name)
                ? new KubeApiException(verb + " " + key, code, reason, "refused", null)
                : null);
    }

    @Test
    void whoLeadsNoMoreWritesNothing() {
        leads = false;
        Outcome outcome = execute(create("web-1"));
        assertThat(outcome.error()).hasMessageEndingWith("this process no longer leads, so it writes nothing");
        assertThat(outcome.toResult()).isInstanceOf(Result.Retry.class);
        assertThat(consistency.unsettled(OWNER)).isEmpty();
        leads = true;
        assertThat(execute(create("web-1")).succeeded()).as("it was not made before").isTrue();
    }

    @Test
    void actionsAreCarriedOutInTheirOrder() {
        Outcome outcome = execute(create("a"),
                new Action.Event(ResourceType.PODS, Manifests.pod("a"), "Normal", "Made", "it is there"),
                new Action.Patch(ResourceType.PODS, ObjectKey.of("default", "a"), "", PatchType.STRATEGIC_MERGE,
                        "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", "label it"),
                new Action.RequeueAfter(Duration.ofSeconds(9)), new Action.RequeueAfter(Duration.ofSeconds(3)));
        assertThat(outcome.succeeded()).isTrue();
        assertThat(outcome.written()).hasSize(2);
        assertThat(only().getMetadata().getLabels()).containsExactly(Map.entry("x", "y"));
        assertThat(cluster.eventTexts()).containsExactly("Normal Made it is there");
        assertThat(outcome.toResult()).isEqualTo(Result.requeueAfter(Duration.ofSeconds(3)));
        assertThat(counted).containsExactly("create pods 201", "patch pods 200");
    }

    @Test
    void anUpdateWithoutAVersionIsAMistakeAndIsNotSent() {
        execute(create("a"));
        cluster.requests.take();
        V1Pod pod = only();
        pod.getMetadata().setResourceVersion(null);
        Outcome outcome = execute(new Action.Update(ResourceType.PODS, pod, "why not"));
        assertThat(outcome.error()).hasMessage("update pods default/a: 400 NotSent: the object has no "
                + "metadata.resourceVersion; an update needs the version that it was decided on, so update a copy of "
                + "the object that was read");
        assertThat(cluster.requests.take()).isEmpty();
        assertThat(consistency.unsettled(OWNER)).isEmpty();
    }

    @Test
    void anObjectOfAnotherTypeIsNotSent() {
        Outcome outcome = execute(new Action.Create(ResourceType.SERVICES, Manifests.pod("a"), "why not"));
        assertThat(outcome.error()).hasMessageStartingWith("create services default/a: 400 NotSent: the object is a "
                + "V1Pod").hasMessageEndingWith("write it with its own ResourceType");
        V1Pod role = new V1Pod().kind("Service").metadata(new V1ObjectMeta().name("a").namespace("default"));
        assertThat(execute(new Action.Create(ResourceType.PODS, role, "why not")).error()).isNotNull();
        assertThat(cluster.requests.take()).isEmpty();
        assertThat(consistency.unsettled(OWNER)).isEmpty();
    }

    @Test
    void theFirstFailureStopsWhatFollows() {
        refuse("b", 403, "Forbidden");
        Outcome outcome = execute(create("a"), create("b"), create("c"),
                Action.Batch.slowStart(List.of(create("d"), create("e"))),
                new Action.Event(ResourceType.PODS, Manifests.pod("a"), "Normal", "Made", "never told"));
        assertThat(outcome.error()).isNotNull();
        assertThat(outcome.failed()).isEqualTo(create("b"));
        assertThat(outcome.attempts()).hasSize(2);
        assertThat(outcome.toResult()).isInstanceOf(Result.Retry.class);
        assertThat(cluster.eventTexts()).isEmpty();
        assertThat(counted).containsExactly("create pods 201", "create pods 403");
    }

    @Test
    void aBatchStartsSlowlyAndAFailureSkipsTheRestOfIt() {
        refuse("c", 403, "Forbidden");
        List<Action.Write> writes = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d", "e")) {
            writes.add(create(name));
        }
        Outcome outcome = execute(Action.Batch.slowStart(writes));
        assertThat(outcome.written()).hasSize(2);
        assertThat(outcome.attempts()).hasSize(3);
        assertThat(cluster.requests.take()).containsExactly("create pods default/a", "create pods default/b",
                "create pods default/c");
    }

    @Test
    void inABatchOfEachAFailureKeepsNoOtherFromBeingDoneButStopsWhatFollows() {
        refuse("a", 403, "Forbidden");
        Outcome outcome = execute(Action.Batch.each(List.of(create("a"), create("b"), create("c"))), create("d"));
        assertThat(outcome.failed()).isEqualTo(create("a"));
        assertThat(outcome.written()).hasSize(2);
        assertThat(outcome.attempts()).hasSize(3);
        assertThat(cluster.requests.take()).containsExactly("create pods default/a", "create pods default/b",
                "create pods default/c");
    }

    @Test
    void aConflictIsNotRetriedHere() {
        V1Pod stored = cluster.create(ResourceType.PODS, Manifests.pod("a"));
        cluster.user().resource(ResourceType.PODS, V1Pod.class).patch(ObjectKey.of("default", "a"), "", PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
        cluster.requests.take();
        Outcome outcome = execute(new Action.UpdateStatus(ResourceType.PODS,
                stored.status(new V1PodStatus().phase("Running")), "report"));
        assertThat(outcome.error()).isNotNull();
        assertThat(outcome.error().isConflict()).isTrue();
        assertThat(cluster.requests.take()).hasSize(1);
    }

    @Test
    void afterAConflictTheOwnerIsHeldBackUntilTheCacheShowsWhatItWasAbout() {
        V1Pod stored = cluster.create(ResourceType.PODS, Manifests.pod("a"));
        cluster.deliver();
        cluster.user().resource(ResourceType.PODS, V1Pod.class).patch(ObjectKey.of("default", "a"), "", PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
        execute(new Action.Update(ResourceType.PODS, stored, "on an old view"));
        assertThat(consistency.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(consistency.check(OWNER)).isNull();
    }

    @Test
    void anUpdateWithoutAVersionIsRefusedBeforeItIsSent() {
        Outcome outcome = execute(new Action.Update(ResourceType.PODS, Manifests.pod("a"), "blindly"));
        assertThat(outcome.error()).hasMessageContaining("metadata.resourceVersion");
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void deletingWhatIsGoneIsNoFailureButChangesNothing() {
        Outcome outcome = execute(
                new Action.Delete(ResourceType.PODS, ObjectKey.of("default", "a"), Deletion.unconditional(),
                        "surplus"));
        assertThat(outcome.succeeded()).isTrue();
        assertThat(outcome.attempts()).singleElement().matches(attempt -> !attempt.done() && !attempt.failed());
    }

    @Test
    void aDeleteHitsOnlyTheObjectWithItsUid() {
        cluster.create(ResourceType.PODS, Manifests.pod("a"));
        Outcome outcome = execute(new Action.Delete(ResourceType.PODS, ObjectKey.of("default", "a"),
                Deletion.ofUid("of an older one"), "surplus"));
        assertThat(outcome.succeeded()).isFalse();
        assertThat(cluster.all(ResourceType.PODS, V1Pod.class)).hasSize(1);
    }

    @Test
    void aTypeWithoutAModelIsWrittenByTheObjectsOwnClass() {
        ResourceType widgets = new ResourceType("example.com", "v1", "widgets", "Widget", true);
        cluster.define(widgets);
        Unstructured widget = new Unstructured();
        widget.setMetadata(new V1ObjectMeta().namespace("default").name("w"));
        assertThat(execute(new Action.Create(widgets, widget, "why not")).succeeded()).isTrue();
        assertThat(execute(new Action.Patch(widgets, ObjectKey.of("default", "w"), "", PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", "label it")).written()).hasSize(1);
    }

    @Test
    void theOwnerIsHeldBackUntilTheCacheHasSeenItsWrites() {
        execute(create("a"), create("b"));
        assertThat(consistency.check(OWNER)).isNotNull();
        assertThat(consistency.check(ObjectKey.of("default", "other"))).isNull();
        cluster.deliverOne();
        assertThat(consistency.check(OWNER)).isNotNull();
        cluster.deliverOne();
        assertThat(consistency.check(OWNER)).isNull();
    }

    @Test
    void theOwnerIsHeldBackUntilTheCacheShowsItsDeletions() {
        V1Pod pod = cluster.create(ResourceType.PODS, Manifests.pod("a"));
        cluster.deliver();
        execute(new Action.Delete(ResourceType.PODS, ObjectKey.of(pod), Deletion.ofUid(pod.getMetadata().getUid()),
                "a test wants it"));
        assertThat(consistency.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(consistency.check(OWNER)).isNull();
    }

    @Test
    void theDeletionOfAnObjectThatWasMadeAgainUnseenHoldsNobodyBack() {
        V1Pod first = cluster.create(ResourceType.PODS, Manifests.pod("a"));
        cluster.deliver();
        cluster.remove(ResourceType.PODS, ObjectKey.of(first));
        V1Pod second = cluster.create(ResourceType.PODS, Manifests.pod("a"));
        execute(new Action.Delete(ResourceType.PODS, ObjectKey.of(second),
                Deletion.ofUid(second.getMetadata().getUid()), "a test wants it"));
        assertThat(consistency.check(OWNER)).isNull();
    }

    @Test
    void aWriteWithoutAnswerHoldsTheOwnerBackUntilItIsSettled() {
        cluster.requests.fault(Requests.Fault.afterwards(
                (verb, type, key) -> new KubeApiException(verb + " " + key,
                        new java.io.IOException("connection reset"))));
        assertThat(execute(create("a")).succeeded()).isFalse();
        assertThat(consistency.unsettled(OWNER)).containsExactly(ResourceType.PODS);
        consistency.settled(OWNER, ResourceType.PODS, cluster.version());
        assertThat(consistency.unsettled(OWNER)).isEmpty();
        assertThat(consistency.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(consistency.check(OWNER)).isNull();
    }

    @Test
    void aBugInAClientIsAFailureAndNotTheEndOfTheBatch() {
        cluster.requests.fault((verb, type, key) -> {
            throw new IllegalStateException("bug");
        });
        assertThat(execute(create("a")).error()).hasMessageContaining("bug").hasMessageContaining("default/a");
    }

    @Test
    void adoptionsStandBehindALiveCheckOfTheController() {
        V1Pod controller = cluster.create(ResourceType.PODS, Manifests.pod("controller"));
        ObjectKey key = ObjectKey.of(controller);
        String uid = controller.getMetadata().getUid();
        assertThat(execute(new Action.RequireLive(ResourceType.PODS, key, uid, "to adopt"), create("x")).succeeded())
                .isTrue();
        assertThat(execute(new Action.RequireLive(ResourceType.PODS, key, "another", "to adopt"), create("y")))
                .matches(o -> !o.succeeded() && o.attempts().isEmpty());
        assertThat(execute(
                new Action.RequireLive(ResourceType.PODS, ObjectKey.of("default", "gone"), uid, "to adopt"),
                create("z")).error()).matches(KubeApiException::isNotFound);
        assertThat(cluster.all(ResourceType.PODS, V1Pod.class)).extracting(p -> p.getMetadata().getName())
                .containsExactly("controller", "x");
    }

    @Test
    void aRunThatRecordsAnswersAsIfAllSucceededAndAPlanThatStaysIsCountedOnce() {
        List<String> planned = new ArrayList<>();
        ObservedPlans plans = new ObservedPlans("test", new ControllerMetrics(Meters.NONE) {
            @Override
            public void planned(String controller, String verb, ResourceType type) {
                planned.add(verb + " " + type);
            }
        }, new ManualClock(), () -> 0);
        for (int sync = 0; sync < 2; sync++) {
            RecordingRun run = new RecordingRun(false);
            Outcome outcome = run.execute(List.of(create("a"), Action.Batch.slowStart(List.of(create("b"))),
                    new Action.RequeueAfter(Duration.ofSeconds(1))));
            assertThat(outcome.succeeded()).isTrue();
            assertThat(outcome.attempts()).hasSize(2).allMatch(ActionExecutor.Attempt::done);
            assertThat(outcome.requeueAfter()).isEqualTo(Duration.ofSeconds(1));
            run.effect(() -> planned.add("an effect"));
            assertThat(run.recorded()).hasSize(3);
            plans.planned(OWNER, run, Result.done());
        }
        assertThat(planned).containsExactly("create pods", "create pods");
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void aPatchOfAnObjectThatIsGoneHoldsTheOwnerBackUntilTheCacheShowsItsEnd() {
        cluster.create(ResourceType.PODS, Manifests.pod("a"));
        cluster.deliver();
        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "a"));
        Outcome outcome = execute(new Action.Patch(ResourceType.PODS, ObjectKey.of("default", "a"), "",
                PatchType.MERGE, "{}", "unlabel it", Set.of(404)));
        assertThat(outcome.succeeded()).isTrue();
        assertThat(consistency.check(OWNER)).isNotNull();
        cluster.deliver();
        assertThat(consistency.check(OWNER)).isNull();
    }
}
