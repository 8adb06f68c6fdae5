package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** The Reflector's requests, and when it sends them. */
class ReflectorTest {
    private final ScriptedServer server = new ScriptedServer();
    private final Stepper stepper = new Stepper(() -> this.informer.loops());
    private final SteppedInformer.Counted metrics = new SteppedInformer.Counted();
    private CachingInformer<V1ConfigMap> informer = informer(InformerOptions.builder().freshStart(false).build());

    private CachingInformer<V1ConfigMap> informer(InformerOptions options) {
        return new CachingInformer<>(server, V1ConfigMap.class, options.toBuilder().seed(1).build(), stepper.clock,
                metrics);
    }

    /** Those that are no mere question for one object. */
    private static List<ListOptions> whole(List<ListOptions> lists) {
        return lists.stream().filter(options -> options.limit() != 1).toList();
    }

    private List<String> cached() {
        return informer.getIndexer().list().stream().map(o -> o.getMetadata().getName()).sorted().toList();
    }

    @Test
    void itListsWhatTheServerHasCachedFirst_thenWatchesFromThatVersion() {
        server.add("a", "1");
        stepper.settle();
        assertThat(server.lists).containsExactly(ListOptions.cached());
        assertThat(server.watches).hasSize(1);
        assertThat(server.watches.getFirst().resourceVersion()).isEqualTo("101");
        assertThat(server.watches.getFirst().timeout()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
    }

    @Test
    void aFreshStartListsByAConsistentReadInPages() {
        informer = informer(InformerOptions.builder().pageSize(2).build());
        server.add("a", "1");
        server.add("b", "1");
        server.add("c", "1");
        stepper.settle();
        assertThat(server.lists).containsExactly(ListOptions.consistent(2), new ListOptions(null, null, 2, "103:2"));
        assertThat(cached()).containsExactly("a", "b", "c");
    }

    @Test
    void aRelistIsNotOlderThanTheLastVersionSeen() {
        stepper.settle();
        server.add("a", "1");
        stepper.settle();
        server.cutWatches();
        server.add("b", "1");
        server.compact();
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.lists).containsExactly(ListOptions.cached(), ListOptions.notOlderThan("101"));
        assertThat(cached()).containsExactly("a", "b");
    }

