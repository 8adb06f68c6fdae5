package dev.wheelhouse.apiserver.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ObjectStoreTest {
    private final ManualClock clock = new ManualClock();
    private final ObjectStore store = new ObjectStore(clock, new Retention(100, Duration.ofMinutes(5), 3, 1_000_000),
            Storage.inMemory());

    private static ObjectNode object(String namespace, String name, String label) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        ObjectNode meta = object.putObject("metadata").put("namespace", namespace).put("name", name);
        if (!label.isEmpty()) {
            meta.putObject("labels").put("x", label);
        }
        return object;
    }

    private static ObjectNode pod(String name, String node) {
        ObjectNode pod = object("ns", name, "");
        pod.putObject("spec").put("nodeName", node);
        return pod;
    }

    private StoredObject create(String name, String label) {
        return store.create("configmaps", object("ns", name, label));
    }

    private StoredObject relabel(StoredObject object, String label) {
        return store.update("configmaps", object("ns", object.name(), label), object.version());
    }

    private static Selection labelled(String selector) {
        return new Selection("", LabelSelector.parse(selector), FieldSelector.everything());
    }

    /** The events so far, each as {@code ADDED name version label}. */
    static List<String> drain(Watcher watcher) {
        List<String> events = new ArrayList<>();
        for (StoreEvent event = watcher.poll(); event != null; event = watcher.poll()) {
            events.add(event.type() + " " + event.object().name() + " " + event.object().version() + " "
                    + event.object().labels().get("x"));
        }
        return events;
    }

    @Test
    void versionsGrowByOneOverAllResources() {
        assertThat(create("a", "").version()).isEqualTo(1);
        assertThat(store.create("secrets", object("ns", "s", "")).version()).isEqualTo(2);
        assertThat(create("b", "").version()).isEqualTo(3);
        assertThat(store.version()).isEqualTo(3);
    }

    @Test
    void aStoredObjectCarriesItsVersionAndBeginsWithItsKind() {
        StoredObject stored = create("a", "1");
        assertThat(new String(stored.json(), java.nio.charset.StandardCharsets.UTF_8))
                .startsWith("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{");
        assertThat(Json.text(stored.tree(), "metadata", "resourceVersion")).isEqualTo("1");
    }

    @Test
    void aSecondCreationAndAStaleUpdateAreRefusedAndUseNoVersion() {
        StoredObject first = create("a", "1");
        assertThatThrownBy(() -> create("a", "2")).isInstanceOf(StoreException.Exists.class);
        relabel(first, "2");
        assertThatThrownBy(() -> relabel(first, "3")).isInstanceOf(StoreException.Conflict.class);
        assertThatThrownBy(() -> store.delete("configmaps", "ns", "a", first.version()))
                .isInstanceOf(StoreException.Conflict.class);
        assertThatThrownBy(() -> store.update("configmaps", object("ns", "none", ""), 7))
                .isInstanceOf(StoreException.Conflict.class);
        assertThat(store.version()).isEqualTo(2);
    }

    @Test
    void aWatchSeesEachChangeOnceInOrder() {
        Watcher watcher = store.watch("configmaps", Selection.all(), 0);
        StoredObject a = create("a", "1");
        StoredObject changed = relabel(a, "2");
        store.delete("configmaps", "ns", "a", changed.version());
        assertThat(drain(watcher)).containsExactly("ADDED a 1 1", "MODIFIED a 2 2", "DELETED a 3 2");
        assertThat(drain(watcher)).isEmpty();
    }

    @Test
    void aWatchFromAnOldVersionReplaysWhatFollowed() {
        create("a", "1");
        create("b", "1");
        create("c", "1");
        assertThat(drain(store.watch("configmaps", Selection.all(), 1))).containsExactly("ADDED b 2 1", "ADDED c 3 1");
    }

    @Test
    void enteringASelectorIsAnAdditionAndLeavingItADeletionOfTheOldStateAtTheNewVersion() {
        Watcher watcher = store.watch("configmaps", labelled("x=1"), 0);
        StoredObject a = create("a", "9");
        StoredObject in = relabel(a, "1");
        StoredObject out = relabel(in, "2");
        store.delete("configmaps", "ns", "a", out.version());
        assertThat(drain(watcher)).containsExactly("ADDED a 2 1", "DELETED a 3 1");
        assertThat(drain(store.watch("configmaps", labelled("x=1"), 0))).containsExactly("ADDED a 2 1",
                "DELETED a 3 1");
    }

    @Test
    void aWatchFromNowBeginsWithWhatIsThere() {
        create("a", "1");
        Watcher watcher = store.watchFromNow("configmaps", labelled("x=1"));
        create("b", "1");
        create("c", "2");
        assertThat(drain(watcher)).containsExactly("ADDED a 1 1", "ADDED b 2 1");
    }

    @Test
    void watchesByNodeSeeThePodsOfTheirNodeAndThoseThatLeaveIt() {
        Watcher n1 = store.watch("pods",
                new Selection("", LabelSelector.everything(), FieldSelector.of("spec.nodeName", "n1")), 0);
        Watcher n2 = store.watch("pods",
                new Selection("", LabelSelector.everything(), FieldSelector.of("spec.nodeName", "n2")), 0);
        StoredObject pod = store.create("pods", pod("p", ""));
        StoredObject bound = store.update("pods", pod("p", "n1"), pod.version());
        store.update("pods", pod("p", "n2"), bound.version());
        assertThat(drain(n1)).containsExactly("ADDED p 2 null", "DELETED p 3 null");
        assertThat(drain(n2)).containsExactly("ADDED p 3 null");
    }

    @Test
    void aVersionThatWasCompactedIsExpired() {
        create("a", "1");
        create("b", "1");
        store.compact();
        assertThatThrownBy(() -> store.watch("configmaps", Selection.all(), 1))
                .isInstanceOf(StoreException.Expired.class);
        assertThatThrownBy(() -> store.snapshotAt("configmaps", 1)).isInstanceOf(StoreException.Expired.class);
        assertThat(drain(store.watch("configmaps", Selection.all(), 2))).isEmpty();
    }

    @Test
    void theWindowIsBoundedByCountAndByAge() {
        for (int i = 0; i < 101; i++) {
            create("n" + i, "1");
        }
        assertThatThrownBy(() -> store.watch("configmaps", Selection.all(), 0))
                .isInstanceOf(StoreException.Expired.class);
        assertThat(drain(store.watch("configmaps", Selection.all(), 1))).hasSize(100);
        clock.advance(Duration.ofMinutes(6));
        create("late", "1");
        assertThat(drain(store.watch("configmaps", Selection.all(), 99))).hasSize(3);
        assertThatThrownBy(() -> store.watch("configmaps", Selection.all(), 98))
                .isInstanceOf(StoreException.Expired.class);
    }

    @Test
    void aQuietResourceKeepsItsVersionsHoweverMuchIsWrittenElsewhere() {
        create("a", "1");
        for (int i = 0; i < 500; i++) {
            store.create("secrets", object("ns", "s" + i, ""));
        }
        assertThat(drain(store.watch("configmaps", Selection.all(), 0))).hasSize(1);
    }

    @Test
    void aSlowWatcherIsEndedAndOthersAreNot() {
        Watcher slow = store.watch("configmaps", Selection.all(), 0);
        Watcher quick = store.watch("configmaps", Selection.all(), 0);
        int seen = 0;
        for (int i = 0; i < 10_001; i++) {
            store.create("configmaps", object("ns", "n" + i, ""));
            seen += drain(quick).size();
        }
        assertThat(slow.isClosed()).isTrue();
        assertThat(slow.isOverflowed()).isTrue();
        assertThat(drain(slow)).isEmpty();
        assertThat(quick.isClosed()).isFalse();
        assertThat(seen).isEqualTo(10_001);
    }

    @Test
    void aWatcherThatLetsTooManyBytesWaitIsEndedAndKeepsNoneOfThem() {
        Watcher slow = store.watch("configmaps", Selection.all(), 0);
        String large = "x".repeat((int) Watcher.MAX_BYTES / 32);
        for (int i = 0; i < 31; i++) {
            store.create("configmaps", object("ns", "n" + i, "").put("data", large));
        }
        assertThat(slow.isClosed()).isFalse();
        store.create("configmaps", object("ns", "last", "").put("data", large));
        assertThat(slow.isOverflowed()).isTrue();
        assertThat(drain(slow)).isEmpty();
        assertThat(store.watchers()).isZero();
    }

    @Test
    void thePastIsBoundedByBytesHoweverFewItsEventsAre() {
        create("a", "1");
        String large = "x".repeat(400_000);
        for (int i = 0; i < 3; i++) {
            store.create("configmaps", object("ns", "n" + i, "").put("data", large));
        }
        assertThat(drain(store.watch("configmaps", Selection.all(), 2))).hasSize(2);
        assertThatThrownBy(() -> store.watch("configmaps", Selection.all(), 1))
                .isInstanceOf(StoreException.Expired.class);
    }

    @Test
    void aWatchOfANamespaceOrOfANameIsToldOfNothingElse() {
        Watcher namespace = store.watch("configmaps",
                new Selection("other", LabelSelector.everything(), FieldSelector.everything()), 0);
        Watcher name = store.watch("configmaps",
                new Selection("ns", LabelSelector.everything(), FieldSelector.of("metadata.name", "b")), 0);
        create("a", "1");
        StoredObject b = create("b", "1");
        store.create("configmaps", object("other", "b", "1"));
        store.delete("configmaps", "ns", "b", b.version());
        assertThat(drain(namespace)).containsExactly("ADDED b 3 1");
        assertThat(drain(name)).containsExactly("ADDED b 2 1", "DELETED b 4 1");
        namespace.close();
        name.close();
        assertThat(store.watchers()).isZero();
    }

    /** If objects were serialised under the lock, the first write would wait for the second one for ever. */
    @Test
    void whileAnObjectIsSerialisedOthersAreWritten() throws Exception {
        CountDownLatch serialising = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        ObjectNode slow = object("ns", "slow", "");
        slow.putPOJO("data", new Object() {
            @SuppressWarnings("unused") // the serialiser calls it
            public boolean isWritten() throws InterruptedException {
                serialising.countDown();
                return written.await(2, TimeUnit.MINUTES);
            }
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<StoredObject> first = threads.submit(() -> store.create("configmaps", slow));
            assertThat(serialising.await(2, TimeUnit.MINUTES)).isTrue();
            assertThat(create("quick", "").version()).isEqualTo(1);
            written.countDown();
            assertThat(first.get().version()).isEqualTo(2);
            assertThat(Json.at(first.get().tree(), "data", "written").booleanValue()).isTrue();
            assertThat(Json.text(first.get().tree(), "metadata", "resourceVersion")).isEqualTo("2");
        }
    }

    @Test
    void progressIsTheStoresVersionOnceEverythingWasPolled() {
        Watcher watcher = store.watch("configmaps", Selection.all(), 0);
        create("a", "1");
        store.create("secrets", object("ns", "s", ""));
        assertThat(watcher.progress()).isEqualTo(-1);
        drain(watcher);
        assertThat(watcher.progress()).isEqualTo(2);
    }

    @Test
    void pagesOfASnapshotAreCompleteAndInOrder() {
        for (String name : List.of("c", "a", "b", "e", "d")) {
            create(name, "1");
        }
        store.create("configmaps", object("other", "z", ""));
        Selection ns = new Selection("ns", LabelSelector.everything(), FieldSelector.everything());
        Snapshot snapshot = store.snapshot("configmaps");
        create("bb", "1");
        Snapshot.Page first = snapshot.page(ns, "", 2);
        Snapshot.Page second = store.snapshotAt("configmaps", snapshot.version()).page(ns, first.next(), 2);
        Snapshot.Page third = snapshot.page(ns, second.next(), 2);
        assertThat(first.items()).extracting(StoredObject::name).containsExactly("a", "b");
        assertThat(first.remaining()).isEqualTo(3);
        assertThat(second.items()).extracting(StoredObject::name).containsExactly("c", "d");
        assertThat(third.items()).extracting(StoredObject::name).containsExactly("e");
        assertThat(third.next()).isEmpty();
    }

    @Test
    void everyKeptVersionReadsAsItWas() {
        Random random = new Random(7);
        Map<String, Long> now = new HashMap<>();
        List<Map<String, Long>> history = new ArrayList<>(List.of(Map.of()));
        ObjectStore big = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
        for (int i = 0; i < 500; i++) {
            String name = "n" + random.nextInt(40);
            Long version = now.get(name);
            if (version == null) {
                now.put(name, big.create("configmaps", object("ns", name, "")).version());
            } else if (random.nextBoolean()) {
                now.put(name, big.update("configmaps", object("ns", name, ""), version).version());
            } else {
                big.delete("configmaps", "ns", name, version);
                now.remove(name);
            }
            history.add(Map.copyOf(now));
        }
        for (int version = 0; version < history.size(); version++) {
            Map<String, Long> read = new HashMap<>();
            big.snapshotAt("configmaps", version).select(Selection.all())
                    .forEach(object -> read.put(object.name(), object.version()));
            assertThat(read).isEqualTo(history.get(version));
        }
    }

    @Test
    void closingEndsWatchesAndRefusesWrites() {
        Watcher watcher = store.watch("configmaps", Selection.all(), 0);
        store.close();
        assertThat(watcher.isClosed()).isTrue();
        assertThat(store.watchers()).isZero();
        assertThatThrownBy(() -> create("a", "")).isInstanceOf(StoreException.Closed.class);
    }

    @Test
    void anUpdateBeginsAnewFromEachStateThatAnotherWriteHasMade() {
        store.create("configmaps", object("ns", "a", "0"));
        List<Long> seen = new ArrayList<>();
        StoredObject stored = store.guaranteedUpdate("configmaps", "ns", "a", tree -> {
            long version = Long.parseLong(Json.text(tree, "metadata", "resourceVersion"));
            seen.add(version);
            if (version <= 30) {
                store.update("configmaps", object("ns", "a", "other"), version);
            }
            tree.put("mine", true);
            return true;
        });
        assertThat(seen).hasSize(31).startsWith(1L, 2L).endsWith(31L);
        assertThat(stored).isNotNull();
        assertThat(stored.version()).isEqualTo(32);
        assertThat(stored.tree().path("mine").booleanValue()).isTrue();
    }

    @Test
    void anUpdateStoresNothingIfTheObjectIsGoneOrTheTransformDeclinesOrThrows() {
        assertThat(store.guaranteedUpdate("configmaps", "ns", "a", tree -> true)).isNull();
        StoredObject stored = store.create("configmaps", object("ns", "a", "0"));
        assertThat(store.guaranteedUpdate("configmaps", "ns", "a", tree -> false)).isNull();
        assertThatThrownBy(() -> store.guaranteedUpdate("configmaps", "ns", "a", tree -> {
            throw new IllegalStateException("planted");
        })).hasMessage("planted");
        assertThat(store.guaranteedUpdate("configmaps", "ns", "a", tree -> {
            store.delete("configmaps", "ns", "a", stored.version());
            return true;
        })).isNull();
        assertThat(store.get("configmaps", "ns", "a")).isNull();
    }

    @Test
    void aConflictThatIsNotAboutTheObjectEndsItsUpdate() {
        create("a", "");
        create("b", "");
        assertThatThrownBy(() -> store.guaranteedUpdate("configmaps", "ns", "a", tree -> {
            store.update("configmaps", object("ns", "b", ""), 1);
            return true;
        })).isInstanceOf(StoreException.Conflict.class).hasMessageContaining("ns/b");
    }

    private static ObjectNode large(String name, int characters) {
        ObjectNode object = object("ns", name, "");
        object.putObject("data").put("x", "x".repeat(characters));
        return object;
    }

    @Test
    void aFullStoreTakesNoNewObjectsUntilSomeAreDeletedAndTheOthersCanStillChange() {
        ObjectStore small = new ObjectStore(clock, Retention.standard(), Storage.inMemory(), 20_000);
        for (String name : List.of("a", "b", "c")) {
            small.create("configmaps", large(name, 5_000));
        }
        assertThatThrownBy(() -> small.create("secrets", large("d", 5_000))).isInstanceOf(StoreException.Full.class)
                .hasMessageStartingWith("etcdserver: mvcc: database space exceeded: the objects take 18");
        StoredObject a = small.get("configmaps", "ns", "a");
        StoredObject changed = small.update("configmaps", large("a", 6_500), a.version());
        assertThatThrownBy(() -> small.update("configmaps", large("a", 9_500), changed.version()))
                .isInstanceOf(StoreException.Full.class);
        assertThat(small.update("configmaps", large("a", 6_500), changed.version()).version()).isEqualTo(5);
        StoredObject b = small.get("configmaps", "ns", "b");
        small.delete("configmaps", "ns", "b", b.version());
        assertThat(small.create("secrets", large("d", 4_000)).version()).isEqualTo(7);
        small.close();
    }

    @Test
    void thePastOfAllResourcesTogetherIsBoundedAndTheLongestIsForgottenFirst() {
        ObjectStore small = new ObjectStore(clock, Retention.standard(), Storage.inMemory(), 100_000);
        StoredObject quiet = small.create("secrets", object("ns", "quiet", ""));
        for (String resource : List.of("configmaps", "endpoints")) {
            StoredObject object = small.create(resource, large("busy", 5_000));
            for (int i = 0; i < 30; i++) {
                object = small.update(resource, large("busy", 5_000), object.version());
            }
        }
        for (String resource : List.of("configmaps", "endpoints")) {
            assertThatThrownBy(() -> small.watch(resource, Selection.all(), 1))
                    .isInstanceOf(StoreException.Expired.class);
            StoredObject object = small.get(resource, "ns", "busy");
            assertThat(drain(small.watch(resource, Selection.all(), object.version() - 5))).hasSize(5);
        }
        assertThat(drain(small.watch("secrets", Selection.all(), quiet.version() - 1))).hasSize(1);
        small.close();
    }

    /** Each watch of a namespace has a queue of its own, so the bound of one queue would bound their sum by nothing. */
    @Test
    void watchesThatAreNotReadHoldNoMoreThanThePastThatIsKept() {
        ObjectStore small = new ObjectStore(clock, Retention.standard(), Storage.inMemory(), 100_000);
        Watcher reading = small.watch("configmaps", Selection.all(), 0);
        int read = 0;
        for (int i = 0; i < 50; i++) {
            String namespace = "ns" + i;
            small.watch("configmaps",
                    new Selection(namespace, LabelSelector.everything(), FieldSelector.everything()),
                    small.version());
            StoredObject object = small.create("configmaps", object(namespace, "busy", "x".repeat(5_000)));
            small.delete("configmaps", namespace, "busy", object.version());
            read += drain(reading).size();
        }
        assertThat(read).isEqualTo(100);
        assertThat(reading.isClosed()).isFalse();
        assertThat(small.watchers()).isBetween(5, 15);
        small.close();
    }

    @Test
    void aWatchWhoseInitialEventsAreNotReadEndsWithTheirStateAndIsNotSaidToBeComplete() {
        ObjectStore small = new ObjectStore(clock, Retention.standard(), Storage.inMemory(), 100_000);
        small.create("configmaps", large("quiet", 10));
        StoredObject busy = small.create("configmaps", large("busy", 5_000));
        Watcher watcher = small.watchFromNow("configmaps", Selection.all());
        WatchFeed feed = new WatchFeed(watcher, ResourceType.CONFIG_MAPS, object -> object.json(), true, true,
                Duration.ofHours(1), clock);
        assertThat(feed.next()).extracting(WatchFeed.Event::type).isEqualTo("ADDED");
        for (int i = 0; i < 50; i++) {
            busy = small.update("configmaps", large("busy", 5_000), busy.version());
        }
        assertThat(watcher.isOverflowed()).isTrue();
        clock.advance(Duration.ofMinutes(2));
        assertThat(feed.next()).isNull();
        assertThat(small.watchers()).isZero();
        small.close();
    }
}
