package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;

/** The versions that API servers store (upstream: {@code pkg/registry/apiserverinternal/storageversion}). */
final class StorageVersionStrategy extends Strategy {
    StorageVersionStrategy() {
        super("internal.apiserver.k8s.io", "StorageVersion", Set.of(Trait.UPDATED_BY_VERSION), Column.objectName(),
                Column.of("CommonEncodingVersion", "Version that all servers store.",
                        o -> o.textOr(Item.UNSET, "status", "commonEncodingVersion")),
                Column.of("StorageVersions", "Version that each server stores.",
                        o -> Item.firstThree(o.items("status", "storageVersions").stream()
                                .map(v -> v.text("apiServerID") + "=" + v.text("encodingVersion")).toList())),
                Column.age());
    }
}
