package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

/** CSI storage capacities (upstream: {@code pkg/registry/storage/csistoragecapacity}). */
final class CSIStorageCapacityStrategy extends Strategy {

    CSIStorageCapacityStrategy() {
        super("storage.k8s.io", "CSIStorageCapacity", Set.of(Trait.UPDATED_BY_VERSION));
    }
}
