package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.TableColumn;

/** Runtime classes (upstream: {@code pkg/registry/node/runtimeclass}). */
final class RuntimeClassStrategy extends Strategy {
    RuntimeClassStrategy() {
        super("node.k8s.io", "RuntimeClass", Set.of(Trait.CREATED_BY_UPDATE, Trait.UPDATED_BY_VERSION),
                TableColumn.objectName(),
                TableColumn.of("Handler", "Configuration of the container runtime.", o -> o.text("handler")),
                TableColumn.age());
    }
}
