package dev.wheelhouse.controllers.job;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.TypedKey;

/** The objects that the Job controller syncs. */
sealed interface JobKey extends TypedKey {
    /** A Job. */
    record OfJob(ObjectKey object) implements JobKey {
        @Override
        public String toString() {
            return object.toString();
        }
    }

    /** A pod with the tracking finalizer that perhaps no Job counts. */
    record OfOrphan(ObjectKey object) implements JobKey {
        @Override
        public String toString() {
            return new ObjectKey(object.namespace(), "pods/" + object.name()).toString();
        }
    }
}
