package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.WatchEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The whole informer, stepped by hand: its handlers' notifications and its cache. */
class InformerTest {
    private static final DecodeFailure UNDECODABLE = new DecodeFailure("configmaps default/a", "data", "not a map",
            SteppedInformer.key("a"));

    private static final FieldSelector OURS = FieldSelector.parse("metadata.name!=kube-root-ca.crt");

    private SteppedInformer world = new SteppedInformer();

    @AfterEach
    void close() {
        world.close();
    }

    private List<String> told() {
        world.settle();
        return world.told.calls();
    }

    /** Adds the handler, and steps until it was told everything. */
    private void watch() {
        world.informer.addEventHandler(world.told);
        told();
    }

    /** Lets the watch miss the changes until the next list. */
    private void loseWatch(Runnable changes) {
        world.source.cut();
        changes.run();
        world.faults.compactNow();
        world.pass(Duration.ofSeconds(5));
    }

    @Test
    void aHandlerIsToldTheInitialListAndThenEachChange() {
        world.create("a", "1");
        world.informer.addEventHandler(world.told);
        assertThat(told()).containsExactly("+a=1 initial");

        world.update("a", "2");
        world.create("b", "1");
        world.delete("a");
        assertThat(told()).containsExactly("a=1>a=2", "+b=1", "-a=2");
        assertThat(world.cached()).containsExactly("b=1");
        assertThat(world.informer.resourceVersion()).isEqualTo(world.version());
    }

    @Test
    void changesOfSeveralObjectsArriveInTheOrderInWhichTheyWereMadeWhateverTheBatch() {
        for (int batch : new int[]{1, 2, 256}) {
            world.close();
            world = new SteppedInformer(InformerOptions.builder().batch(batch).pendingBound(batch).build());
            world.create("a", "1");
            watch();
            // All of these wait in the queue before the informer handles the first one.
            world.create("b", "1");
            world.update("a", "2");
            world.update("b", "2");
            world.delete("a");
            world.create("c", "1");
            world.create("a", "3");
            while (Stepper.step(world.informer.loops().getFirst()) == 0) {
                // Read the whole watch.
            }
            assertThat(told()).containsExactly("+b=1", "a=1>a=2", "b=1>b=2", "-a=2", "+c=1", "+a=3");
        }
    }

