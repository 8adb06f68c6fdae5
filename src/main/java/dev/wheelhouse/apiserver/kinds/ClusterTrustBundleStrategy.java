package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Bundles of trusted certificates (upstream: {@code pkg/registry/certificates/clustertrustbundle}). */
final class ClusterTrustBundleStrategy extends Strategy {
    ClusterTrustBundleStrategy() {
        super("certificates.k8s.io", "ClusterTrustBundle", Set.of(Trait.UPDATED_BY_VERSION), Column.objectName(),
                Column.of("SignerName", "Signer of the certificates.", o -> o.textOr(Item.NONE, "spec", "signerName")));
    }
}
