package dev.wheelhouse.informer;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** The Reflector's requests, and when it sends them. */
@Isolated
class ReflectorTest {
    /** The first list, which a server without a cache answers in pages. */
    private static final ListOptions CACHED = new ListOptions("0", null, 500, null);
    private SteppedInformer world = new SteppedInformer();

    @AfterEach
    void close() {
        world.close();
    }

    private void with(InformerOptions.Builder options) {
        world.close();
        world = new SteppedInformer(options.build());
    }

    private static KubeApiException error(int code, String reason, String message, @Nullable Duration retryAfter) {
        return new KubeApiException("watch configmaps", code, reason, message, retryAfter);
    }

    private static KubeApiException expired() {
        return error(410, "Expired", "too old resource version", null);
    }

    /** The lists that ask for more than one object. */
    private static List<ListOptions> whole(List<ListOptions> lists) {
        return lists.stream().filter(options -> options.limit() != 1).toList();
    }

    @Test
    void itListsTheServersCacheFirstAndThenWatchesFromThatVersion() {
        world.create("a", "1");
        world.settle();
        assertThat(world.source.lists).containsExactly(CACHED);
        assertThat(world.source.watches).hasSize(1);
        assertThat(world.source.watches.getFirst().resourceVersion()).isEqualTo(world.version());
        assertThat(world.source.watches.getFirst().timeout()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
    }

    @Test
    void aFreshStartListsByAConsistentReadInPages() {
        with(InformerOptions.builder().pageSize(2));
        world.create("a", "1");
        world.create("b", "1");
        world.create("c", "1");
        world.settle();
        assertThat(world.source.lists).hasSize(2).first().isEqualTo(ListOptions.consistent(2));
        assertThat(world.source.lists.getLast()).isEqualTo(
                ListOptions.consistent(2).next(world.source.lists.getLast().continueToken()));
        assertThat(world.cached()).containsExactly("a=1", "b=1", "c=1");
    }

    @Test
    void aVersionThatTheServerDoesNotHaveYetIsFollowedByAConsistentRead() {
        world.source.listErrors.add(new KubeApiException("list configmaps", 504, "Timeout",
                "Too large resource version: 9999, current: 100", Duration.ofSeconds(1)));
        world.settle();
        assertThat(world.source.lists).containsExactly(CACHED, ListOptions.consistent(500));
        assertThat(world.informer.hasSynced()).isTrue();
        // The next relist uses the server's cache again.
        String seen = world.version();
        world.source.cut();
        world.create("a", "1");
        world.faults.compactNow();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.lists.getLast()).isEqualTo(ListOptions.notOlderThan(seen, 0));
    }

    @Test
    void aServerThatExpiresEveryWatchIsNotRelistedWithoutEnd() {
        for (int i = 0; i < 100; i++) {
            world.source.watchErrors.add(expired());
        }
        world.settle();
        assertThat(world.source.lists).hasSizeLessThanOrEqualTo(3);
        world.pass(Duration.ofSeconds(60));
        assertThat(world.source.lists).hasSizeBetween(4, 12);
    }

    @Test
    void eventsThatAreToldAgainOrOutOfOrderDoNotTakeTheCacheBack() {
        world.settle();
        V1ConfigMap first = world.create("a", "1");
        V1ConfigMap second = world.update("a", "2");
        world.settle();
        world.source.send(new WatchEvent.Modified<>(first));
        world.source.send(new WatchEvent.Deleted<>(first));
        world.settle();
        assertThat(world.informer.get(SteppedInformer.key("a"))).isEqualTo(second);
        world.delete("a");
        world.source.send(new WatchEvent.Deleted<>(second));
        V1ConfigMap third = world.create("a", "3");
        world.source.send(new WatchEvent.Deleted<>(second));
        world.settle();
        assertThat(world.informer.get(SteppedInformer.key("a"))).isEqualTo(third);
    }

    @Test
    void aListOfAnOlderVersionOrOfNoneDeletesNothing() {
        world.settle();
        String older = world.version();
        world.create("a", "1");
        world.settle();
        for (String version : List.of(older, "", "1")) {
            world.source.listAnswers.add(new ListPage<>(List.of(), version, null, List.of()));
        }
        world.faults.compactNow();
        world.source.send(new WatchEvent.Failed<>(expired()));
        world.settle();
        assertThat(world.cached()).containsExactly("a=1");
        assertThat(world.informer.state().lastError()).contains("the list is of version \"" + older + "\"",
                "although version " + world.version() + " or a later one was asked for");
        world.pass(Duration.ofSeconds(30));
        assertThat(world.source.listAnswers).isEmpty();
        assertThat(world.cached()).containsExactly("a=1");
        assertThat(world.informer.state().lastError()).isNull();
    }

