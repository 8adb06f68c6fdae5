package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Problems;

/** Limit ranges, whose names may be left to the server (upstream: {@code pkg/registry/core/limitrange}). */
final class LimitRangeStrategy extends Strategy {
    LimitRangeStrategy() {
        super("", "LimitRange");
    }

    @Override
    public boolean allowsCreateOnUpdate() {
        return true;
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        if (Meta.name(object).isEmpty()) {
            Meta.of(object).put("name", state.ids().uid());
        }
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        LimitsValidation.limitRange(object, problems);
    }
}
