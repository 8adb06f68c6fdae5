package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.api.ResourceType;

/** The state of the control plane, which is answered and not stored (upstream: {@code pkg/registry/core/componentstatus}). */
final class ComponentStatusStrategy extends Strategy {
    ComponentStatusStrategy() {
        super("", "ComponentStatus");
    }

    @Override
    public String deprecation(ResourceType type) {
        return "v1 ComponentStatus is deprecated in v1.19+";
    }
}
