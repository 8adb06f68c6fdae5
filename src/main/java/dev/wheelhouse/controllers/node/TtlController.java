package dev.wheelhouse.controllers.node;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.workqueue.Priority;

/**
 * Writes the annotation {@code node.alpha.kubernetes.io/ttl} of each node, which grows with the cluster (upstream:
 * {@code pkg/controller/ttl/ttl_controller.go}). When the size of the cluster changes the value, all nodes get it at
 * once. Upstream writes it to each node after the next status of its kubelet.
 */
public final class TtlController extends ObjectController<V1Node> {
    public static final String NAME = "ttl-controller";

    private static final String ANNOTATION = "node.alpha.kubernetes.io/ttl";

    /** Only the event handler writes it. */
    private volatile ClusterSize size = ClusterSize.EMPTY;

    public TtlController(ControllerContext context) {
        super(NAME, context, ResourceType.NODES, V1Node.class);
        watch(primary).first(this::resize).enqueue(ObjectKey::of);
    }

    private void resize(Change<V1Node> change) {
        ClusterSize next = change.isAddition() ? size.added() : change.isDeletion() ? size.removed() : size;
        boolean step = next.step() != size.step();
        size = next;
        if (step) {
            primary.getIndexer().list().forEach(node -> queue.add(ObjectKey.of(node), Priority.BACKGROUND));
        }
    }

    @Override
    protected Result sync(ObjectKey key, V1Node node, SyncRun run) {
        return run.execute(decide(node, size.seconds())).toResult();
    }

    /** The patch of a node whose annotation is not the wanted number. A pure function. */
    static List<Action> decide(V1Node node, int seconds) {
        if (isNumber(Metadata.annotation(node, ANNOTATION), seconds)) {
            return List.of();
        }
        Map<String, Object> patch = Map.of("metadata", Map.of("uid", String.valueOf(node.getMetadata().getUid()),
                "annotations", Map.of(ANNOTATION, Integer.toString(seconds))));
        return List.of(new Action.Patch(ResourceType.NODES, ObjectKey.of(node), "", PatchType.STRATEGIC_MERGE,
                ModelJson.write(patch), "kubelets of a cluster of this size may cache for " + seconds + " s",
                Set.of(404)));
    }

    private static boolean isNumber(@Nullable String text, int number) {
        try {
            return text != null && Integer.parseInt(text) == number;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
