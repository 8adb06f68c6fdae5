package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Loop;

/**
 * Makes the default StorageClass {@code standard}, whose volumes {@link HollowProvisioner} makes, on an API server
 * without any StorageClass. Users may then change or delete the class: it is not made again while this process runs.
 */
final class DefaultStorage implements Loop {
    private static final Logger log = LoggerFactory.getLogger(DefaultStorage.class);
    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

    private final ResourceClient<V1StorageClass> classes;
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean done;

    DefaultStorage(KubeClient client) {
        this.classes = client.resource(ResourceType.STORAGE_CLASSES, V1StorageClass.class);
    }

    @Override
    public long step() {
        if (done || closed.getCount() == 0) {
            return IDLE;
        }
        try {
            boolean none = classes.list("", LabelSelector.everything(), FieldSelector.everything(),
                    ListOptions.consistent(1)).items().isEmpty();
            if (none) {
                classes.create(standard());
            }
            done = true;
            return IDLE;
        } catch (KubeApiException e) {
            log.debug("the default StorageClass could not be made, trying again: {}", e.getMessage());
            return RETRY_NANOS;
        }
    }

    private static V1StorageClass standard() {
        return new V1StorageClass().apiVersion("storage.k8s.io/v1").kind("StorageClass")
                .metadata(new V1ObjectMeta().name("standard")
                        .putAnnotationsItem("storageclass.kubernetes.io/is-default-class", "true"))
                .provisioner(HollowProvisioner.NAME).reclaimPolicy("Delete").volumeBindingMode("Immediate")
                .allowVolumeExpansion(true);
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        closed.await(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