    @Test
    void anEventThatCannotBeDecodedLeadsToAListAndLessOftenIfListsHaveSuchObjectsToo() {
        world.settle();
        DecodeFailure failure = new DecodeFailure("watch configmaps", "object", "garbage");
        world.source.send(new WatchEvent.Undecodable<>(failure, false));
        world.pass(Duration.ofSeconds(29));
        assertThat(whole(world.source.lists)).hasSize(1);
        world.pass(Duration.ofSeconds(2));
        assertThat(whole(world.source.lists)).hasSize(2);
        world.pass(Duration.ofMinutes(10));
        assertThat(whole(world.source.lists)).as("once is enough").hasSize(2);

        world.source.undecodable.add(failure);
        for (int i = 0; i < 60; i++) {
            world.source.send(new WatchEvent.Undecodable<>(failure, false));
            world.pass(Duration.ofMinutes(1));
        }
        assertThat(whole(world.source.lists)).as("in an hour").hasSizeBetween(6, 10);
    }

    /** A relist that the server answers by an empty list of its present version. */
    private void relistNothing() {
        world.source.listAnswers.add(new ListPage<>(List.of(), world.version(), null, List.of()));
        world.source.send(new WatchEvent.Failed<>(expired()));
        world.settle();
    }

    @Test
    void aRelistThatEmptiesTheCacheIsCheckedByAConsistentListAfterHalfAMinute() {
        world.create("a", "1");
        world.settle();
        world.create("b", "1");
        try (Logged logged = Logged.by("dev.wheelhouse.informer.Reflector")) {
            relistNothing();
            assertThat(logged.lines()).anyMatch(line -> line.contains("the cache held about 2 objects"));
        }
        assertThat(world.cached()).isEmpty();
        world.pass(Duration.ofSeconds(29));
        assertThat(whole(world.source.lists)).hasSize(2);
        world.pass(Duration.ofSeconds(4));
        assertThat(whole(world.source.lists)).hasSize(3).last().isEqualTo(ListOptions.consistent(500));
        assertThat(world.cached()).containsExactly("a=1", "b=1");
        world.pass(Duration.ofHours(2));
        assertThat(whole(world.source.lists)).as("a list with objects ends the doubt").hasSize(3);
    }

    @Test
    void aCollectionThatStaysEmptyAfterSuchARelistIsListedLessAndLessOftenButAtLeastEveryHour() {
        world.create("a", "1");
        world.settle();
        world.source.cut();
        world.delete("a");
        world.faults.compactNow();
        world.pass(Duration.ofSeconds(3));
        // After 30 s, and then 1, 2, 4, 8, 16, 32, 60, 60 … minutes, each time a little later by the backoff.
        world.pass(Duration.ofMinutes(5));
        assertThat(whole(world.source.lists)).hasSize(5);
        world.pass(Duration.ofMinutes(60));
        assertThat(whole(world.source.lists)).hasSize(9);
        int before = whole(world.source.lists).size();
        world.pass(Duration.ofHours(10));
        assertThat(whole(world.source.lists).size() - before).isBetween(9, 10);
        world.create("c", "1");
        world.pass(Duration.ofMinutes(61));
        before = whole(world.source.lists).size();
        world.pass(Duration.ofHours(3));
        assertThat(whole(world.source.lists)).as("the collection has objects again").hasSize(before);
        assertThat(world.cached()).containsExactly("c=1");
    }

    @Test
    void aCollectionWithoutObjectsIsListedOnceAsIsOneWhoseObjectsWereDeletedBeforeARelist() {
        world.pass(Duration.ofHours(1));
        assertThat(whole(world.source.lists)).hasSize(1);
        world.create("a", "1");
        world.delete("a");
        world.settle();
        relistNothing();
        world.pass(Duration.ofHours(1));
        assertThat(whole(world.source.lists)).hasSize(2);
    }

