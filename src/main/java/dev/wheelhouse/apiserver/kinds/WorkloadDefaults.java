package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.json.Json.child;
import static dev.wheelhouse.apiserver.json.Json.text;
import static dev.wheelhouse.apiserver.kinds.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/** The defaults of the workloads (upstream: {@code pkg/apis/apps/v1/defaults.go}, {@code batch/v1}, {@code core/v1}). */
final class WorkloadDefaults {
    private WorkloadDefaults() {}

    static void addTo(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.DeploymentSpec", WorkloadDefaults::deployment);
        rules.put("io.k8s.api.apps.v1.ReplicaSetSpec", spec -> set(spec, "replicas", 1));
        rules.put("io.k8s.api.apps.v1.StatefulSetSpec", WorkloadDefaults::statefulSet);
        rules.put("io.k8s.api.apps.v1.DaemonSetSpec", WorkloadDefaults::daemonSet);
        rules.put("io.k8s.api.core.v1.ReplicationController", WorkloadDefaults::replicationController);
        rules.put("io.k8s.api.batch.v1.Job", WorkloadDefaults::job);
        rules.put("io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", p -> set(p, "status", "True"));
        rules.put("io.k8s.api.batch.v1.CronJobSpec", spec -> {
            set(spec, "concurrencyPolicy", "Allow");
            set(spec, "suspend", false);
            set(spec, "successfulJobsHistoryLimit", 3);
            set(spec, "failedJobsHistoryLimit", 1);
        });
    }

    private static void deployment(ObjectNode spec) {
        set(spec, "replicas", 1);
        ObjectNode strategy = child(spec, "strategy");
        set(strategy, "type", "RollingUpdate");
        if (text(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = child(strategy, "rollingUpdate");
            for (String bound : List.of("maxUnavailable", "maxSurge")) {
                if (Json.at(rolling, bound) == null) {
                    rolling.put(bound, "25%");
                }
            }
        }
        set(spec, "revisionHistoryLimit", 10);
        set(spec, "progressDeadlineSeconds", 600);
    }

    private static void statefulSet(ObjectNode spec) {
        set(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = child(spec, "updateStrategy");
        if (text(strategy, "type").isEmpty()) {
            strategy.put("type", "RollingUpdate");
            child(strategy, "rollingUpdate");
        }
        if (text(strategy, "type").equals("RollingUpdate") && strategy.get("rollingUpdate") instanceof ObjectNode r) {
            set(r, "partition", 0);
        }
        ObjectNode retention = child(spec, "persistentVolumeClaimRetentionPolicy");
        set(retention, "whenDeleted", "Retain");
        set(retention, "whenScaled", "Retain");
        set(spec, "replicas", 1);
        set(spec, "revisionHistoryLimit", 10);
        if (spec.get("volumeClaimTemplates") instanceof ArrayNode claims) {
            for (JsonNode claim : claims) {
                set((ObjectNode) claim, "apiVersion", "v1");
                set((ObjectNode) claim, "kind", "PersistentVolumeClaim");
            }
        }
    }

    private static void daemonSet(ObjectNode spec) {
        ObjectNode strategy = child(spec, "updateStrategy");
        set(strategy, "type", "RollingUpdate");
        if (text(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = child(strategy, "rollingUpdate");
            set(rolling, "maxUnavailable", 1);
            set(rolling, "maxSurge", 0);
        }
        set(spec, "revisionHistoryLimit", 10);
    }

    private static void replicationController(ObjectNode controller) {
        if (Json.at(controller, "spec", "template", "metadata", "labels") instanceof ObjectNode labels
                && !labels.isEmpty()) {
            if (isEmpty(child(controller, "spec"), "selector")) {
                child(controller, "spec").set("selector", labels.deepCopy());
            }
            labels(controller, labels);
        }
    }

    private static void job(ObjectNode job) {
        ObjectNode spec = child(job, "spec");
        if (Json.at(spec, "completions") == null && Json.at(spec, "parallelism") == null) {
            spec.put("completions", 1);
        }
        set(spec, "parallelism", 1);
        set(spec, "backoffLimit", Json.at(spec, "backoffLimitPerIndex") == null ? 6 : Integer.MAX_VALUE);
        if (Json.at(spec, "template", "metadata", "labels") instanceof ObjectNode labels && !labels.isEmpty()) {
            labels(job, labels);
        }
        set(spec, "completionMode", "NonIndexed");
        set(spec, "suspend", false);
        set(spec, "podReplacementPolicy",
                Json.at(spec, "podFailurePolicy") == null ? "TerminatingOrFailed" : "Failed");
        set(spec, "manualSelector", false);
        generateSelector(job, spec);
    }

    /** What upstream's strategy does to a new job, once it has a uid: its pods carry the uid, and it selects them by it. */
    static void generateSelector(ObjectNode job, ObjectNode spec) {
        String uid = text(job, "metadata", "uid");
        if (uid.isEmpty() || spec.path("manualSelector").asBoolean(false) || Json.at(spec, "selector") != null) {
            return;
        }
        ObjectNode labels = child(child(child(spec, "template"), "metadata"), "labels");
        String name = text(job, "metadata", "name");
        set(labels, "controller-uid", uid);
        set(labels, "batch.kubernetes.io/controller-uid", uid);
        set(labels, "job-name", name);
        set(labels, "batch.kubernetes.io/job-name", name);
        spec.putObject("selector").putObject("matchLabels").put("batch.kubernetes.io/controller-uid", uid);
    }

    private static void labels(ObjectNode object, ObjectNode templateLabels) {
        ObjectNode metadata = child(object, "metadata");
        if (isEmpty(metadata, "labels")) {
            metadata.set("labels", templateLabels.deepCopy());
        }
    }
}