    @Test
    void anInformerHasSyncedOnceTheCacheHoldsTheListAndARegistrationOnceItsHandlerWasCalled() {
        world.create("a", "1");
        world.create("b", "1");
        SharedIndexInformer.Registration registration = world.informer.addEventHandler(world.told);
        Stepper.step(world.informer.loops().get(0));
        assertThat(world.informer.hasSynced()).isFalse();
        assertThat(world.informer.state().reasonNotSynced()).isEqualTo(
                "configmaps in default (metadata.name!=kube-root-ca.crt): the first list has not come yet");
        Stepper.step(world.informer.loops().get(1));
        assertThat(world.informer.hasSynced()).isTrue();
        assertThat(registration.hasSynced()).isFalse();
        Stepper.step(world.informer.loops().get(2));
        assertThat(registration.hasSynced()).isFalse();
        Stepper.step(world.informer.loops().get(2));
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aHandlerOfAnEmptyCollectionHasSyncedToo() {
        SharedIndexInformer.Registration registration = world.informer.addEventHandler(world.told);
        assertThat(registration.hasSynced()).isFalse();
        world.settle();
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aRemovedHandlerIsNotCalledAgain() {
        world.create("a", "1");
        SharedIndexInformer.Registration registration = world.informer.addEventHandler(world.told);
        world.settle();
        world.update("a", "2");
        Stepper.step(world.informer.loops().get(0));
        Stepper.step(world.informer.loops().get(1));
        registration.remove();
        assertThat(told()).containsExactly("+a=1 initial");
        assertThat(world.informer.loops()).hasSize(2);
    }

    @Test
    void anObjectThatWasReplacedByAnotherOfItsNameUnseenIsDeletedAndAdded() {
        world.create("a", "1");
        watch();
        loseWatch(() -> {
            world.delete("a");
            world.create("a", "other");
        });
        assertThat(told()).containsExactly("-a=1 unknown", "+a=other");
    }

    @Test
    void aResyncTellsEveryObjectAgainToTheHandlersThatAskedForItAndListsNothing() {
        world.create("a", "1");
        SteppedInformer.Told resyncing = new SteppedInformer.Told();
        world.informer.addEventHandler(world.told);
        world.informer.addEventHandler(resyncing, Duration.ofSeconds(60));
        world.pass(Duration.ofSeconds(59));
        assertThat(resyncing.calls()).containsExactly("+a=1 initial");
        world.pass(Duration.ofSeconds(62));
        assertThat(resyncing.calls()).containsExactly("a=1>a=1", "a=1>a=1");
        assertThat(told()).containsExactly("+a=1 initial");
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void aHandlerWithoutAPeriodIsToldAgainAfterOnceToTwiceTheLeastPeriodOfAll() {
        world = new SteppedInformer(InformerOptions.builder().minResync(Duration.ofMinutes(1)).build());
        world.create("a", "1");
        world.informer.addEventHandler(world.told);
        world.pass(Duration.ofSeconds(59));
        assertThat(told()).containsExactly("+a=1 initial");
        world.pass(Duration.ofSeconds(62));
        assertThat(told()).containsExactly("a=1>a=1");
    }

    @Test
    void theLeastPeriodOfAllHoldsWhateverStandsBetweenTheHandlerAndTheCache() {
        InformerOptions options = InformerOptions.builder().minResync(Duration.ofMinutes(1)).seed(1).build();
        try (InformerFactory factory = new InformerFactory(world.server.client("resyncing"), world.stepper.clock,
                InformerMetrics.Provider.NONE, options)) {
            world.create("a", "1");
            List<SharedIndexInformer<V1ConfigMap>> informers = new ArrayList<>();
            for (boolean prompt : new boolean[]{false, true}) {
                for (SharedInformerFactory of : List.of(factory, new ScopedInformers(factory,
                        new ScopedInformers.Sharing(), true, prompt))) {
                    informers.add(of.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "default",
                            LabelSelector.everything(), OURS));
                    informers.add(of.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, Set.of("default", "other"),
                            LabelSelector.everything(), OURS));
                }
            }
            List<SteppedInformer.Told> handlers = new ArrayList<>();
            for (SharedIndexInformer<V1ConfigMap> informer : informers) {
                handlers.add(new SteppedInformer.Told());
                informer.addEventHandler(handlers.getLast());
            }
            Stepper all = new Stepper(factory::loops);
            for (int second = 0; second < 125; second++) {
                world.stepper.clock.advance(Duration.ofSeconds(1));
                all.settle();
            }
            for (SteppedInformer.Told handler : handlers) {
                assertThat(handler.calls()).startsWith("+a=1 initial", "a=1>a=1");
            }
        }
    }

    @Test
    void aPeriodOfLessThanASecondCountsAsASecond() {
        world.create("a", "1");
        world.informer.addEventHandler(world.told, Duration.ofMillis(1));
        world.pass(Duration.ofSeconds(10));
        assertThat(world.told.calls()).hasSizeBetween(9, 12);
    }

    @Test
    void theHandlerOfWatchErrorsGetsEachErrorAndMayFailAndAStoppedInformerSaysSo() {
        List<String> errors = new ArrayList<>();
        world.informer.setWatchErrorHandler(e -> {
            errors.add(e.reason());
            throw new IllegalStateException("on purpose");
        });
        world.source.listErrors.add(new KubeApiException("list", 403, "Forbidden", "no", null));
        world.source.watchErrors.add(new KubeApiException("watch", 500, "InternalError", "no", null));
        world.create("a", "1");
        world.pass(Duration.ofSeconds(10));
        world.source.send(new WatchEvent.Failed<>(new KubeApiException("watch", 429, "TooManyRequests", "no", null)));
        world.pass(Duration.ofSeconds(10));
        assertThat(errors).containsExactly("Forbidden", "InternalError", "TooManyRequests");
        assertThat(world.cached()).containsExactly("a=1");
        assertThatThrownBy(() -> world.informer.setWatchErrorHandler(e -> {})).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has started");
        assertThat(world.informer.isStopped()).isFalse();
        world.informer.close();
        assertThat(world.informer.isStopped()).isTrue();
    }

    @Test
    void aLeastPeriodThatIsLongerThanACenturyIsRefused() {
        InformerOptions.Builder century = InformerOptions.builder().minResync(Duration.ofDays(36_500));
        world = new SteppedInformer(century.build());
        assertThatThrownBy(() -> century.minResync(Duration.ofDays(36_500).plusNanos(1)).build())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("minResync")
                .hasMessageContaining("36500 days");
    }

    @Test
    void aHandlerThatThrowsLosesItsTurnAlone() {
        SteppedInformer.Told other = new SteppedInformer.Told();
        world.informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ConfigMap object, boolean initial) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
                world.told.onUpdate(before, after);
            }

            @Override
            public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
                throw new AssertionError("on purpose");
            }
        });
        SharedIndexInformer.Registration registration = world.informer.addEventHandler(other);
        world.create("a", "1");
        world.settle();
        world.update("a", "2");
        assertThat(told()).containsExactly("a=1>a=2");
        world.delete("a");
        world.settle();
        assertThat(other.calls()).containsExactly("+a=1 initial", "a=1>a=2", "-a=2");
        assertThat(registration.hasSynced()).isTrue();
    }

    @Test
    void aListItemThatDoesNotDecodeIsSkippedAndItsCachedStateStays() {
        world.create("a", "1");
        world.create("b", "1");
        watch();
        world.source.undecodable.add(UNDECODABLE);
        loseWatch(() -> world.update("b", "2"));
        assertThat(told()).containsExactly("b=1>b=2");
        assertThat(world.cached()).containsExactly("a=1", "b=2");
    }

    @Test
    void anEventThatDoesNotDecodeIsSkippedAndTheRestGoesOnButItsDeletionIsStillADeletion() {
        world.create("a", "1");
        watch();
        world.source.send(new WatchEvent.Undecodable<>(UNDECODABLE, false));
        world.create("b", "1");
        assertThat(told()).containsExactly("+b=1");
        world.source.send(new WatchEvent.Undecodable<>(UNDECODABLE, true));
        assertThat(told()).containsExactly("-a=1 unknown");
    }

    @Test
    void aStoppedInformerDoesNothingMore() {
        watch();
        world.informer.close();
        world.create("a", "1");
        assertThat(told()).isEmpty();
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void theMutationDetectorFindsWhoChangesACachedObject() {
        world.close();
        world = new SteppedInformer(InformerOptions.builder().detectMutations(true).build());
        world.create("a", "1");
        world.settle();
        world.informer.verifyUnchanged();
        world.informer.getIndexer().list().getFirst().setData(Map.of("value", "changed in place"));
        assertThatThrownBy(world.informer::verifyUnchanged)
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("configmaps default/a")
                .hasMessageContaining("changed in place");
    }
}
