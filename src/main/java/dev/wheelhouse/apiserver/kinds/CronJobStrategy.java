package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Cron jobs (upstream: {@code pkg/registry/batch/cronjob}). */
final class CronJobStrategy extends Strategy {
    CronJobStrategy() {
        super("batch", "CronJob");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        JobValidation.cronJobCreate(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        JobValidation.cronJob(object.path("spec"), problems);
    }
}
