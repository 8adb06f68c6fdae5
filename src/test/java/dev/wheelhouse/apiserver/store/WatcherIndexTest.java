package dev.wheelhouse.apiserver.store;

import java.lang.management.ManagementFactory;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

class WatcherIndexTest {
    /** A write is offered under the lock of its resource, so the time that this takes is everybody's. */
    @Test
    void whomAChangeConcernsIsKnownWithoutReadingTheObject() {
        ObjectNode large = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        large.putObject("metadata").put("namespace", "ns").put("name", "a");
        large.putObject("data").put("x", "x".repeat(500_000));
        StoredObject stored = StoredObject.draft("configmaps", large, 1);
        Change change = new Change(stored, null, false, SortedTree.empty(), 0);
        WatcherIndex watchers = new WatcherIndex();
        watchers.deliver(change);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        watchers.deliver(change);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).as("bytes").isLessThan(50_000);
    }
}
