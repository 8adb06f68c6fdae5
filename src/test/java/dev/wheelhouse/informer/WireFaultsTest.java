package dev.wheelhouse.informer;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An informer and the embedded API server with HTTP between them. The connection is cut at every byte of a response.
 * The test steps the loops; each read returns bytes that were sent before, or ends with the cut.
 */
@Timeout(900)
class WireFaultsTest {
    /** The longest pause between two attempts. */
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final FieldSelector OURS = FieldSelector.parse("metadata.name!=kube-root-ca.crt");

    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final CuttingProxy proxy = new CuttingProxy(URI.create(server.url()).getPort());
    private final HttpKubeClient http;
    private final ResourceClient<V1ConfigMap> configMaps = server.client("test").resource(ResourceType.CONFIG_MAPS,
            V1ConfigMap.class);
    private final List<AutoCloseable> informers = new ArrayList<>();
    private final List<Stepper> steppers = new ArrayList<>();

    WireFaultsTest() throws IOException {
        http = new HttpKubeClient(new ClientBuilder().setBasePath(proxy.url()).build(), contentType(), Clock.system());
    }

    /** The encoding of the answers. */
    ContentType contentType() {
        return ContentType.JSON;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable informer : informers) {
            informer.close();
        }
        http.close();
        proxy.close();
        server.close();
    }

    private <T extends KubernetesObject> CachingInformer<T> informer(ListerWatcher<T> source, Class<T> model) {
        List<CachingInformer<T>> made = new ArrayList<>();
        Stepper stepper = new Stepper(() -> made.getFirst().loops());
        made.add(new CachingInformer<>(source, model,
                InformerOptions.builder().watchList(false).freshStart(false).seed(1).build(), stepper.clock,
                Meters.NONE));
        informers.add(made.getFirst()::close);
        steppers.add(stepper);
        return made.getFirst();
    }

    private CachingInformer<V1ConfigMap> configMapInformer() {
        return informer(http.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).listerWatcher("default",
                LabelSelector.everything(), OURS), V1ConfigMap.class);
    }

    /**
     * Steps until a condition holds. A pause is over at once. With an open watch the test waits for what is on its way,
     * and lets time pass if nothing comes.
     */
    private void stepUntil(CachingInformer<?> informer, String what, java.util.function.BooleanSupplier condition) {
        int quiet = 0;
        for (int i = 0; !condition.getAsBoolean(); i++) {
            assertThat(i).as("steps until " + what + "; " + informer.state()).isLessThan(50_000);
            long wait = Stepper.step(informer.loops().get(0));
            Stepper.step(informer.loops().get(1));
            if (wait > PAUSE.toNanos() && ++quiet % 500 != 0) {
                LockSupport.parkNanos(1_000_000);
            } else if (wait > 0) {
                steppers.getFirst().clock.advance(Duration.ofNanos(Math.min(wait, PAUSE.toNanos())));
            }
        }
    }

    private static long watchesEnded(CachingInformer<?> informer) {
        return informer.state().counts().watchEnds().values().stream().mapToLong(Long::longValue).sum();
    }

    private String change(int round) {
        String text = "ü漢😀 " + (1000 + round);
        V1ConfigMap a = configMaps.get(ObjectKey.of("default", "a"));
        configMaps.update(a.data(Map.of("v", text)));
        return version();
    }

    private static boolean hasFollowed(CachingInformer<?> informer, String version) {
        return informer.resourceVersion().equals(version);
    }

    @Tag("full")
    @Test
    void aWatchThatIsCutAtAnyByte() {
        configMaps.create(SteppedInformer.configMap("a", "0"));
        CachingInformer<V1ConfigMap> informer = configMapInformer();
        SteppedInformer.Told told = new SteppedInformer.Told();
        stepUntil(informer, "the first list", informer::hasSynced);
        informer.addEventHandler(told);
        List<String> expected = new ArrayList<>(List.of("+a=0 initial"));
        String last = "a=0";
        int cuts = 0;
        for (boolean deletion : new boolean[]{false, true}) {
            boolean arrived = false;
            for (int cut = deletion ? 1 : 0; !arrived; cut += 2, cuts++) {
                assertThat(cut).as("bytes of one event").isLessThan(2000);
                String listed = version();
                proxy.letThrough(CuttingProxy.ALL);
                stepUntil(informer, "the list after a watch that broke", () -> hasFollowed(informer, listed));
                long ended = watchesEnded(informer);
                if (deletion) {
                    configMaps.delete(ObjectKey.of("default", "a"), Deletion.unconditional());
                }
                String changed = deletion ? version() : change(cut);
                proxy.letThrough(cut);
                stepUntil(informer, "the cut", () -> watchesEnded(informer) > ended);
                arrived = hasFollowed(informer, changed);
                assertThat(informer.resourceVersion()).isIn(listed, changed);
                String now = "a=ü漢😀 " + (1000 + cut);
                if (!deletion) {
                    expected.add(last + ">" + now);
                    last = now;
                } else if (arrived) {
                    expected.add("-" + last);
                } else {
                    configMaps.create(SteppedInformer.configMap("a", "again"));
                    expected.addAll(List.of("-" + last + " unknown", "+a=again"));
                    last = "a=again";
                }
            }
        }
        while (Stepper.step(informer.loops().get(2)) == 0) {
            // Call the handler.
        }
        assertThat(told.calls()).as("each change once, in order, and never half of one")
                .containsExactlyElementsOf(expected);
        assertThat(cuts).isGreaterThan(100);
        assertThat(informer.state().counts().decodeErrors()).isZero();
    }

    private String version() {
        return String.valueOf(server.store().version());
    }

    @Test
    void aListThatIsCutAnywhereIsNoShorterList() {
        configMaps.create(SteppedInformer.configMap("a", "ü漢😀"));
        configMaps.create(SteppedInformer.configMap("b", "2"));
        CachingInformer<V1ConfigMap> whole = configMapInformer();
        Stepper.step(whole.loops().get(0));
        long answer = proxy.through.get();
        assertThat(answer).isGreaterThan(200);
        CachingInformer<V1ConfigMap> informer = configMapInformer();
        // A list that lacks only the end of the HTTP response is complete: it may be accepted or rejected.
        for (int cut = 0; cut < answer - 10; cut += 14) {
            proxy.letThrough(cut);
            long wait = Stepper.step(informer.loops().get(0));
            assertThat(wait).as("it is tried again later, cut after %s bytes", cut).isPositive();
            steppers.getLast().clock.advance(Duration.ofNanos(wait));
            Stepper.step(informer.loops().get(1));
            assertThat(informer.hasSynced()).isFalse();
        }
        proxy.letThrough(CuttingProxy.ALL);
        stepUntil(informer, "the list", informer::hasSynced);
        assertThat(informer.getIndexer().size()).isEqualTo(2);
    }

    @Test
    void chunkBoundariesInsideAUtf8Character() {
        configMaps.create(SteppedInformer.configMap("a", "0"));
        for (int piece : new int[]{1, 2, 3}) {
            proxy.sendInPiecesOf(piece);
            CachingInformer<V1ConfigMap> informer = configMapInformer();
            stepUntil(informer, "the list", informer::hasSynced);
            String version = change(piece);
            stepUntil(informer, "the change", () -> hasFollowed(informer, version));
            assertThat(informer.get(ObjectKey.of("default", "a")).getData()).containsEntry("v",
                    "ü漢😀 " + (1000 + piece));
        }
    }

    @Test
    void anObjectAsLargeAsTheServerStores() {
        String big = "ü".repeat(700 * 1024);
        ResourceClient<V1Pod> pods = server.client("test").resource(ResourceType.PODS, V1Pod.class);
        pods.create(pod("listed", big));
        CachingInformer<V1Pod> informer = informer(http.resource(ResourceType.PODS, V1Pod.class).listerWatcher(),
                V1Pod.class);
        stepUntil(informer, "the list", informer::hasSynced);
        pods.create(pod("watched", big));
        pods.create(pod("small", "x"));
        stepUntil(informer, "the events", () -> informer.getIndexer().size() == 3);
        for (String name : List.of("listed", "watched")) {
            assertThat(informer.get(ObjectKey.of("default", name)).getSpec().getContainers().getFirst().getArgs())
                    .containsExactly(big);
        }
        assertThat(informer.state().counts().bytesReceived()).isGreaterThan(4 * 700 * 1024);
    }

    private static V1Pod pod(String name, String argument) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name(name)).spec(
                new V1PodSpec().addContainersItem(new V1Container().name("c").image("i").addArgsItem(argument)));
    }

    /**
     * A model class of an older version of the type, in which {@code size} was a number and there were fewer colours.
     */
    public static final class Widget implements KubernetesObject {
        private @Nullable String apiVersion;
        private @Nullable String kind;
        private V1ObjectMeta metadata = new V1ObjectMeta();
        @Nullable
        Spec spec;

        static final class Spec {
            @Nullable
            Integer size;
            @Nullable
            Colour colour;
        }

        enum Colour {
            RED, BLUE
        }

        @Override
        public @Nullable String getApiVersion() {
            return apiVersion;
        }

        public void setApiVersion(String version) {
            apiVersion = version;
        }

        @Override
        public @Nullable String getKind() {
            return kind;
        }

        public void setKind(String name) {
            kind = name;
        }

        @Override
        public V1ObjectMeta getMetadata() {
            return metadata;
        }
    }

    @Test
    void anObjectThatDoesNotParseIsSkippedInListAndWatchAndUnknownFieldsAndEnumValuesDoNoHarm() {
        ResourceType widgets = CustomTypes.define(server, "Widget", "widgets");
        ResourceClient<Unstructured> client = server.client("test").resource(widgets, Unstructured.class);
        client.create(CustomTypes.object(widgets, "bad-listed", Map.of("size", "big")));
        client.create(CustomTypes.object(widgets, "good-listed", Map.of("size", 1, "weight", 2)));
        CachingInformer<Widget> informer = informer(http.resource(widgets, Widget.class).listerWatcher(),
                Widget.class);
        stepUntil(informer, "the list", informer::hasSynced);
        assertThat(informer.state().counts().decodeErrors()).isEqualTo(1);
        assertThat(informer.state().counts().lastDecodeError()).contains("widgets.example.com default/bad-listed")
                .contains("field spec.size").contains("big");

        client.create(CustomTypes.object(widgets, "bad-watched", Map.of("size", Map.of("height", 1))));
        client.create(CustomTypes.object(widgets, "coloured", Map.of("size", 3, "colour", "PURPLE")));
        stepUntil(informer, "the events", () -> informer.getIndexer().size() == 2);
        assertThat(informer.state().counts().decodeErrors()).isEqualTo(2);
        assertThat(informer.state().counts().lastDecodeError()).contains("default/bad-watched")
                .contains("field spec.size");
        assertThat(informer.state().lastFailure()).isNull();
        assertThat(informer.get(ObjectKey.of("default", "good-listed")).spec.size).isEqualTo(1);
        assertThat(informer.get(ObjectKey.of("default", "coloured")).spec.colour).as("an unknown value").isNull();
        // An object that cannot be decoded can be deleted and created again correctly.
        client.delete(ObjectKey.of("default", "bad-watched"), Deletion.unconditional());
        client.create(CustomTypes.object(widgets, "bad-watched", Map.of("size", 4)));
        stepUntil(informer, "the repaired one", () -> informer.getIndexer().size() == 3);
    }
}
