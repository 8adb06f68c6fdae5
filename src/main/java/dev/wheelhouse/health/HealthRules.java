package dev.wheelhouse.health;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.health.Health.Level;

/** The rules for one object, by its type. Upstream of the words: gitops-engine {@code pkg/health}. */
record HealthRules(JsonNode object, JsonNode spec, JsonNode status) {
    static final Set<String> IMAGE = Set.of("ErrImagePull", "ImagePullBackOff", "InvalidImageName",
            "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed");
    /** A Deployment past its deadline says that it waits for something, but not for what. */
    static final String LATE = "does not progress";

    HealthRules(JsonNode object) {
        this(object, object.path("spec"), object.path("status"));
    }

    Health health() {
        if (object.path("metadata").has("deletionTimestamp")) {
            return deleting();
        }
        String apiVersion = text(object, "apiVersion");
        String group = apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/')));
        return switch (group + "/" + text(object, "kind")) {
            case "/Pod" -> pod();
            case "/ReplicationController", "apps/ReplicaSet" -> replicaSet();
            case "apps/Deployment" -> deployment();
            case "apps/StatefulSet" -> statefulSet();
            case "apps/DaemonSet" -> daemonSet();
            case "batch/Job" -> job();
            case "batch/CronJob" -> cronJob();
            case "/Node" -> node();
            case "/PersistentVolumeClaim", "/PersistentVolume" -> volume();
            case "/Service" -> spec.path("type").asString("").equals("LoadBalancer") ? addressed() : Health.healthy("");
            case "networking.k8s.io/Ingress" -> addressed();
            case "autoscaling/HorizontalPodAutoscaler" -> autoscaler();
            case "policy/PodDisruptionBudget" -> budget();
            case "storage.k8s.io/VolumeAttachment" -> attachment();
            case "certificates.k8s.io/CertificateSigningRequest" -> signingRequest();
            case "apiregistration.k8s.io/APIService" -> needs("Available");
            case "apiextensions.k8s.io/CustomResourceDefinition" -> definition();
            default -> byConvention();
        };
    }

    private Health deleting() {
        List<String> waits = new ArrayList<>();
        for (JsonNode condition : status.path("conditions")) {
            if (text(object, "kind").equals("Namespace") && text(condition, "status").equals("True")) {
                waits.add(text(condition, "message"));
            }
        }
        List<String> finalizers = new ArrayList<>();
        object.path("metadata").path("finalizers").forEach(name -> finalizers.add(name.asString("")));
        if (waits.isEmpty() && !finalizers.isEmpty()) {
            waits.add("it waits for the owners of its finalizers: " + String.join(", ", finalizers));
        }
        return new Health(Level.PROGRESSING, "terminating", String.join("; ", waits),
                Health.time(object.path("metadata"), "deletionTimestamp"));
    }

    // ---- pods

    private Health pod() {
        String phase = text(status, "phase");
        String reason = text(status, "reason");
        switch (phase) {
            case "" -> {
                return Health.progressing("not seen by a node");
            }
            case "Succeeded" -> {
                return Health.healthy("succeeded");
            }
            case "Failed" -> {
                Health ended = containers(true);
                return ended != null && reason.isEmpty()
                        ? ended
                        : degraded(reason.isEmpty() ? "failed" : reason, text(status, "message"), null);
            }
            default -> {
                Health trouble = containers(false);
                if (trouble != null) {
                    return trouble;
                }
            }
        }
        JsonNode scheduled = condition("PodScheduled");
        if (text(scheduled, "status").equals("False")) {
            return text(scheduled, "reason").equals("SchedulingGated")
                    ? Health.suspended("scheduling gated")
                    : of(Level.DEGRADED, "not scheduled", scheduled);
        }
        if (phase.equals("Running") && isReplaced() && is("Ready", "True")) {
            return Health.healthy("ready");
        }
        if (phase.equals("Running") && !isReplaced()) {
            return Health.progressing("running");
        }
        return scheduled.isMissingNode() && !phase.equals("Running")
                ? new Health(Level.PROGRESSING, "not scheduled", "no scheduler has looked at it",
                        Health.time(object.path("metadata"), "creationTimestamp"))
                : of(Level.PROGRESSING, phase.equals("Running") ? "not ready" : "starting", condition("Ready"));
    }

    private boolean isReplaced() {
        String policy = text(spec, "restartPolicy");
        return policy.isEmpty() || policy.equals("Always");
    }