    @Test
    void aServerThatFailsForAnHourIsNotLoggedForAnHour() {
        for (int i = 0; i < 5_000; i++) {
            world.source.watchErrors.add(error(500, "InternalError", "etcd is away", null));
        }
        try (Logged logged = Logged.by("dev.wheelhouse.informer.Reflector")) {
            world.pass(Duration.ofHours(1));
            assertThat(logged.lines()).hasSizeBetween(6, 16).last().asString().contains("etcd is away")
                    .contains("lines before were left out");
        }
    }

    @Test
    void aWatchOfGarbageDoesNotFillTheLog() {
        world.settle();
        try (Logged logged = Logged.by("dev.wheelhouse.informer.Reflector")) {
            for (int i = 0; i < 2_000; i++) {
                DecodeFailure failure = new DecodeFailure("watch configmaps", "f" + i, "x");
                world.source.send(new WatchEvent.Undecodable<>(failure, false));
            }
            world.settle();
            assertThat(logged.lines()).hasSizeLessThanOrEqualTo(6);
            assertThat(world.informer.state().counts().decodeErrors()).isEqualTo(2_000);
        }
    }

    @Test
    void aServerThatAsksForADayIsAskedAgainAfterHalfAMinute() {
        world.source.watchErrors.add(error(429, "TooManyRequests", "slow down", Duration.ofDays(1)));
        world.source.watchErrors
                .add(error(503, "", "for ever", Duration.ofSeconds(Long.MAX_VALUE)));
        world.pass(Duration.ofSeconds(31));
        assertThat(world.source.watches).hasSize(2);
        world.pass(Duration.ofSeconds(31));
        assertThat(world.source.watches).hasSize(3);
        assertThat(world.informer.state().lastError()).isNull();
    }

    @Test
    void aWatchThatIsThrottledByEventIsOpenedAgainAtTheLastVersionWithoutRelisting() {
        world.settle();
        world.create("a", "1");
        world.source.send(new WatchEvent.Failed<>(error(429, "TooManyRequests", "slow down", null)));
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.watches).hasSize(2);
        assertThat(world.source.watches.getLast().resourceVersion()).isEqualTo(world.version());
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void aListThatFailsIsTriedAgainAndTheStateNamesTheReason() {
        world.source.listErrors.add(new KubeApiException("list configmaps", 403, "Forbidden",
                "configmaps is forbidden: User \"u\" cannot list resource \"configmaps\"", null));
        world.settle();
        assertThat(world.informer.state().reasonNotSynced()).contains("403 Forbidden").contains("verb list")
                .contains("resource configmaps").contains("in namespace default");
        world.pass(Duration.ofSeconds(2));
        assertThat(world.informer.hasSynced()).isTrue();
        assertThat(world.informer.state().lastError()).isNull();
    }

    @Test
    void aForbiddenWatchNamesItsVerb() {
        world.source.watchErrors.add(error(403, "Forbidden", "no", null));
        world.settle();
        assertThat(world.informer.state().lastError()).contains("verb watch on resource configmaps of API group \"\"");
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void aCutWatchIsOpenedAgainAtTheLastVersion() {
        world.settle();
        world.create("a", "1");
        world.settle();
        String seen = world.version();
        world.source.cut();
        world.create("b", "1");
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.watches.getLast().resourceVersion()).isEqualTo(seen);
        assertThat(world.cached()).containsExactly("a=1", "b=1");
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void aWatchThatEndsInGoodOrderIsOpenedAgainAtTheLastVersion() {
        world.pass(Duration.ofSeconds(5));
        world.create("a", "1");
        world.source.end();
        String seen = world.version();
        world.create("b", "1");
        world.settle();
        assertThat(world.source.watches.getLast().resourceVersion()).isEqualTo(seen);
        assertThat(world.cached()).containsExactly("a=1", "b=1");
        assertThat(world.counted.watchEnds).containsExactly("ended");
    }

    @Test
    void aWatchThatTellsOldStatesAgainDoesNotSetTheVersionBack() {
        V1ConfigMap a = world.create("a", "1");
        world.create("b", "1");
        world.settle();
        world.source.send(new WatchEvent.Modified<>(a));
        world.settle();
        assertThat(world.informer.resourceVersion()).isEqualTo(world.version());
        world.source.cut();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.watches.getLast().resourceVersion()).isEqualTo(world.version());
    }

