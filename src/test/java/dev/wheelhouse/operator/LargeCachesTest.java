package dev.wheelhouse.operator;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import com.sun.management.ThreadMXBean;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/** The figures of the page about large caches. */
@Isolated
@Tag("full")
class LargeCachesTest {
    private static final Logger log = LoggerFactory.getLogger(LargeCachesTest.class);
    /** 10,000 in the figures of the page, of which a bounded cache has 500. */
    private static final int SECRETS = 2_000;
    private static final int BOUND = SECRETS / 20;
    private static final int PODS = 5_000;

    @Test
    void aBoundLimitsWhatIsRetained() {
        List<Long> retained = new ArrayList<>();
        for (Consumer<Watched<V1Secret>> limits : List.<Consumer<Watched<V1Secret>>>of(it -> {},
                it -> it.bounded(BOUND))) {
            Scripted operator = new Scripted(setup -> setup.watches(V1Secret.class, secret -> List.of(), limits));
            operator.does((request, context) -> {
                for (int i = 0; i < SECRETS; i++) {
                    assertThat(context.get(V1Secret.class, ObjectKey.of("default", "s" + i)).orElseThrow().getData())
                            .hasSize(1);
                }
            });
            long[] before = new long[1];
            try (OperatorWorld world = new OperatorWorld(operator, cluster -> {
                for (int i = 0; i < SECRETS; i++) {
                    byte[] data = new byte[10_000];
                    new Random(i).nextBytes(data);
                    cluster.user().resource(ResourceType.SECRETS, V1Secret.class).create(new V1Secret()
                            .metadata(new V1ObjectMeta().namespace("default").name("s" + i))
                            .data(Map.of("key", data)));
                }
                before[0] = used();
            })) {
                world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
                world.settle();
                assertThat(operator.calls).isNotEmpty();
                world.cluster.requests.take();
                retained.add(used() - before[0]);
            }
        }
        log.info("{} Secrets of 10 kB: the whole cache retains {} MB, {} of them {} MB", SECRETS,
                retained.getFirst() / 1e6, BOUND, retained.getLast() / 1e6);
        assertThat(retained.getLast()).isLessThan(retained.getFirst() / 4);
    }

    @Test
    void aViewAllocatesNoCopies() {
        List<Long> allocated = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.watches(V1Pod.class, pod -> List.of()));
        operator.does((request, context) -> {
            for (Supplier<List<V1Pod>> read : List.<Supplier<List<V1Pod>>>of(
                    () -> context.list(V1Pod.class, "", LabelSelector.everything()),
                    () -> context.view().list(V1Pod.class, "", LabelSelector.everything()))) {
                assertThat(read.get()).hasSize(PODS);
                allocated.add(allocated(read));
            }
        });
        try (OperatorWorld world = new OperatorWorld(operator, cluster -> {
            for (int i = 0; i < PODS; i++) {
                cluster.store(ResourceType.PODS, pod(i));
            }
        })) {
            world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
            world.settle();
        }
        log.info("{} pods: list allocates {} MB, view {} MB", PODS, allocated.getFirst() / 1e6,
                allocated.getLast() / 1e6);
        assertThat(allocated.getLast()).isLessThan(allocated.getFirst() / 50);
    }

    private static V1Pod pod(int i) {
        V1Container container = new V1Container().name("web").image("registry.example.com/web:1.2.3")
                .addPortsItem(new V1ContainerPort().containerPort(8080).name("http"));
        for (int j = 0; j < 10; j++) {
            container.addEnvItem(new V1EnvVar().name("SETTING_" + j).value("value-" + i + "-" + j));
        }
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name("p" + i)
                .labels(Map.of("app", "web", "instance", "i" + i)))
                .spec(new V1PodSpec().nodeName("node-" + i % 100).addContainersItem(container));
    }

    private static long allocated(Supplier<?> work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        Object made = work.get();
        long after = threads.getCurrentThreadAllocatedBytes();
        assertThat(made).isNotNull();
        return after - before;
    }

    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
