package dev.wheelhouse.controllers.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * The cache of ControllerRevisions, indexed by controller. All controllers share the index (upstream:
 * {@code AddControllerRevisionControllerIndexer} in {@code pkg/controller/history/controller_history.go}). Thread safe.
 */
public final class RevisionCache {
    private static final String INDEX = "revision-controller";
    /** One object, so that all controllers add the same index. */
    private static final Function<V1ControllerRevision, Collection<String>> VALUES = revision -> {
        V1OwnerReference reference = OwnerReferences.controllerOf(revision.getMetadata());
        return List.of(reference == null ? orphansOf(revision.getMetadata().getNamespace()) : reference.getUid());
    };

    private final SharedIndexInformer<V1ControllerRevision> cache;

    /** Adds the index to the cache, if no other controller has added it. */
    public RevisionCache(SharedIndexInformer<V1ControllerRevision> cache) {
        this.cache = cache;
        cache.getIndexer().addIndex(INDEX, VALUES);
    }

    /** The value of revisions without a controller. No UID contains a slash. */
    private static String orphansOf(String namespace) {
        return "orphans/" + namespace;
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
        List<V1ControllerRevision> revisions = new ArrayList<>(cache.getIndexer().byIndex(INDEX, owner.getUid()));
        revisions.addAll(cache.getIndexer().byIndex(INDEX, orphansOf(owner.getNamespace())));
        return revisions;
    }
}