    /** The worst of a pod's containers; null if none is in trouble. */
    private @Nullable Health containers(boolean failed) {
        for (String list : List.of("initContainerStatuses", "containerStatuses")) {
            for (JsonNode container : status.path(list)) {
                String prefix = list.startsWith("init") ? "Init:" : "";
                JsonNode waiting = container.path("state").path("waiting");
                String reason = text(waiting, "reason");
                if (!reason.isEmpty() && !reason.equals("ContainerCreating") && !reason.equals("PodInitializing")) {
                    return degraded(prefix + reason, waits(container, reason, text(waiting, "message")),
                            Health.time(condition("Ready"), "lastTransitionTime"));
                }
                JsonNode ended = container.path("state").path("terminated");
                if (ended.path("exitCode").asInt(0) != 0 && (failed || isReplaced())) {
                    return degraded(prefix + word(text(ended, "reason"), "Error"),
                            "container " + text(container, "name") + " " + end(ended),
                            Health.time(ended, "finishedAt"));
                }
            }
        }
        return null;
    }

    private static String waits(JsonNode container, String reason, String message) {
        String name = text(container, "name");
        String more = message.isEmpty() ? "" : ": " + message;
        if (IMAGE.contains(reason)) {
            return "image " + text(container, "image") + " of container " + name + " cannot be pulled" + more;
        }
        JsonNode last = container.path("lastState").path("terminated");
        return reason.equals("CrashLoopBackOff") && !last.isMissingNode()
                ? "container " + name + " " + end(last) + ", after " + container.path("restartCount").asInt(0)
                        + " restarts"
                : "container " + name + " does not start: " + reason + more;
    }

    private static String end(JsonNode terminated) {
        String reason = text(terminated, "reason");
        String message = text(terminated, "message");
        return "ended with exit code " + terminated.path("exitCode").asInt(0)
                + (reason.isEmpty() || reason.equals("Error") ? "" : " (" + reason + ")")
                + (message.isEmpty() ? "" : ": " + message.strip());
    }

    // ---- workloads

    private Health deployment() {
        int wanted = spec.path("replicas").asInt(1);
        int updated = number("updatedReplicas");
        int ready = number("readyReplicas");
        JsonNode progressing = condition("Progressing");
        if (is("ReplicaFailure", "True")) {
            return of(Level.DEGRADED, "cannot make pods", condition("ReplicaFailure"));
        }
        if (spec.path("paused").asBoolean(false)) {
            return Health.suspended("paused, " + ready + "/" + wanted + " ready");
        }
        if (isAhead()) {
            return Health.progressing("waits for its controller");
        }
        if (text(progressing, "status").equals("False")) {
            return of(Level.DEGRADED, LATE, progressing);
        }
        if (updated < wanted) {
            return Health.progressing(updated + "/" + wanted + " updated");
        }
        return number("replicas") > updated
                ? Health.progressing(number("replicas") - updated + " old pods left")
                : ready(number("availableReplicas"), ready, wanted);
    }

    private Health replicaSet() {
        return is("ReplicaFailure", "True")
                ? of(Level.DEGRADED, "cannot make pods", condition("ReplicaFailure"))
                : isAhead()
                        ? Health.progressing("waits for its controller")
                        : ready(number("availableReplicas"), number("readyReplicas"), spec.path("replicas").asInt(1));
    }

    private Health statefulSet() {
        int wanted = spec.path("replicas").asInt(1);
        int partition = spec.path("updateStrategy").path("rollingUpdate").path("partition").asInt(0);
        if (isAhead()) {
            return Health.progressing("waits for its controller");
        }
        if (number("readyReplicas") >= wanted && !text(spec.path("updateStrategy"), "type").equals("OnDelete")
                && number("updatedReplicas") < wanted - partition) {
            return Health.progressing(number("updatedReplicas") + "/" + (wanted - partition) + " updated");
        }
        return ready(status.path("availableReplicas").asInt(number("readyReplicas")), number("readyReplicas"), wanted);
    }

    private Health daemonSet() {
        int wanted = number("desiredNumberScheduled");
        int updated = number("updatedNumberScheduled");
        if (isAhead()) {
            return Health.progressing("waits for its controller");
        }
        return updated < wanted && !text(spec.path("updateStrategy"), "type").equals("OnDelete")
                ? Health.progressing(updated + "/" + wanted + " updated")
                : ready(number("numberAvailable"), number("numberReady"), wanted);
    }

