package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EmptyDirVolumeSource;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.quota.PodAmounts;

import static dev.wheelhouse.api.Absent.orEmpty;

/** The limits of what a pod may use of the node's disk (upstream: {@code localStorageEviction}). */
final class DiskLimits {
    private static final String RESOURCE = "ephemeral-storage";

    /** Measures a directory. Only what has a limit is measured. */
    interface Sizes {
        long of(Path directory) throws IOException;
    }

    private DiskLimits() {}

    /**
     * The sentence for a pod that uses too much; null if it does not.
     * @param layers the sizes of the writable layers, by container
     */
    static @Nullable String exceeded(V1Pod pod, NodeFolders folders, Sizes sizes, Supplier<Map<String, Long>> layers)
            throws IOException {
        Quantity total = PodAmounts.limits(pod).get(RESOURCE);
        long used = 0;
        for (V1Volume volume : orEmpty(pod.getSpec().getVolumes())) {
            V1EmptyDirVolumeSource source = volume.getEmptyDir();
            if (source != null && !"Memory".equals(source.getMedium())
                    && (total != null || source.getSizeLimit() != null)) {
                long bytes = sizes.of(PodVolumes.path(folders.disk(pod.getMetadata().getUid()), volume.getName()));
                used += bytes;
                if (isOver(bytes, source.getSizeLimit())) {
                    return "Usage of EmptyDir volume \"" + volume.getName() + "\" exceeds the limit \""
                            + BoundedQuantity.text(source.getSizeLimit()) + "\". ";
                }
            }
        }
        if (total == null) {
            return null;
        }
        Map<String, Long> written = layers.get();
        String greedy = null;
        for (V1Container container : pod.getSpec().getContainers()) {
            long bytes = written.getOrDefault(container.getName(), 0L)
                    + sizes.of(folders.logs(pod).resolve(container.getName()));
            used += bytes;
            Quantity limit = FieldRefs.amount(container, true, RESOURCE);
            if (limit != null && isOver(bytes, limit)) {
                greedy = "Container " + container.getName() + " exceeded its local ephemeral storage limit \""
                        + BoundedQuantity.text(limit) + "\". ";
            }
        }
        return isOver(used, total)
                ? "Pod ephemeral local storage usage exceeds the total limit of containers "
                        + BoundedQuantity.text(total)
                        + ". "
                : greedy;
    }

    private static boolean isOver(long bytes, @Nullable Quantity limit) {
        return limit != null && limit.getNumber().signum() > 0
                && BigDecimal.valueOf(bytes).compareTo(limit.getNumber()) > 0;
    }
}
