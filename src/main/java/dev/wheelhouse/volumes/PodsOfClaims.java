package dev.wheelhouse.volumes;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.Indexer;

/**
 * The pods in a cache by the claims that they use, those of their ephemeral volumes included. All users of a cache
 * share the index (upstream: {@code AddPodPVCIndexerIfNotPresent} in {@code pkg/controller/volume/common/common.go}).
 * Thread safe.
 */
public final class PodsOfClaims implements AutoCloseable {
    private static final String INDEX = "claim";
    /** One object, so that all users add the same index. */
    private static final Function<V1Pod, Collection<String>> CLAIMS = pod -> Volumes.claimsOf(pod).stream()
            .map(name -> pod.getMetadata().getNamespace() + "/" + name).toList();

    private final Indexer<V1Pod> pods;

    /** Adds the index to the cache, if no other user has added it. */
    public PodsOfClaims(Indexer<V1Pod> pods) {
        this.pods = pods;
        pods.addIndex(INDEX, CLAIMS);
    }

    /** The pods that use a claim, in no order. */
    public List<V1Pod> using(ObjectKey claim) {
        return pods.byIndex(INDEX, claim.toString());
    }

    /** Removes the index, unless somebody else uses it. */
    @Override
    public void close() {
        pods.removeIndex(INDEX);
    }
}