    private static Health ready(int available, int ready, int wanted) {
        String text = ready + "/" + wanted + " ready";
        return available < wanted ? Health.progressing(text) : Health.healthy(text);
    }

    private Health job() {
        if (is("Failed", "True")) {
            return of(Level.DEGRADED, "failed", condition("Failed"));
        }
        if (is("FailureTarget", "True")) {
            return of(Level.DEGRADED, "fails", condition("FailureTarget"));
        }
        return is("Complete", "True")
                ? Health.healthy("complete")
                : is("Suspended", "True")
                        ? Health.suspended("suspended")
                        : Health.progressing(number("active") > 0 ? number("active") + " running" : "not complete");
    }

    private Health cronJob() {
        if (spec.path("suspend").asBoolean(false)) {
            return Health.suspended("suspended");
        }
        Instant scheduled = Health.time(status, "lastScheduleTime");
        Instant succeeded = Health.time(status, "lastSuccessfulTime");
        int active = status.path("active").size();
        if (scheduled != null && active == 0 && (succeeded == null || succeeded.isBefore(scheduled))) {
            return new Health(Level.DEGRADED, "the last Job failed", "no Job has succeeded since "
                    + (succeeded == null ? "the first one" : succeeded), scheduled);
        }
        return Health.healthy(active > 0 ? active + " running" : "");
    }

    // ---- infrastructure

    private Health node() {
        JsonNode ready = condition("Ready");
        if (!text(ready, "status").equals("True")) {
            return ready.isMissingNode()
                    ? Health.progressing("not registered")
                    : of(text(ready, "status").equals("Unknown") ? Level.UNKNOWN : Level.DEGRADED, "not ready", ready);
        }
        for (JsonNode condition : status.path("conditions")) {
            if (text(condition, "status").equals("True")
                    && (text(condition, "type").endsWith("Pressure")
                            || text(condition, "type").equals("NetworkUnavailable"))) {
                return of(Level.DEGRADED, text(condition, "type"), condition);
            }
        }
        return spec.path("unschedulable").asBoolean(false) ? Health.suspended("cordoned") : Health.healthy("ready");
    }

    private Health volume() {
        String phase = text(status, "phase");
        return switch (phase) {
            case "Failed", "Lost" -> degraded(phase, text(status, "message"), null);
            case "Pending", "" -> new Health(Level.PROGRESSING, "pending", text(object, "kind").endsWith("Claim")
                    ? "it waits for a volume" + (text(spec, "storageClassName").isEmpty()
                            ? ""
                            : " of the class " + text(spec, "storageClassName"))
                    : "", Health.time(object.path("metadata"), "creationTimestamp"));
            default -> Health.healthy(phase);
        };
    }

    private Health addressed() {
        return status.path("loadBalancer").path("ingress").isEmpty()
                ? new Health(Level.PROGRESSING, "no address", "it waits for an address, which no controller has set",
                        Health.time(object.path("metadata"), "creationTimestamp"))
                : Health.healthy("");
    }

    private Health autoscaler() {
        if (is("AbleToScale", "False")) {
            return of(Level.DEGRADED, "cannot scale", condition("AbleToScale"));
        }
        JsonNode active = condition("ScalingActive");
        if (text(active, "status").equals("False")) {
            return text(active, "reason").equals("ScalingDisabled")
                    ? Health.suspended("scaling disabled")
                    // Pods have no metrics until they were measured.
                    : of(text(active, "reason").startsWith("FailedGet") ? Level.PROGRESSING : Level.DEGRADED,
                            "does not scale", active);
        }
        return Health.healthy(number("currentReplicas") + " replicas");
    }

    private Health budget() {
        JsonNode allowed = condition("DisruptionAllowed");
        return text(allowed, "reason").equals("SyncFailed")
                ? of(Level.DEGRADED, "fails", allowed)
                : isAhead() || number("currentHealthy") < number("desiredHealthy")
                        ? new Health(Level.PROGRESSING,
                                number("currentHealthy") + "/" + number("desiredHealthy") + " healthy",
                                number("expectedPods") > 0 ? "" : "its selector matches no pods",
                                Health.time(allowed, "lastTransitionTime"))
                        : Health.healthy(number("disruptionsAllowed") + " disruptions allowed");
    }

