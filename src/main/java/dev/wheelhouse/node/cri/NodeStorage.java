package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.node.PodPhases;
import dev.wheelhouse.runtime.SignalledLoop;

/** Looks after the disk of one node: pods that use more of it than they may, and images. */
final class NodeStorage extends SignalledLoop {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int LOOKS = 3;
    private static final int CLEANINGS = 30;

    private final CriRuntime runtime;
    private int round;

    NodeStorage(CriRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public long step() {
        trying("the images", () -> {
            if (round % LOOKS == 0) {
                runtime.images.look();
            }
            if (++round % CLEANINGS == 0) {
                runtime.images.clean();
            }
        });
        runtime.all().forEach(pod -> trying("the pod " + pod.uid, () -> evictIfOver(pod)));
        return isClosed() ? IDLE : PERIOD.toNanos();
    }

    private interface Care {
        void take() throws IOException;
    }

    private void trying(String what, Care care) {
        try {
            if (!isClosed()) {
                care.take();
            }
        } catch (CriException | IOException e) {
            if (!isClosed()) {
                runtime.warn("the disk space of " + what + " on the node " + runtime.node.name()
                        + " could not be looked after, it is tried again: " + e.getMessage());
            }
        }
    }

    private void evictIfOver(CriPod running) throws IOException {
        V1Pod pod = running.pod();
        if (pod != null && running.evicted == null && !PodPhases.isCritical(pod)) {
            String why = DiskLimits.exceeded(pod, runtime.folders(), PodFiles::size, () -> layers(running.uid));
            if (why != null) {
                running.evict(pod, why);
            }
        }
    }

    private Map<String, Long> layers(String uid) {
        return runtime.cri.usage(Configs.labels(runtime.node.name(), uid)).stream()
                .collect(Collectors.toMap(each -> each.getAttributes().getMetadata().getName(),
                        each -> each.getWritableLayer().getUsedBytes().getValue(), Long::sum));
    }
}
