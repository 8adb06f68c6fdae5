package dev.wheelhouse.spring;

import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.health.contributor.Status;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint, the metrics and the health of informers. All in one thread, in time that is moved by hand.
 */
class InformersSeenTest {
    private static final SecurityContext AUTHORIZED = new SecurityContext() {
        @Override
        public Principal getPrincipal() {
            return () -> "viewer";
        }

        @Override
        public boolean isUserInRole(String role) {
            return false;
        }
    };

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final InformerFactory factory = new InformerFactory(server.client("test"), clock,
            registry,
            InformerOptions.builder().seed(1).pendingBound(1).watchList(false).build());
    private final InformersEndpoint endpoint = new InformersEndpoint(List.of(factory::states), clock);
    private final CachesHealthIndicator health = new CachesHealthIndicator(() -> true, () -> false, List::of,
            List.of(factory::states), clock);
    private final ResourceClient<V1ConfigMap> configMaps = server.client("test").resource(ResourceType.CONFIG_MAPS,
            V1ConfigMap.class);

    @AfterEach
    void close() {
        factory.close();
        server.close();
    }

    private SharedIndexInformer<V1ConfigMap> informer() {
        return factory.informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "default", LabelSelector.everything(),
                FieldSelector.parse("metadata.name!=kube-root-ca.crt"));
    }

    private void step(int loop) throws InterruptedException {
        factory.loops().get(loop).step();
    }

    private void pass(Duration time) throws InterruptedException {
        for (Duration left = time; !left.isNegative(); left = left.minusMillis(500)) {
            boolean busy = true;
            while (busy) {
                busy = false;
                for (Loop loop : factory.loops()) {
                    busy |= loop.step() == Loop.BUSY;
                }
            }
            clock.advance(Duration.ofMillis(500));
        }
    }

    private InformersEndpoint.Informer shown() {
        return shownTo(AUTHORIZED);
    }

    private InformersEndpoint.Informer shownTo(SecurityContext viewer) {
        return Objects.requireNonNull(endpoint.informersOf(viewer, "configmaps")).get("informers").getFirst();
    }

    private V1ConfigMap create(String name) {
        return configMaps.create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name))
                .putDataItem("k", "0"));
    }

    private static final class Failing implements ResourceEventHandler<V1ConfigMap> {
        final List<String> deleted = new ArrayList<>();

        @Override
        public void onAdd(V1ConfigMap object, boolean initial) {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap after) {}

        @Override
        public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
            deleted.add(object.getMetadata().getName());
        }
    }

    @Test
    void syncedOrWhyNotWithTheVerbTheStatusAndTheMissingPermission() throws Exception {
        informer();
        assertThat(shown().notSynced()).isEqualTo(
                "configmaps in default (metadata.name!=kube-root-ca.crt): the first list has not come yet");
        server.faults().on("list", "configmaps").times(1).fail(403, "no");
        step(0);
        assertThat(shown().synced()).isFalse();
        assertThat(shown().lastFailure()).isNotNull().satisfies(failure -> {
            assertThat(failure.verb()).isEqualTo("list");
            assertThat(failure.status()).isEqualTo(403);
            assertThat(failure.message()).contains("missing permission: verb list on resource configmaps");
        });
        assertThat(registry.get("informer.synced").gauge().value()).isZero();
        pass(Duration.ofSeconds(3));
        assertThat(shown().synced()).isTrue();
        assertThat(shown().notSynced()).isNull();
        assertThat(shown().lastFailure()).isNull();
        assertThat(registry.get("informer.synced").gauge().value()).isEqualTo(1);
        assertThat(registry.get("reflector.list.duration").tag("outcome", "failure").timer().count()).isEqualTo(1);
    }

    @Test
    void objectsVersionLagRelistsWatchEndsSkippedObjectsQueueHandlersAndConflations() throws Exception {
        create("a");
        SharedIndexInformer<V1ConfigMap> informer = informer();
        informer.setTransform(object -> {
            if (object.getMetadata().getName().equals("odd")) {
                throw new IllegalArgumentException("it is odd");
            }
            return object;
        });
        informer.addEventHandler(new Failing());
        pass(Duration.ofSeconds(1));
        create("odd");
        for (int i = 1; i <= 4; i++) {
            configMaps.update(configMaps.get(ObjectKey.of("default", "a")).putDataItem("k", String.valueOf(i)));
            step(0);
            assertThat(shown().queued()).isPositive();
            step(1);
        }
        assertThat(shown().handlers().getFirst().pending()).isEqualTo(1);
        pass(Duration.ofSeconds(1));
        server.faults().on("watch", "configmaps").times(1).fail(410, "too old");
        server.faults().cutWatches();
        pass(Duration.ofSeconds(5));
        clock.advance(Duration.ofSeconds(20));

        InformersEndpoint.Informer shown = shown();
        assertThat(shown.resource()).isEqualTo("configmaps");
        assertThat(shown.namespace()).isEqualTo("default");
        assertThat(shown.objects()).isEqualTo(1);
        assertThat(shown.resourceVersion()).isEqualTo(informer.resourceVersion()).isNotEmpty();
        assertThat(shown.lastEvent()).isNotNull();
        assertThat(shown.lagSeconds()).isBetween(20.0, 30.0);
        assertThat(shown.events()).isGreaterThanOrEqualTo(5);
        assertThat(shown.relists()).containsExactly(Map.entry("expired", 1L));
        assertThat(shown.watchEnds()).containsEntry("ended", 1L);
        assertThat(shown.decodeErrors()).isEqualTo(2);
        assertThat(shown.lastDecodeError()).contains("default/odd").contains("it is odd");
        assertThat(shownTo(SecurityContext.NONE).lastDecodeError()).as("it may quote an object").isNull();
        assertThat(shown.handlers()).singleElement().satisfies(handler -> {
            assertThat(handler.name()).contains("Failing");
            assertThat(handler.synced()).isTrue();
            assertThat(handler.calls()).isEqualTo(2);
            assertThat(handler.failed()).isEqualTo(1);
            assertThat(handler.conflations()).isEqualTo(3);
        });

        assertThat(meter("informer.objects").gauge().value()).isEqualTo(1);
        assertThat(meter("informer.store.resource.version").gauge().value())
                .isEqualTo(Double.parseDouble(informer.resourceVersion()));
        assertThat(meter("informer.lag").gauge().value()).isBetween(20.0, 30.0);
        assertThat(meter("informer.queued.items").gauge().value()).isZero();
        assertThat(meter("informer.pending").gauge().value()).isZero();
        assertThat(meter("informer.processing.latency").timer().count()).isPositive();
        assertThat(meter("informer.handler.duration").tag("failed", "true").timer().count()).isEqualTo(1);
        assertThat(meter("informer.conflations").counter().count()).isEqualTo(3);
        assertThat(meter("reflector.lists").counter().count()).isEqualTo(2);
        assertThat(meter("reflector.items.per.list").summary().count()).isEqualTo(2);
        assertThat(meter("reflector.watches").counter().count()).isEqualTo(2);
        assertThat(meter("reflector.items.per.watch").summary().max()).isGreaterThanOrEqualTo(5);
        assertThat(meter("reflector.watch.duration").tag("cause", "ended").timer().count()).isEqualTo(1);
        assertThat(registry.find("reflector.short.watches").counter()).isNull();
        assertThat(meter("reflector.events").counter().count()).isGreaterThanOrEqualTo(5);
        assertThat(meter("reflector.relists").tag("cause", "expired").counter().count()).isEqualTo(1);
        assertThat(meter("reflector.decode.errors").counter().count()).isEqualTo(2);
    }

    /** A meter of the informer, which has series of its own since its cache holds an object. */
    private RequiredSearch meter(String name) {
        return registry.get(name).tag("resource", "configmaps");
    }

    @Test
    void informersThatDifferInNoTagShareTheirGaugesAndTheLastTakesThemAlong() throws Exception {
        create("a");
        var source = configMaps.listerWatcher("default", LabelSelector.everything(),
                FieldSelector.parse("metadata.name!=kube-root-ca.crt"));
        SharedIndexInformer<V1ConfigMap> one = factory.unshared(source, V1ConfigMap.class);
        SharedIndexInformer<V1ConfigMap> two = factory.unshared(source, V1ConfigMap.class);
        pass(Duration.ofSeconds(1));
        assertThat(registry.get("informer.objects").gauge().value()).isEqualTo(2);
        factory.stop(one);
        assertThat(registry.get("informer.objects").gauge().value()).isEqualTo(1);
        factory.stop(two);
        assertThat(registry.find("informer.objects").meters()).isEmpty();
        assertThat(registry.getMeters()).extracting(Meter::getId).noneMatch(id -> id.getName().endsWith(".lag"));
    }

    @Test
    void anInformerThatIsDeadWhileHealthIsGreen() throws Exception {
        create("a");
        informer();
        pass(Duration.ofSeconds(1));
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
        server.faults().on("watch", "configmaps").fail(403, "the role was taken away");
        server.faults().cutWatches();
        pass(Duration.ofSeconds(90));
        assertThat(health.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health.health().getDetails().get("stale").toString()).contains("configmaps in default")
                .contains("verb watch");
        server.faults().clear();
        pass(Duration.ofSeconds(65));
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void aCacheWithoutAFailureThatHeardNothingForSixMinutesIsStale() {
        Instant now = clock.now();
        List<InformerState> states = new ArrayList<>();
        CachesHealthIndicator seen = new CachesHealthIndicator(() -> true, () -> false, List::of,
                List.of(() -> states), clock);
        states.add(quiet(now.minus(Duration.ofMinutes(6))));
        assertThat(seen.health().getStatus()).isEqualTo(Status.UP);
        states.set(0, quiet(now.minus(Duration.ofMinutes(6)).minusSeconds(1)));
        assertThat(seen.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(seen.health().getDetails().get("stale").toString())
                .contains("configmaps: nothing has arrived for 361 s, not even a bookmark");
    }

    private static InformerState quiet(Instant lastEvent) {
        return new InformerState(ResourceType.CONFIG_MAPS, "", "", true, 1, "5", lastEvent, null,
                new InformerState.Counts(0, 0, Map.of(), Map.of(), 0, null, 0, List.of()), List.of());
    }
}