    @Test
    void aSilentWatchIsOpenedAgainAndAServerThatWasSetBackIsNoticed() {
        with(InformerOptions.builder().silenceDeadline(Duration.ofSeconds(30)));
        for (int i = 0; i < 50; i++) {
            world.create("a" + i, "1");
        }
        world.pass(Duration.ofSeconds(31));
        assertThat(world.counted.watchEnds).containsExactly("silence");
        assertThat(world.source.watches).hasSize(2);
        assertThat(world.informer.state().lastError()).isNull();
        // A restored backup: the server has an older version, and the open watch only waits.
        try (ApiServer restored = new ApiServer(
                ApiServerOptions.defaults().withClock(world.stepper.clock))) {
            world.source.halfOpen();
            world.source.moveTo(SteppedInformer.configMapsOf(restored));
            world.pass(Duration.ofMinutes(11));
            assertThat(world.counted.relists).startsWith("the server does not know the last version");
            assertThat(world.informer.resourceVersion()).isEqualTo(Long.toString(restored.store().version()));
            assertThat(world.cached()).isEmpty();
        }
    }

    @Test
    void aQuietServerIsNotRelisted() {
        with(InformerOptions.builder().silenceDeadline(Duration.ofSeconds(30)));
        world.pass(Duration.ofMinutes(5));
        assertThat(world.counted.relists).isEmpty();
    }

    @Test
    void aServerThatSendsNoBookmarksWhileNothingChangesIsAskedOnce() {
        with(InformerOptions.builder().watchList(false).silenceDeadline(Duration.ofSeconds(30)));
        world.create("a", "1");
        world.settle();
        world.source.mute(true);
        world.source.listErrors
                .add(new KubeApiException("list", 504, "Timeout", "Too large resource version: 9", null));
        int lists = world.source.lists.size();
        world.pass(Duration.ofMinutes(5));
        assertThat(world.counted.watchEnds).containsExactly("silence");
        assertThat(world.source.lists).as("of the version, and of the store's").hasSize(lists + 2);
        assertThat(world.counted.relists).isEmpty();

        // The server does not end the watch in time either, so the watch is broken, and has missed an update.
        world.update("a", "2");
        world.pass(Duration.ofMinutes(7));
        assertThat(world.cached()).containsExactly("a=2");
    }

    @Test
    void aWatchThatMayBeSilentForLongerMayNotAfterItsFirstEvent() {
        with(InformerOptions.builder().watchList(false).silenceDeadline(Duration.ofSeconds(30)));
        world.create("a", "1");
        world.settle();
        world.source.mute(true);
        world.pass(Duration.ofSeconds(31));
        assertThat(world.counted.watchEnds).containsExactly("silence");
        world.source.mute(false);
        world.create("b", "1");
        world.settle();
        world.source.halfOpen();
        world.update("a", "2");
        assertThat(world.cached()).containsExactly("a=1", "b=1");
        world.pass(Duration.ofSeconds(31));
        assertThat(world.cached()).containsExactly("a=2", "b=1");
    }

    @Test
    void watchesThatOnlySeemAliveAreReplacedByListsAndReportedUntilOneBringsSomething() {
        with(InformerOptions.builder().watchList(false).silenceDeadline(Duration.ofSeconds(90)));
        world.create("a", "1");
        world.settle();
        world.source.mute(true);
        world.update("a", "2");
        world.pass(Duration.ofSeconds(91));
        assertThat(world.counted.relists).as("one silent watch may have been a broken connection").isEmpty();
        world.pass(Duration.ofSeconds(91));
        assertThat(world.counted.relists).containsExactly("silence");
        assertThat(world.cached()).containsExactly("a=2");
        world.pass(Duration.ofSeconds(80));
        assertThat(world.informer.state().lastError()).contains("two watches in a row brought nothing");
        assertThat(world.informer.state().lag(world.stepper.clock.now())).as("of the watch, not of the lists")
                .isGreaterThan(Duration.ofSeconds(260));
        world.source.mute(false);
        world.update("a", "3");
        world.settle();
        assertThat(world.cached()).containsExactly("a=3");
        assertThat(world.informer.state().lastError()).isNull();
    }

    @Test
    void aServerThatSendsLiveEventsInsteadOfTheEndOfTheInitialOnesIsListedInTheEnd() {
        with(InformerOptions.builder().watchList(true));
        world.source.withholdEndOfInitialEvents(true);
        world.create("a", "1");
        for (int i = 0; i < 30; i++) {
            world.pass(Duration.ofSeconds(5));
            world.update("a", String.valueOf(i));
        }
        world.settle();
        assertThat(world.informer.hasSynced()).isTrue();
        assertThat(world.source.lists).hasSize(1);
    }

