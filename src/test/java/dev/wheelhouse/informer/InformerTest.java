package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.WatchEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** The whole informer, stepped by hand: its handlers' notifications and its cache. */
class InformerTest {
    private final ScriptedServer server = new ScriptedServer();
    private final Stepper stepper = new Stepper(() -> this.informer.loops());
    private CachingInformer<V1ConfigMap> informer = informer(InformerOptions.builder().seed(1).build());
    private final Recorder handler = new Recorder();

    private CachingInformer<V1ConfigMap> informer(InformerOptions options) {
        return new CachingInformer<>(server, V1ConfigMap.class, options, stepper.clock, new InformerMetrics() {
        });
    }

    private List<String> told() {
        stepper.settle();
        List<String> calls = List.copyOf(handler.calls);
        handler.calls.clear();
        return calls;
    }

    @Test
    void aHandlerIsToldTheInitialListAndThenEachChange() {
        server.add("a", "1");
        informer.addEventHandler(handler);
        assertThat(told()).containsExactly("+a@101 initial");

        server.update("a", "2");
        server.add("b", "1");
        server.delete("a");
        assertThat(told()).containsExactlyInAnyOrder("a@101>102", "-a@104", "+b@103").containsSubsequence("a@101>102",
                "-a@104");
        assertThat(informer.getIndexer().list()).containsExactly(server.objects.get(ScriptedServer.key("b")));
        assertThat(informer.resourceVersion()).isEqualTo("104");
    }

