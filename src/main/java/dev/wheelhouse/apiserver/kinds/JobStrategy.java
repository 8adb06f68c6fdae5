package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Problems;

/** Jobs, which select their pods by their UID (upstream: {@code pkg/registry/batch/job}). */
final class JobStrategy extends Strategy {
    JobStrategy() {
        super("batch", "Job");
    }

    @Override
    public boolean orphansByDefault() {
        return true;
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        Meta.of(object).put("uid", state.ids().uid());
        WorkloadDefaults.generateSelector(object, Json.child(object, "spec"));
    }

    @Override
    public String warnOfDeletion() {
        return "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
                + "to remove them or set propagationPolicy=Orphan to suppress this warning";
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        JobValidation.create(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        JobValidation.update(object, old, problems);
    }
}