    @Test
    void aVersionThatAHealthyServerCannotReadIsNotAskedForForEver() {
        world.create("a", "1");
        world.settle();
        world.source.send(new WatchEvent.Bookmark<>("garbage", false));
        world.settle();
        world.source.watchErrors
                .add(new KubeApiException("watch configmaps", new ConnectException("connection refused")));
        world.source.cut();
        world.create("b", "1");
        world.pass(Duration.ofMinutes(1));
        assertThat(world.cached()).containsExactly("a=1", "b=1");
        assertThat(world.informer.state().lastError()).isNull();
    }

    @Test
    void aListThatTheServerRefusesBecauseOfItsVersionIsReadConsistently() {
        world.settle();
        world.source.send(new WatchEvent.Bookmark<>("garbage", false));
        world.source.send(new WatchEvent.Failed<>(expired()));
        world.create("a", "1");
        world.pass(Duration.ofMinutes(1));
        assertThat(world.cached()).containsExactly("a=1");
    }

    @Test
    void aListWhosePagesDoNotEndIsGivenUpAndReported() {
        for (int i = 0; i < 100; i++) {
            world.source.listAnswers.add(new ListPage<>(List.of(), "5", "again", List.of()));
        }
        world.settle();
        assertThat(world.source.lists).hasSizeLessThan(12);
        assertThat(world.informer.state().lastError())
                .contains("the list does not end: the server answers a continue token by the same one");

        world.source.listAnswers.clear();
        for (int i = 0; i < 5_000; i++) {
            world.source.listAnswers.add(new ListPage<>(List.of(), "5", "token-" + i, List.of()));
        }
        world.source.lists.clear();
        world.pass(Duration.ofSeconds(3));
        assertThat(world.source.lists).hasSizeBetween(100, 1_000);
        assertThat(world.informer.state().lastError()).contains("101 pages in a row without an object");

        world.source.listAnswers.clear();
        world.create("a", "1");
        world.pass(Duration.ofMinutes(1));
        assertThat(world.cached()).containsExactly("a=1");
    }

    @Test
    void watchesThatExpireAfterEachEventAreNotRelistedWithoutPauses() {
        V1ConfigMap object = world.create("a", "1");
        for (int i = 0; i < 100; i++) {
            world.source.inject(new WatchEvent.Modified<>(object));
            world.source.inject(new WatchEvent.Failed<>(expired()));
        }
        world.settle();
        assertThat(world.source.lists).hasSizeLessThan(5);
        world.pass(Duration.ofMinutes(1));
        assertThat(world.source.lists).hasSizeLessThan(20);
    }

    @Test
    void watchesThatEndAfterOneEventEachAreNotOpenedAgainWithoutPauses() {
        V1ConfigMap object = world.create("a", "1");
        world.settle();
        for (int i = 0; i < 50; i++) {
            world.pass(Duration.ofMillis(20));
            world.source.send(new WatchEvent.Modified<>(object));
            world.source.end();
            world.settle();
        }
        assertThat(world.source.watches).hasSizeBetween(10, 15);
        world.update("a", "2");
        world.pass(Duration.ofSeconds(30));
        assertThat(world.cached()).containsExactly("a=2");
    }

    // ---- watches that fail again and again

    /** Lets every watch fail, in answers or in events of the stream, and makes a change that only a list can show. */
    private void failAllWatches(KubeApiException error, boolean inEvents) {
        world.create("a", "1");
        world.pass(Duration.ofSeconds(2));
        assertThat(world.cached()).containsExactly("a=1");
        world.source.lists.clear();
        for (int i = 0; i < 500; i++) {
            if (inEvents) {
                world.source.inject(new WatchEvent.Failed<>(error));
            } else {
                world.source.watchErrors.add(error);
            }
        }
        world.source.cut();
        world.delete("a");
        world.create("b", "1");
    }

