package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreEvent;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.store.Watcher;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Events live for an hour after they were last written. */
class EventExpiryTest {
    private static final Duration ALMOST = EventExpiry.LIFE.minus(EventExpiry.PERIOD);

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final ResourceClient<CoreV1Event> events = server.client("user").resource(ResourceType.EVENTS,
            CoreV1Event.class);

    @AfterEach
    void close() {
        server.close();
    }

    private void create(String name) {
        events.create(new CoreV1Event().metadata(new V1ObjectMeta().namespace("default").name(name)).reason("Seen")
                .involvedObject(new V1ObjectReference().kind("Pod").namespace("default").name("web")));
    }

    private List<String> names() {
        return server.store().snapshot("events").select(Selection.all()).stream().map(StoredObject::name).toList();
    }

    private void pass(Duration time) {
        for (Duration left = time; left.isPositive(); left = left.minus(EventExpiry.PERIOD)) {
            server.expireEvents();
            clock.advance(EventExpiry.PERIOD);
        }
        server.expireEvents();
    }

    @Test
    void anEventEndsAnHourAfterItsLastWriteAndWatchersAreTold() {
        create("first");
        create("repeated");
        try (Watcher watcher = server.store().watchFromNow("events", Selection.all())) {
            pass(ALMOST);
            assertThat(names()).containsExactly("first", "repeated");
            events.patch(ObjectKey.of("default", "repeated"), "", PatchType.MERGE, "{\"count\": 2}");

            pass(EventExpiry.PERIOD);
            assertThat(names()).containsExactly("repeated");
            List<StoreEvent> told = Stream.generate(watcher::poll).takeWhile(Objects::nonNull).toList();
            assertThat(told.getLast().type()).isEqualTo(StoreEvent.Type.DELETED);
            assertThat(told.getLast().object().name()).isEqualTo("first");

            pass(ALMOST);
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void otherObjectsStay() {
        create("first");
        pass(EventExpiry.LIFE.multipliedBy(2));
        assertThat(names()).isEmpty();
        assertThat(server.store().snapshot("namespaces").select(Selection.all())).isNotEmpty();
    }
}