    private Health attachment() {
        for (String error : List.of("attachError", "detachError")) {
            if (status.has(error)) {
                return degraded(error, text(status.path(error), "message"), Health.time(status.path(error), "time"));
            }
        }
        return status.path("attached").asBoolean(false)
                ? Health.healthy("attached")
                : Health.progressing("not attached");
    }

    private Health signingRequest() {
        return is("Failed", "True")
                ? of(Level.DEGRADED, "failed", condition("Failed"))
                : is("Denied", "True")
                        ? Health.healthy("denied")
                        : status.has("certificate")
                                ? Health.healthy("issued")
                                : new Health(Level.PROGRESSING, "pending", is("Approved", "True")
                                        ? "it waits for its signer " + text(spec, "signerName")
                                        : "it waits for an approval",
                                        Health.time(object.path("metadata"),
                                                "creationTimestamp"));
    }

    private Health definition() {
        for (JsonNode condition : status.path("conditions")) {
            boolean bad = text(condition, "type").equals("NonStructuralSchema");
            if (text(condition, "status").equals(bad ? "True" : "False")
                    && (bad || text(condition, "type").equals("NamesAccepted"))) {
                return of(Level.DEGRADED, "not served", condition);
            }
        }
        return needs("Established");
    }

    private Health needs(String type) {
        JsonNode condition = condition(type);
        return condition.isMissingNode()
                ? Health.progressing("not " + type.toLowerCase(Locale.ROOT))
                : text(condition, "status").equals("True")
                        ? Health.healthy(type.toLowerCase(Locale.ROOT))
                        : of(Level.DEGRADED, "not " + type.toLowerCase(Locale.ROOT), condition);
    }

    // ---- types by convention

    /** The conventions of kstatus: {@code observedGeneration}, and the conditions Stalled, Reconciling and Ready. */
    private Health byConvention() {
        for (String bad : List.of("Stalled", "Degraded", "Failed", "Dangling")) {
            if (is(bad, "True")) {
                return of(Level.DEGRADED, bad.toLowerCase(Locale.ROOT), condition(bad));
            }
        }
        if (isAhead()) {
            return Health.progressing("waits for its controller");
        }
        if (is("Reconciling", "True")) {
            return of(Level.PROGRESSING, "reconciling", condition("Reconciling"));
        }
        JsonNode ready = condition("Ready");
        if (ready.path("observedGeneration").asLong(Long.MAX_VALUE) < object.path("metadata").path("generation")
                .asLong(0)) {
            return Health.progressing("waits for its controller");
        }
        switch (text(ready, "status")) {
            case "False" -> {
                return of(Level.PROGRESSING, "not ready", ready);
            }
            case "Unknown" -> {
                return of(Level.UNKNOWN, "not known", ready);
            }
            case "True" -> {
                return Health.healthy("ready");
            }
            default -> {
                // Types without this condition may have a phase.
            }
        }
        String phase = text(status, "phase");
        return switch (phase) {
            case "Failed", "Error", "Lost" -> degraded(phase, text(status, "message"), null);
            case "Pending" -> Health.progressing("pending");
            default -> Health.healthy(phase);
        };
    }

    // ---- parts of objects

    /** Whether the spec has changed since the controller wrote the status. */
    private boolean isAhead() {
        return object.path("metadata").path("generation").asLong(0) > status.path("observedGeneration")
                .asLong(status.has("observedGeneration") || isBuiltIn() ? 0 : Long.MAX_VALUE);
    }

    private boolean isBuiltIn() {
        return Set.of("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "PodDisruptionBudget")
                .contains(text(object, "kind"));
    }

    private JsonNode condition(String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (text(condition, "type").equals(type)) {
                return condition;
            }
        }
        return status.path("conditions").path(type);
    }

    private boolean is(String type, String wanted) {
        return text(condition(type), "status").equals(wanted);
    }

    private int number(String field) {
        return status.path(field).asInt(0);
    }

    private static Health of(Level level, String text, JsonNode condition) {
        return new Health(level, text, word(text(condition, "message"), text(condition, "reason")),
                Health.time(condition, "lastTransitionTime"));
    }

    private static Health degraded(String text, String cause, @Nullable Instant since) {
        return new Health(Level.DEGRADED, text, cause, since);
    }

    private static String word(String first, String second) {
        return first.isEmpty() ? second : first;
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asString("");
    }
}