    @Test
    void anInformerWhoseWatchesAllFailListsAgainWhateverTheErrorIs() {
        for (boolean streams : new boolean[]{false, true}) {
            for (boolean inEvents : new boolean[]{false, true}) {
                for (int code : new int[]{400, 401, 403, 404, 405, 409, 422, 500, 501, 503, 504, 0}) {
                    with(InformerOptions.builder().watchList(streams));
                    failAllWatches(code == 0
                            ? new KubeApiException("watch configmaps", new IOException("an event is too large"))
                            : error(code, "", "no", null), inEvents);
                    world.pass(Duration.ofSeconds(8));
                    assertThat(world.cached()).as("watches that fail with %s, in events: %s, streams: %s", code,
                            inEvents, streams).containsExactly("b=1");
                    world.pass(Duration.ofMinutes(10));
                    assertThat(world.source.lists.size()).as("lists in ten minutes").isBetween(20, 60);
                }
            }
        }
    }

    @Test
    void aServerThatIsTooBusyOrAwayIsWatchedAgainAndNotListed() {
        for (KubeApiException error : List.of(error(429, "TooManyRequests", "slow down", null),
                error(500, "TooManyRequests", "a Status without a code", null),
                KubeApiException.unreachable("watch configmaps", new ConnectException("connection refused")))) {
            for (boolean inEvents : new boolean[]{false, true}) {
                with(InformerOptions.builder().watchList(false));
                failAllWatches(error, inEvents);
                world.pass(Duration.ofMinutes(10));
                assertThat(whole(world.source.lists)).as("after %s", error.getMessage()).isEmpty();
                assertThat(world.source.watches).hasSizeBetween(20, 60);
            }
        }
    }

    @Test
    void anErrorWhoseReasonAloneSaysThatTheVersionIsGoneIsFollowedByAListAtOnce() {
        for (String reason : List.of("Expired", "Gone")) {
            with(InformerOptions.builder().watchList(false));
            world.create("a", "1");
            world.settle();
            // A Status without a code counts as 500.
            world.source.send(new WatchEvent.Failed<>(error(500, reason, "too old resource version", null)));
            world.settle();
            assertThat(world.counted.relists).containsExactly("expired");
        }
    }

    @Test
    void aWatchThatEndsAtOnceAndBringsNothingIsFollowedByAList() {
        world.create("a", "1");
        world.settle();
        world.source.end();
        world.pass(Duration.ofSeconds(2));
        assertThat(world.counted.relists).containsExactly("brief");
        // A watch that lasts longer than a second may end.
        world.pass(Duration.ofSeconds(2));
        world.source.end();
        world.pass(Duration.ofSeconds(5));
        assertThat(world.counted.relists).containsExactly("brief");
    }

    @Test
    void aVersionWhoseEventBreaksEachConnectionDoesNotHoldTheCacheBack() {
        world.create("a", "1");
        world.pass(Duration.ofSeconds(2));
        world.source.mute(true);
        world.update("a", "2");
        for (int watch = 0; watch < 2; watch++) {
            assertThat(world.cached()).containsExactly("a=1");
            world.pass(Duration.ofSeconds(5));
            world.source.cut();
            world.pass(Duration.ofSeconds(4));
        }
        assertThat(world.counted.relists).containsExactly("broken");
        assertThat(world.cached()).containsExactly("a=2");
    }

    @Test
    void aServerWithoutAWatchCacheIsListedInPagesAgainAndOneWithACacheAtOnce() {
        for (boolean cache : new boolean[]{false, true}) {
            with(InformerOptions.builder().freshStart(false).watchList(false).pageSize(2));
            List<V1ConfigMap> made = new ArrayList<>();
            for (String name : List.of("a", "b", "c")) {
                made.add(world.create(name, "1"));
            }
            world.source.listAnswers.addAll(cache
                    ? List.of(new ListPage<>(made, world.version(), null, List.of()))
                    : List.of(new ListPage<>(made.subList(0, 2), world.version(), "further", List.of()),
                            new ListPage<>(made.subList(2, 3), world.version(), null, List.of())));
            world.settle();
            assertThat(world.source.lists.getFirst()).isEqualTo(new ListOptions("0", null, 2, null));
            assertThat(world.cached()).containsExactly("a=1", "b=1", "c=1");
            String seen = world.version();
            world.source.lists.clear();
            world.source.send(new WatchEvent.Failed<>(expired()));
            world.settle();
            assertThat(world.source.lists.getFirst()).isEqualTo(ListOptions.notOlderThan(seen, cache ? 0 : 2));
            assertThat(world.cached()).containsExactly("a=1", "b=1", "c=1");
        }
    }
}
