package dev.wheelhouse.recording;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.store.Ids;

import static org.assertj.core.api.Assertions.assertThat;

class DeletionOrderTest {
    @Test
    void uidsFollowTheRecordedDeletions() {
        DeletionOrder order = DeletionOrder.of(Recording.parse("""
                {"server": "v", "manager": "2026-01-01T00:00:00Z", "began": "2026-01-01T00:00:00Z", "entries": [
                {"step": 0, "at": 0, "until": 1, "changed":
                {"Pod/web#1": {"a": 1}, "Pod/web#2": {"a": 1}, "Pod/web#3": {"a": 1}}},
                {"step": 1, "at": 2, "until": 3, "changed": {"Pod/web#2": {"deletionTimestamp": "<time>"}}},
                {"step": 2, "at": 4, "until": 5, "changed": {"Pod/web#1": null},
                "events": ["Normal SuccessfulDelete ReplicaSet/web: Deleted pod: web#4 (replicaset-controller)"]},
                {"step": 3, "at": 6, "until": 7}
                ]}
                """), 1);
        Ids ids = new Ids(order);

        assertThat(Stream.of("web#2", "web#4", "web#3").map(pod -> {
            order.next(pod);
            return ids.uid();
        }).toList()).isSorted();
        assertThat(ids.uid()).isNotEqualTo(ids.uid());
    }
}
