package bench;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.workqueue.RateLimitingQueue;

/**
 * The production factory in its default configuration, as a contestant of the informer benchmark. The first argument
 * names the preferred encoding: {@code protobuf}, the default, or {@code json}.
 */
public final class WheelhousePeer implements Peer.Contestant {
    private final ContentType encoding;

    private WheelhousePeer(ContentType encoding) {
        this.encoding = encoding;
    }

    public static void main(String[] args) {
        String encoding = args.length == 0 ? "protobuf" : args[0];
        Peer.run("wheelhouse-" + encoding,
                new WheelhousePeer(ContentType.valueOf(encoding.toUpperCase(Locale.ROOT))));
    }

    @Override
    public Peer.Informer informer(String url, Peer.Sink[] handlers) {
        ApiClient api = new ApiClient();
        api.setBasePath(url);
        HttpKubeClient client = new HttpKubeClient(api, encoding, Clock.system());
        // A run with merged notifications does not count: it ends without a result.
        MeterRegistry registry = new SimpleMeterRegistry();
        registry.config().onMeterAdded(meter -> {
            if (meter.getId().getName().equals("informer.conflations")) {
                System.err.println("notifications were merged: this run does not count");
                Runtime.getRuntime().halt(3);
            }
        });
        InformerFactory factory = new InformerFactory(client, Clock.system(), registry, InformerOptions.defaults());
        SharedIndexInformer<V1Pod> informer = factory.informer(ResourceType.PODS, V1Pod.class);
        for (Peer.Sink sink : handlers) {
            informer.addEventHandler(new ResourceEventHandler<>() {
                @Override
                public void onAdd(V1Pod pod, boolean initial) {
                    sink.added();
                }

                @Override
                public void onUpdate(V1Pod before, V1Pod pod) {
                    int touched = 0;
                    if (Peer.TOUCH_SPEC) {
                        touched = pod.getSpec().getNodeName().length() + pod.getSpec().getContainers().size()
                                + pod.getStatus().getPhase().length();
                    }
                    sink.updated(pod.getMetadata().getAnnotations().get(PodGen.STAMP_KEY), touched);
                }

                @Override
                public void onDelete(V1Pod pod, boolean finalStateUnknown) {}
            });
        }
        LoopRunner runner = new LoopRunner("bench", Clock.system());
        return new Peer.Informer() {
            @Override
            public void start() {
                factory.start(runner);
            }

            @Override
            public boolean synced() {
                return informer.hasSynced();
            }

            @Override
            public void stop() {
                factory.close();
                runner.close(Duration.ofSeconds(5));
                client.close();
            }

            @Override
            public int size() {
                return informer.getIndexer().size();
            }
        };
    }

    @Override
    public Peer.Queue queue(String kind) {
        RateLimitingQueue<String> queue = new RateLimitingQueue<>("bench", Clock.system(), Meters.NONE);
        boolean limited = kind.equals("ratelimiting");
        return new Peer.Queue() {
            @Override
            public void add(String key) {
                queue.add(key);
            }

            @Override
            public String get() throws InterruptedException {
                while (true) {
                    String key = queue.poll();
                    if (key != null || queue.isShutDown() && queue.size() == 0) {
                        return key;
                    }
                    queue.awaitReady(TimeUnit.SECONDS.toNanos(1));
                }
            }

            @Override
            public void done(String key) {
                if (limited) {
                    queue.forget(key);
                }
                queue.done(key);
            }

            @Override
            public void shutDown() {
                queue.shutDown();
            }
        };
    }
}
