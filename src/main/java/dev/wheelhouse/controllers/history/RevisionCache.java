package dev.wheelhouse.controllers.history;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The cache of ControllerRevisions, indexed by controller (upstream: {@code AddControllerRevisionControllerIndexer} in
 * {@code pkg/controller/history/controller_history.go}).
 */
public final class RevisionCache {
    private final String index;
    private final SharedIndexInformer<V1ControllerRevision> cache;

    /** @param controller the name of the controller that owns the index; several controllers share the cache */
    public RevisionCache(String controller, SharedIndexInformer<V1ControllerRevision> cache) {
        this.index = controller + "/revision-controller";
        this.cache = cache;
        cache.getIndexer().addIndex(index, revision -> {
            V1OwnerReference reference = OwnerReferences.controllerOf(revision.getMetadata());
            return List.of(reference == null
                    ? orphansOf(revision.getMetadata().getNamespace())
                    : ownedBy(reference.getUid()));
        });
    }

    private static String orphansOf(String namespace) {
        return "orphans/" + namespace;
    }

    private static String ownedBy(String uid) {
        return "owner/" + uid;
    }

    /** The revision of that name; null if the cache has none. */
    public @Nullable V1ControllerRevision get(ObjectKey key) {
        return cache.getIndexer().get(key);
    }

    /**
     * The revisions that an object controls, and the revisions of its namespace without a controller. In no particular
     * order.
     */
    public List<V1ControllerRevision> candidates(V1ObjectMeta owner) {
        List<V1ControllerRevision> revisions = new ArrayList<>(
                cache.getIndexer().byIndex(index, ownedBy(owner.getUid())));
        revisions.addAll(cache.getIndexer().byIndex(index, orphansOf(owner.getNamespace())));
        return revisions;
    }
}