    @Test
    void fullListIfExpired_theVersionThatIsGoneIsFollowedByAConsistentRead() {
        stepper.settle();
        server.add("a", "1");
        server.cutWatches();
        server.compact();
        server.listErrors.add(ScriptedServer.expired());
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.lists).containsExactly(ListOptions.cached(), ListOptions.notOlderThan("100"),
                ListOptions.consistent(500));
        assertThat(cached()).containsExactly("a");
    }

    @Test
    void fullListIfExpired_aContinueTokenThatIsGoneIsFollowedByOneUnpagedList() {
        informer = informer(InformerOptions.builder().pageSize(2).build());
        for (String name : List.of("a", "b", "c", "d", "e")) {
            server.add(name, "1");
        }
        Stepper.step(informer.loops().getFirst());
        server.delete("a");
        server.compact();
        stepper.settle();
        assertThat(server.lists).containsExactly(ListOptions.consistent(2), new ListOptions(null, null, 2, "105:2"),
                ListOptions.consistent(0));
        assertThat(cached()).containsExactly("b", "c", "d", "e");
    }

    @Test
    void fullListIfTooLarge_aVersionThatTheServerDoesNotHaveYetIsFollowedByAConsistentRead() {
        server.listErrors.add(ScriptedServer.tooLarge());
        stepper.settle();
        assertThat(server.lists).containsExactly(ListOptions.cached(), ListOptions.consistent(500));
        assertThat(informer.hasSynced()).isTrue();
        // The next relist uses the server's cache again.
        server.cutWatches();
        server.add("a", "1");
        server.compact();
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.lists.getLast()).isEqualTo(ListOptions.notOlderThan("100"));
    }

    @Test
    void aWatchThatExpiresByStatusRelistsAtOnce() {
        server.watchErrors.add(ScriptedServer.expired());
        stepper.settle();
        assertThat(server.lists).hasSize(2);
        assertThat(server.watches).hasSize(2);
        assertThat(metrics.relists).containsExactly("expired");
    }

    @Test
    void aWatchThatExpiresByEventRelistsAtOnce() {
        stepper.settle();
        server.add("a", "1");
        server.send(new WatchEvent.Failed<>(ScriptedServer.expired()));
        stepper.settle();
        assertThat(server.lists).containsExactly(ListOptions.cached(), ListOptions.notOlderThan("101"));
        assertThat(metrics.watchEnds).containsExactly("expired");
    }

    @Test
    void aServerThatExpiresEveryWatchIsNotRelistedWithoutEnd() {
        for (int i = 0; i < 100; i++) {
            server.watchErrors.add(ScriptedServer.expired());
        }
        stepper.settle();
        assertThat(server.lists).hasSizeLessThanOrEqualTo(3);
        stepper.pass(Duration.ofSeconds(60));
        assertThat(server.lists).hasSizeBetween(4, 12);
    }

    @Test
    void aThrottledWatchIsOpenedAgainAfterRetryAfter_withoutRelisting() {
        server.watchErrors.add(ScriptedServer.error(429, "TooManyRequests", "slow down", Duration.ofSeconds(17)));
        stepper.pass(Duration.ofMillis(16_800));
        assertThat(server.watches).hasSize(1);
        assertThat(informer.state().lastError()).contains("429").contains("slow down");
        stepper.pass(Duration.ofMillis(400));
        assertThat(server.watches).hasSize(2);
        assertThat(server.lists).hasSize(1);
        assertThat(informer.state().lastError()).isNull();
    }

    @Test
    void eventsThatAreToldAgainOrOutOfOrderDoNotTakeTheCacheBack() {
        stepper.settle();
        V1ConfigMap first = server.add("a", "1");
        V1ConfigMap second = server.update("a", "2");
        stepper.settle();
        server.send(new WatchEvent.Modified<>(first));
        server.send(new WatchEvent.Deleted<>(first));
        stepper.settle();
        assertThat(informer.get(ScriptedServer.key("a"))).isSameAs(second);
        server.delete("a");
        server.send(new WatchEvent.Deleted<>(second));
        V1ConfigMap third = server.add("a", "3");
        server.send(new WatchEvent.Deleted<>(second));
        stepper.settle();
        assertThat(informer.get(ScriptedServer.key("a"))).isSameAs(third);
    }

    @Test
    void aListThatIsOlderThanWhatWasSeen_orOfNoVersion_deletesNothing() {
        stepper.settle();
        server.add("a", "1");
        stepper.settle();
        for (String version : List.of("100", "", "1")) {
            server.sickLists.add(new ListPage<>(List.of(), version, null, List.of()));
        }
        server.compact();
        server.send(new WatchEvent.Failed<>(ScriptedServer.expired()));
        stepper.settle();
        assertThat(cached()).containsExactly("a");
        assertThat(informer.state().lastError()).contains("the list is of version \"100\"",
                "although version 101 or a later one was asked for");
        stepper.pass(Duration.ofSeconds(30));
        assertThat(server.sickLists).isEmpty();
        assertThat(cached()).containsExactly("a");
        assertThat(informer.state().lastError()).isNull();
    }

    @Test
    void anEventThatCannotBeDecodedIsMadeGoodByAListAfterAWhile_lessOftenWhereListsHaveSuchObjectsToo() {
        stepper.settle();
        DecodeFailure failure = new DecodeFailure("watch configmaps", "object", "garbage");
        server.send(new WatchEvent.Undecodable<>(failure, false));
        stepper.pass(Duration.ofSeconds(29));
        assertThat(whole(server.lists)).hasSize(1);
        stepper.pass(Duration.ofSeconds(2));
        assertThat(whole(server.lists)).hasSize(2);
        stepper.pass(Duration.ofMinutes(10));
        assertThat(whole(server.lists)).as("once is enough").hasSize(2);

        server.undecodable.add(failure);
        for (int i = 0; i < 60; i++) {
            server.send(new WatchEvent.Undecodable<>(failure, false));
            stepper.pass(Duration.ofMinutes(1));
        }
        assertThat(whole(server.lists)).as("in an hour").hasSizeBetween(6, 10);
    }

    /** A relist that the server answers by an empty list of its present version. */
    private void relistNothing() {
        server.sickLists.add(new ListPage<>(List.of(), String.valueOf(server.version()), null, List.of()));
        server.send(new WatchEvent.Failed<>(ScriptedServer.expired()));
        stepper.settle();
    }

    @Test
    void aRelistThatEmptiesTheCacheIsCheckedByAConsistentListAfterHalfAMinute() {
        server.add("a", "1");
        stepper.settle();
        server.add("b", "1");
        try (Logged logged = Logged.by("dev.wheelhouse.informer.Reflector")) {
            relistNothing();
            assertThat(logged.lines()).anyMatch(line -> line.contains("the cache held about 2 objects"));
        }
        assertThat(cached()).isEmpty();
        stepper.pass(Duration.ofSeconds(29));
        assertThat(whole(server.lists)).hasSize(2);
        stepper.pass(Duration.ofSeconds(4));
        assertThat(whole(server.lists)).hasSize(3).last().isEqualTo(ListOptions.consistent(500));
        assertThat(cached()).containsExactly("a", "b");
        stepper.pass(Duration.ofHours(2));
        assertThat(whole(server.lists)).as("a list with objects ends the doubt").hasSize(3);
    }

    @Test
    void aCollectionThatStaysEmptyAfterSuchARelistIsListedLessAndLessOften_butAtLeastEveryHour() {
        server.add("a", "1");
        stepper.settle();
        server.objects.clear();
        relistNothing();
        // After 30 s, and then 1, 2, 4, 8, 16, 32, 60, 60 … minutes, each time a little later by the backoff.
        stepper.pass(Duration.ofMinutes(5));
        assertThat(whole(server.lists)).hasSize(5);
        stepper.pass(Duration.ofMinutes(60));
        assertThat(whole(server.lists)).hasSize(9);
        int before = whole(server.lists).size();
        stepper.pass(Duration.ofHours(10));
        assertThat(whole(server.lists).size() - before).isBetween(9, 10);
        server.add("c", "1");
        stepper.pass(Duration.ofMinutes(61));
        before = whole(server.lists).size();
        stepper.pass(Duration.ofHours(3));
        assertThat(whole(server.lists)).as("the collection has objects again").hasSize(before);
        assertThat(cached()).containsExactly("c");
    }

    @Test
    void aCollectionWithoutObjectsIsListedOnce_asIsOneWhoseObjectsWereDeletedBeforeARelist() {
        stepper.pass(Duration.ofHours(1));
        assertThat(whole(server.lists)).hasSize(1);
        server.add("a", "1");
        server.delete("a");
        stepper.settle();
        relistNothing();
        stepper.pass(Duration.ofHours(1));
        assertThat(whole(server.lists)).hasSize(2);
    }

    @Test
    void aServerThatFailsForAnHourIsNotLoggedForAnHour() {
        for (int i = 0; i < 5_000; i++) {
            server.watchErrors.add(ScriptedServer.error(500, "InternalError", "etcd is away", null));
        }
        try (Logged logged = Logged.by("dev.wheelhouse.informer.Reflector")) {
            stepper.pass(Duration.ofHours(1));
            assertThat(logged.lines()).hasSizeBetween(6, 16).last().asString().contains("etcd is away")
                    .contains("lines before were left out");
        }
    }

    @Test
    void aWatchOfGarbageDoesNotFillTheLog() {
        stepper.settle();
        try (Logged logged = Logged.by("dev.wheelhouse.informer.Reflector")) {
            for (int i = 0; i < 2_000; i++) {
                server.send(new WatchEvent.Undecodable<>(new DecodeFailure("watch configmaps", "f" + i, "x"), false));
            }
            stepper.settle();
            assertThat(logged.lines()).hasSizeLessThanOrEqualTo(6);
            assertThat(informer.state().counts().decodeErrors()).isEqualTo(2_000);
        }
    }

    @Test
    void aServerThatAsksForADayIsAskedAgainAfterHalfAMinute() {
        server.watchErrors.add(ScriptedServer.error(429, "TooManyRequests", "slow down", Duration.ofDays(1)));
        server.watchErrors
                .add(ScriptedServer.error(503, "", "for ever", Duration.ofSeconds(Long.MAX_VALUE)));
        stepper.pass(Duration.ofSeconds(31));
        assertThat(server.watches).hasSize(2);
        stepper.pass(Duration.ofSeconds(31));
        assertThat(server.watches).hasSize(3);
        assertThat(informer.state().lastError()).isNull();
    }

    @Test
    void aWatchThatIsThrottledByEventIsOpenedAgainAtTheLastVersion_withoutRelisting() {
        stepper.settle();
        server.add("a", "1");
        server.send(new WatchEvent.Failed<>(ScriptedServer.error(429, "TooManyRequests", "slow down", null)));
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.watches).hasSize(2);
        assertThat(server.watches.getLast().resourceVersion()).isEqualTo("101");
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void serverErrorsBackOffWithGrowingDelays_withoutRelisting() {
        for (int i = 0; i < 100; i++) {
            server.watchErrors.add(ScriptedServer.error(500, "InternalError", "etcd is away", null));
        }
        stepper.pass(Duration.ofMinutes(5));
        assertThat(server.lists).hasSize(1);
        assertThat(server.watches).hasSizeBetween(12, 24);
        server.watchErrors.clear();
        server.add("a", "1");
        stepper.pass(Duration.ofSeconds(61));
        assertThat(cached()).containsExactly("a");
    }

    @Test
    void aListThatFailsIsTriedAgain_withTheReasonInTheState() {
        server.listErrors.add(new ApiError("list configmaps", 403, "Forbidden",
                "configmaps is forbidden: User \"u\" cannot list resource \"configmaps\"", null));
        stepper.settle();
        assertThat(informer.state().reasonNotSynced()).contains("403 Forbidden").contains("verb list")
                .contains("resource configmaps").contains("in all namespaces");
        stepper.pass(Duration.ofSeconds(2));
        assertThat(informer.hasSynced()).isTrue();
        assertThat(informer.state().lastError()).isNull();
    }

    @Test
    void aForbiddenWatchNamesItsVerb() {
        server.watchErrors.add(ScriptedServer.error(403, "Forbidden", "no", null));
        stepper.settle();
        assertThat(informer.state().lastError()).contains("verb watch on resource configmaps of API group \"\"");
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void aCutWatchIsOpenedAgainAtTheLastVersion() {
        stepper.settle();
        server.add("a", "1");
        stepper.settle();
        server.cutWatches();
        server.add("b", "1");
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.watches.getLast().resourceVersion()).isEqualTo("101");
        assertThat(cached()).containsExactly("a", "b");
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void aWatchThatEndsInGoodOrderIsOpenedAgainAtTheLastVersion() {
        stepper.pass(Duration.ofSeconds(5));
        server.add("a", "1");
        server.endWatches();
        server.add("b", "1");
        stepper.settle();
        assertThat(server.watches.getLast().resourceVersion()).isEqualTo("101");
        assertThat(cached()).containsExactly("a", "b");
        assertThat(metrics.watchEnds).containsExactly("ended");
    }

    @Test
    void bookmarksAdvanceTheVersion() {
        server.add("a", "1");
        stepper.settle();
        server.bookmark();
        stepper.settle();
        assertThat(informer.resourceVersion()).isEqualTo("102");
        server.cutWatches();
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.watches.getLast().resourceVersion()).isEqualTo("102");
    }

    @Test
    void aWatchThatTellsOldStatesAgainDoesNotSetTheVersionBack() {
        V1ConfigMap a = server.add("a", "1");
        server.add("b", "1");
        stepper.settle();
        server.send(new WatchEvent.Modified<>(a));
        stepper.settle();
        assertThat(informer.resourceVersion()).isEqualTo("102");
        server.cutWatches();
        stepper.pass(Duration.ofSeconds(3));
        assertThat(server.watches.getLast().resourceVersion()).isEqualTo("102");
    }

    @Test
    void aSilentWatchIsOpenedAgain_andAServerThatWasSetBackIsNoticed() {
        informer = informer(InformerOptions.builder().silenceDeadline(Duration.ofSeconds(30)).build());
        for (int i = 0; i < 50; i++) {
            server.add("a" + i, "1");
        }
        stepper.pass(Duration.ofSeconds(31));
        assertThat(metrics.watchEnds).containsExactly("silence");
        assertThat(server.watches).hasSize(2);
        assertThat(informer.state().lastError()).isNull();
        server.setBack(120);
        stepper.pass(Duration.ofSeconds(31));
        assertThat(metrics.relists).containsExactly("the server does not know the last version");
        assertThat(informer.resourceVersion()).isEqualTo("120");
        assertThat(cached()).hasSize(20);
    }

    @Test
    void aQuietServerIsNotRelisted() {
        informer = informer(InformerOptions.builder().silenceDeadline(Duration.ofSeconds(30)).build());
        stepper.pass(Duration.ofMinutes(5));
        assertThat(metrics.relists).isEmpty();
    }

    @Test
    void objectsOfAnotherTypeAreCountedAndSkipped() {
        stepper.settle();
        server.sendOther(new V1Secret());
        server.add("a", "1");
        stepper.settle();
        assertThat(cached()).containsExactly("a");
        assertThat(metrics.decodeErrors).isEqualTo(1);
    }

    @Test
    void watchListStreamsTheInitialState() {
        informer = informer(InformerOptions.builder().watchList(true).build());
        server.add("a", "1");
        stepper.settle();
        assertThat(server.lists).isEmpty();
        assertThat(server.watches).hasSize(1);
        assertThat(server.watches.getFirst().resourceVersion()).isEmpty();
        assertThat(server.watches.getFirst().sendInitialEvents()).isTrue();
        assertThat(informer.hasSynced()).isTrue();
        server.add("b", "1");
        stepper.settle();
        assertThat(cached()).containsExactly("a", "b");
        assertThat(server.watches).hasSize(1);
    }

    @Test
    void aServerThatRefusesWatchListIsListed() {
        informer = informer(InformerOptions.builder().watchList(true).build());
        server.watchListRefused = true;
        server.add("a", "1");
        stepper.settle();
        assertThat(cached()).containsExactly("a");
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void aServerThatNeverEndsTheInitialEventsIsListed() {
        informer = informer(InformerOptions.builder().watchList(true).build());
        server.bookmarkInitialEvents = false;
        server.add("a", "1");
        stepper.settle();
        server.bookmark();
        stepper.settle();
        assertThat(informer.hasSynced()).isFalse();
        stepper.pass(Duration.ofSeconds(11));
        assertThat(cached()).containsExactly("a");
        assertThat(server.lists).hasSize(1);
    }

    @Test
    void aServerThatSendsLiveEventsInsteadOfTheEndOfTheInitialOnesIsListedInTheEnd() {
        informer = informer(InformerOptions.builder().watchList(true).build());
        server.bookmarkInitialEvents = false;
        server.add("a", "1");
        for (int i = 0; i < 30; i++) {
            stepper.pass(Duration.ofSeconds(5));
            server.update("a", String.valueOf(i));
        }
        stepper.settle();
        assertThat(informer.hasSynced()).isTrue();
        assertThat(server.lists).hasSize(1);
    }
}
