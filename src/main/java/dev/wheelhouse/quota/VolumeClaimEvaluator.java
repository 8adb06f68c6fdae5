package dev.wheelhouse.quota;

import java.math.RoundingMode;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimStatus;
import io.kubernetes.client.openapi.models.V1ScopedResourceSelectorRequirement;

/**
 * Counts claims and the storage that they request, in total and by storage class (upstream:
 * {@code pkg/quota/v1/evaluator/core/persistent_volume_claims.go}).
 */
final class VolumeClaimEvaluator implements Evaluator {
    private static final String CLAIMS = "persistentvolumeclaims";
    private static final String STORAGE = "requests.storage";
    private static final String OF_CLASS = ".storageclass.storage.k8s.io/";
    private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    @Override
    public Class<V1PersistentVolumeClaim> model() {
        return V1PersistentVolumeClaim.class;
    }

    @Override
    public boolean counts(String limit) {
        return limit.equals("count/" + CLAIMS) || limit.equals(CLAIMS) || limit.equals(STORAGE)
                || limit.endsWith(OF_CLASS + CLAIMS) || limit.endsWith(OF_CLASS + STORAGE);
    }

    @Override
    public Map<String, Quantity> usage(KubernetesObject object, Instant now) {
        V1PersistentVolumeClaim claim = (V1PersistentVolumeClaim) object;
        Map<String, Quantity> usage = new TreeMap<>();
        usage.put("count/" + CLAIMS, Amounts.of(1));
        put(usage, storageClass(claim), CLAIMS, Amounts.of(1));
        Quantity storage = storage(claim);
        if (storage != null) {
            put(usage, storageClass(claim), STORAGE, storage);
        }
        return usage;
    }

    private static void put(Map<String, Quantity> usage, String storageClass, String limit, Quantity amount) {
        usage.put(limit, amount);
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + OF_CLASS + limit, amount);
        }
    }

    private static String storageClass(V1PersistentVolumeClaim claim) {
        Map<String, String> annotations = claim.getMetadata().getAnnotations();
        String annotated = annotations == null ? null : annotations.get(CLASS_ANNOTATION);
        return annotated != null ? annotated : Objects.requireNonNullElse(claim.getSpec().getStorageClassName(), "");
    }

    /** The request, or what was allocated for a larger former one, in whole bytes; null if nothing is requested. */
    private static @Nullable Quantity storage(V1PersistentVolumeClaim claim) {
        Quantity request = claim.getSpec().getResources() == null
                ? null
                : Amounts.orEmpty(claim.getSpec().getResources().getRequests()).get("storage");
        if (request == null) {
            return null;
        }
        Quantity allocated = claim.getStatus() == null
                ? null
                : Amounts.orEmpty(claim.getStatus().getAllocatedResources()).get("storage");
        Quantity larger = allocated != null && allocated.getNumber().compareTo(request.getNumber()) > 0
                ? allocated
                : request;
        return new Quantity(larger.getNumber().setScale(0, RoundingMode.CEILING), larger.getFormat());
    }

    @Override
    public boolean judges(String subresource, KubernetesObject object, @Nullable KubernetesObject old) {
        return subresource.isEmpty() || subresource.equals("status");
    }

    /** {@inheritDoc} Upstream's filter lets every update pass: a smaller request must be counted too. */
    @Override
    public boolean isCountedAgain(KubernetesObject before, KubernetesObject after, Instant now) {
        return true;
    }

    /** {@inheritDoc} The one scope of claims selects by the present and the wanted attributes class. */
    @Override
    public boolean isIn(V1ScopedResourceSelectorRequirement scope, KubernetesObject object) {
        if (!"VolumeAttributesClass".equals(scope.getScopeName())) {
            return false;
        }
        V1PersistentVolumeClaim claim = (V1PersistentVolumeClaim) object;
        V1PersistentVolumeClaimStatus status = claim.getStatus();
        Set<String> names = new TreeSet<>();
        names.add(Objects.requireNonNullElse(claim.getSpec().getVolumeAttributesClassName(), ""));
        if (status != null) {
            names.add(Objects.requireNonNullElse(status.getCurrentVolumeAttributesClassName(), ""));
            if (status.getModifyVolumeStatus() != null) {
                names.add(Objects.requireNonNullElse(
                        status.getModifyVolumeStatus().getTargetVolumeAttributesClassName(), ""));
            }
        }
        names.remove("");
        return names.isEmpty() ? Scopes.selects(scope, "") : names.stream().anyMatch(n -> Scopes.selects(scope, n));
    }
}
