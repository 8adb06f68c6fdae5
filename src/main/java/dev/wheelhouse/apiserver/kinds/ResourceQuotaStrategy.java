package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Resource quotas (upstream: {@code pkg/registry/core/resourcequota}). */
final class ResourceQuotaStrategy extends Strategy {
    ResourceQuotaStrategy() {
        super("", "ResourceQuota");
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        LimitsValidation.quota(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        LimitsValidation.quotaUpdate(object, old, problems);
    }
}
