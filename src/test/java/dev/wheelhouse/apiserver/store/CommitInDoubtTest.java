package dev.wheelhouse.apiserver.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A storage that fails in a way that it cannot undo, so that nobody knows what it keeps. */
@Timeout(60)
class CommitInDoubtTest {
    private final CountDownLatch firstMayEnd = new CountDownLatch(1);
    private final AtomicInteger commits = new AtomicInteger();
    private final ObjectStore store = new ObjectStore(new ManualClock(), Retention.standard(),
            new CommitHook(writes -> commit()));

    private void commit() {
        if (commits.incrementAndGet() > 1) {
            throw new OutOfMemoryError("planted");
        }
        CommitHook.await(firstMayEnd);
    }

    private static final class Writer {
        final Thread thread;
        volatile @Nullable Throwable failure;
        volatile boolean acknowledged;

        Writer(ObjectStore store, String name) {
            thread = Thread.ofPlatform().start(() -> {
                try {
                    store.create("configmaps", object(name));
                    acknowledged = true;
                } catch (Throwable e) {
                    failure = e;
                }
            });
        }
    }

    private static ObjectNode object(String name) {
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("name", name).put("namespace", "ns");
        return object;
    }

    @Test
    void noWriterOfItsBatchIsToldOfASuccessAndNoFurtherWriteIsTaken() throws Exception {
        List<Writer> writers = new ArrayList<>();
        for (String name : List.of("first", "second", "third", "fourth")) {
            writers.add(new Writer(store, name));
            Eventually.eventually(name + " waits", Duration.ofSeconds(30),
                    () -> writers.getLast().thread.getState() == Thread.State.WAITING);
        }
        firstMayEnd.countDown();
        for (Writer writer : writers) {
            writer.thread.join();
        }

        assertThat(writers.getFirst().acknowledged).isTrue();
        assertThat(writers.subList(1, 4)).extracting(writer -> writer.acknowledged).containsOnly(false);
        assertThat(writers.subList(1, 4)).extracting(writer -> writer.failure)
                .as("none of these says that the write has not happened")
                .doesNotHaveAnyElementsOfTypes(StoreException.Failed.class);
        assertThat(commits).as("a version is missing").hasValue(2);
        assertThatThrownBy(() -> store.create("configmaps", object("fifth"))).isInstanceOf(StoreException.Failed.class)
                .hasMessageContaining("start it again");
        assertThat(store.problem()).contains("start it again");
        assertThat(store.get("configmaps", "ns", "first")).isNotNull();
        assertThat(store.get("configmaps", "ns", "second")).isNull();
        store.close();
        assertThat(commits).as("closing does not store the rest").hasValue(2);
    }
}
