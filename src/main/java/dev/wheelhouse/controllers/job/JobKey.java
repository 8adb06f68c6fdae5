package dev.wheelhouse.controllers.job;

import dev.wheelhouse.api.ObjectKey;

/** The objects that the Job controller syncs. */
sealed interface JobKey {
    /** The key of the Job or the pod. */
    ObjectKey object();

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