    @Test
    void anInformerHasSyncedOnceTheCacheHoldsTheList_andARegistrationOnceItsHandlerWasCalled() {
        server.add("a", "1");
        server.add("b", "1");
        SharedIndexInformer.Registration registration = informer.addEventHandler(handler);
        Stepper.step(informer.loops().get(0));
        assertThat(informer.hasSynced()).isFalse();
        assertThat(informer.state().reasonNotSynced()).isEqualTo("configmaps: the first list has not come yet");
        Stepper.step(informer.loops().get(1));
        assertThat(informer.hasSynced()).isTrue();
        assertThat(registration.hasSynced()).isFalse();
        Stepper.step(informer.loops().get(2));
        assertThat(registration.hasSynced()).isFalse();
        Stepper.step(informer.loops().get(2));
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aHandlerOfAnEmptyCollectionHasSyncedToo() {
        SharedIndexInformer.Registration registration = informer.addEventHandler(handler);
        assertThat(registration.hasSynced()).isFalse();
        stepper.settle();
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aLateHandlerGetsOneAddForEachCachedObjectAndThenLiveEvents() {
        server.add("a", "1");
        server.add("b", "1");
        stepper.settle();
        server.update("a", "2");
        SharedIndexInformer.Registration registration = informer.addEventHandler(handler);
        assertThat(registration.hasSynced()).isFalse();
        assertThat(told()).containsExactlyInAnyOrder("+a@101 initial", "+b@102 initial", "a@101>103");
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aRemovedHandlerIsNotCalledAgain() {
        server.add("a", "1");
        SharedIndexInformer.Registration registration = informer.addEventHandler(handler);
        stepper.settle();
        server.update("a", "2");
        Stepper.step(informer.loops().get(0));
        Stepper.step(informer.loops().get(1));
        registration.remove();
        assertThat(told()).containsExactly("+a@101 initial");
        assertThat(informer.loops()).hasSize(2);
    }

    @Test
    void aRelistThatMissesADeletedObjectTellsItsDeletionOnceAsUnknown() {
        server.add("a", "1");
        server.add("b", "1");
        informer.addEventHandler(handler);
        told();
        server.cutWatches();
        server.delete("a");
        server.update("b", "2");
        server.add("c", "1");
        server.compact();
        stepper.pass(Duration.ofSeconds(5));
        assertThat(told()).containsExactly("-a@101 unknown", "b@102>104", "+c@105");
        server.cutWatches();
        server.compact();
        stepper.pass(Duration.ofSeconds(5));
        assertThat(told()).isEmpty();
        assertThat(informer.state().relists()).isEqualTo(1);
    }

    @Test
    void anObjectThatWasReplacedByAnotherOfItsNameUnseenIsDeletedAndAdded() {
        server.add("a", "1");
        informer.addEventHandler(handler);
        told();
        server.cutWatches();
        server.delete("a");
        server.add("a", "other");
        server.compact();
        stepper.pass(Duration.ofSeconds(5));
        assertThat(told()).containsExactly("-a@101 unknown", "+a@103");
    }

    @Test
    void theSameVersionIsNotToldTwice() {
        V1ConfigMap a = server.add("a", "1");
        informer.addEventHandler(handler);
        told();
        server.send(new WatchEvent.Added<>(a));
        server.send(new WatchEvent.Modified<>(a));
        assertThat(told()).isEmpty();
    }

    @Test
    void aResyncTellsEveryObjectAgainToThoseThatAskedForIt_andListsNothing() {
        server.add("a", "1");
        Recorder resyncing = new Recorder();
        informer.addEventHandler(handler);
        informer.addEventHandler(resyncing, Duration.ofSeconds(60));
        stepper.pass(Duration.ofSeconds(59));
        assertThat(resyncing.calls).containsExactly("+a@101 initial");
        stepper.pass(Duration.ofSeconds(62));
        assertThat(resyncing.calls).containsExactly("+a@101 initial", "a@101>101", "a@101>101");
        assertThat(told()).containsExactly("+a@101 initial");
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void aHandlerThatThrowsLosesItsTurnAlone() {
        Recorder other = new Recorder();
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ConfigMap object, boolean initial) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
                handler.onUpdate(before, after);
            }

            @Override
            public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
                throw new AssertionError("on purpose");
            }
        });
        SharedIndexInformer.Registration registration = informer.addEventHandler(other);
        server.add("a", "1");
        stepper.settle();
        server.update("a", "2");
        assertThat(told()).containsExactly("a@101>102");
        server.delete("a");
        stepper.settle();
        assertThat(other.calls).containsExactly("+a@101 initial", "a@101>102", "-a@103");
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aListItemThatDoesNotDecodeIsSkipped_andWhatIsCachedOfItStays() {
        server.add("a", "1");
        server.add("b", "1");
        informer.addEventHandler(handler);
        told();
        server.undecodable.add(new DecodeFailure("configmaps default/a", "data", "not a map", ScriptedServer.key("a")));
        server.cutWatches();
        server.update("b", "2");
        server.compact();
        stepper.pass(Duration.ofSeconds(5));
        assertThat(told()).containsExactly("b@102>103");
        assertThat(informer.get(ScriptedServer.key("a"))).isNotNull();
    }

    @Test
    void anEventThatDoesNotDecodeIsSkippedAndTheRestGoesOn_itsDeletionIsStillADeletion() {
        server.add("a", "1");
        informer.addEventHandler(handler);
        told();
        DecodeFailure failure = new DecodeFailure("configmaps default/a", "data", "not a map", ScriptedServer.key("a"));
        server.send(new WatchEvent.Undecodable<>(failure, false));
        server.add("b", "1");
        assertThat(told()).containsExactly("+b@102");
        server.send(new WatchEvent.Undecodable<>(failure, true));
        assertThat(told()).containsExactly("-a@101 unknown");
    }

    @Test
    void aStoppedInformerDoesNothingMore() {
        informer.addEventHandler(handler);
        stepper.settle();
        informer.close();
        server.add("a", "1");
        assertThat(told()).isEmpty();
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void theMutationDetectorFindsWhoChangesACachedObject() {
        informer = informer(InformerOptions.builder().detectMutations(true).build());
        server.add("a", "1");
        stepper.settle();
        informer.verifyUnchanged();
        informer.getIndexer().list().getFirst().putDataItem("value", "changed in place");
        org.assertj.core.api.Assertions.assertThatThrownBy(informer::verifyUnchanged)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("configmaps default/a")
                .hasMessageContaining("changed in place");
    }
}
