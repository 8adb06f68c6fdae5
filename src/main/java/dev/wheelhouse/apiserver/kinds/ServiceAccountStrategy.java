package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;

/** Service accounts (upstream: {@code pkg/registry/core/serviceaccount}). */
final class ServiceAccountStrategy extends Strategy {
    ServiceAccountStrategy() {
        super("", "ServiceAccount", Set.of(Trait.RETURNS_DELETED), Column.objectName(), Column.age());
    }
}
