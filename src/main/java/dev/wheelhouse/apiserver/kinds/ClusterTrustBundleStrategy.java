package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** Bundles of trusted certificates (upstream: {@code pkg/registry/certificates/clustertrustbundle}). */
final class ClusterTrustBundleStrategy extends Strategy {
    ClusterTrustBundleStrategy() {
        super("certificates.k8s.io", "ClusterTrustBundle", Column.objectName(),
                Column.of("SignerName", "Signer of the certificates.", o -> o.textOr(Item.NONE, "spec", "signerName")));
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }
}
