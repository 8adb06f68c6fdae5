package dev.wheelhouse.controllers.volume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

/** The volume controllers on an API server, stepped by one thread. */
final class VolumeWorld implements AutoCloseable {
    static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;
    static final ObjectKey DATA = ObjectKey.of("default", "data");

    final Cluster cluster = new Cluster();
    final List<Loop> loops = new ArrayList<>();

    VolumeWorld() {
        this(Options.DEFAULTS);
    }

    VolumeWorld(Options options) {
        for (Controller controller : List.of(new VolumeBinder(cluster.context(options)),
                new ClaimProtectionController(cluster.context()), new VolumeProtectionController(cluster.context()),
                new AttributesClassProtectionController(cluster.context()),
                new EphemeralVolumeController(cluster.context()))) {
            loops.addAll(controller.loops());
        }
    }

    void settle() {
        cluster.settle(loops, Duration.ofSeconds(2));
    }

    /** Lets the unbound claims and volumes be looked at again. */
    void resync() {
        cluster.clock.advance(ControllerOptions.Periods.DEFAULTS.claimBinderSyncPeriod());
        settle();
    }

    void storageClass(String name, String rest) {
        cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class, "{metadata: {name: %s}, %s}", name, rest);
    }

    /** Creates a claim of 1 Gi for one node, with further fields of the specification. */
    void claim(String name, String rest) {
        cluster.create(CLAIMS, V1PersistentVolumeClaim.class, """
                {metadata: {name: %s, namespace: default}, spec: {accessModes: [ReadWriteOnce],
                 resources: {requests: {storage: 1Gi}}, %s}}""", name, rest);
    }

    /** Creates a volume on a host path, with further fields of the specification. */
    void volume(String name, String size, String rest) {
        cluster.create(VOLUMES, V1PersistentVolume.class, """
                {metadata: {name: %s}, spec: {capacity: {storage: %s}, accessModes: [ReadWriteOnce],
                 hostPath: {path: /data/%s}, %s}}""", name, size, name, rest);
    }

    /** Creates a pod with the claim as its volume. */
    void pod(String name, String claim, String node) {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {name: %s, namespace: default}, spec: {nodeName: "%s", containers: [{name: a, image: a:1}],
                 volumes: [{name: data, persistentVolumeClaim: {claimName: %s}}]}}""", name, node, claim);
    }

    V1PersistentVolumeClaim claim(String name) {
        return cluster.read(CLAIMS, ObjectKey.of("default", name), V1PersistentVolumeClaim.class);
    }

    V1PersistentVolume volume(String name) {
        return cluster.read(VOLUMES, ObjectKey.cluster(name), V1PersistentVolume.class);
    }

    String phase(String claim) {
        return claim(claim).getStatus().getPhase();
    }

    String volumePhase(String volume) {
        return volume(volume).getStatus().getPhase();
    }

    boolean claimExists(String name) {
        return cluster.exists(CLAIMS, ObjectKey.of("default", name));
    }

    boolean volumeExists(String name) {
        return cluster.exists(VOLUMES, ObjectKey.cluster(name));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
