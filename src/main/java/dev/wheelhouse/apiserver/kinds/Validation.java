package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.facts.Schemas;

/**
 * Validates objects of built-in types, in the words of Kubernetes 1.36 (upstream: {@code pkg/apis/<group>/validation}): metadata of all kinds,
 * pods and all that holds a pod template, services, config maps, secrets, namespaces and volume claims in full; other kinds by their
 * metadata.
 *
 * <p>The objects are to be decoded ({@link FieldValidation#prune}) and defaulted ({@link Defaults#apply}) first, with the namespace in place.
 * Where upstream prints an internal Go struct, the JSON of the value stands.
 */
public final class Validation {
    private static final Set<String> GENERIC = Set.of("admissionregistration.k8s.io", "apiextensions.k8s.io",
            "apiregistration.k8s.io", "coordination.k8s.io", "node.k8s.io");

    private Validation() {}

    /** What is wrong with a new, defaulted object; empty if nothing is. */
    public static List<Cause> create(ResourceType type, ObjectNode object) {
        Problems problems = new Problems();
        if (isReview(type)) {
            return problems.causes();
        }
        MetadataValidation.create(object, type.namespaced(),
                MetadataValidation.nameRule(type.group(), type.kind()), problems);
        if (Schemas.ofKind(type.apiVersion(), type.kind()) != null) {
            qualifyFinalizers(type, object, problems);
        }
        switch (type.group() + "/" + type.kind()) {
            case "/Pod" -> PodValidation.create(object, problems);
            case "/PodTemplate" -> PodValidation.template(object.path("template"), "template", problems);
            case "/ReplicationController" -> WorkloadValidation.replicationController(object, problems);
            case "/Service" -> ServiceValidation.create(object, problems);
            case "/ConfigMap" -> ConfigValidation.configMap(object, problems);
            case "/Secret" -> ConfigValidation.secret(object, problems);
            case "/Namespace" -> ClusterValidation.namespace(object, problems);
            case "/PersistentVolumeClaim" -> ClusterValidation.volumeClaim(object, problems);
            case "/Event" -> ClusterValidation.event(object, problems);
            case "apps/Deployment" -> WorkloadValidation.deployment(object, problems);
            case "apps/ReplicaSet" -> WorkloadValidation.replicaSet(object, problems);
            case "apps/StatefulSet" -> WorkloadValidation.statefulSet(object, problems);
            case "apps/DaemonSet" -> WorkloadValidation.daemonSet(object, problems);
            case "batch/Job" -> JobValidation.create(object, problems);
            case "batch/CronJob" -> JobValidation.cronJobCreate(object, problems);
            case "networking.k8s.io/NetworkPolicy" -> NetworkValidation.policy(object, problems);
            case "networking.k8s.io/IPAddress" -> NetworkValidation.address(object, problems);
            case "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding" ->
                AdmissionValidation.binding(object, false, problems);
            case "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding" ->
                AdmissionValidation.binding(object, true, problems);
            case "admissionregistration.k8s.io/MutatingAdmissionPolicy" ->
                AdmissionValidation.mutatingPolicy(object, problems);
            case "admissionregistration.k8s.io/ValidatingWebhookConfiguration" ->
                AdmissionValidation.webhooks(object, false, problems);
            case "admissionregistration.k8s.io/MutatingWebhookConfiguration" ->
                AdmissionValidation.webhooks(object, true, problems);
            case "storage.k8s.io/VolumeAttributesClass" -> StorageValidation.attributesClass(object, problems);
            case "storage.k8s.io/CSIDriver" -> StorageValidation.csiDriver(object, problems);
            case "storage.k8s.io/CSINode" -> StorageValidation.csiNode(object, problems);
            case "storage.k8s.io/CSIStorageCapacity" -> StorageValidation.capacity(object, problems);
            case "/PersistentVolume" -> StorageValidation.volume(object, problems);
            case "networking.k8s.io/IngressClass" -> TrafficValidation.ingressClass(object, problems);
            case "networking.k8s.io/Ingress" -> TrafficValidation.ingress(object, problems);
            case "networking.k8s.io/ServiceCIDR" -> TrafficValidation.serviceRange(object, problems);
            case "/Endpoints" -> TrafficValidation.endpoints(object, problems);
            case "discovery.k8s.io/EndpointSlice" -> TrafficValidation.slice(object, problems);
            case "autoscaling/HorizontalPodAutoscaler" -> LimitsValidation.autoscaler(object, problems);
            case "/LimitRange" -> LimitsValidation.limitRange(object, problems);
            case "/ResourceQuota" -> LimitsValidation.quota(object, problems);
            case "apps/ControllerRevision" -> LimitsValidation.revision(object, problems);
            case "storage.k8s.io/StorageClass" -> StorageValidation.storageClass(object, problems);
            case "storage.k8s.io/VolumeAttachment" -> StorageValidation.attachment(object, problems);
            case "/Node" -> ClusterValidation.node(object, problems);
            case "coordination.k8s.io/Lease" -> LeaseValidation.lease(object, problems);
            case "admissionregistration.k8s.io/ValidatingAdmissionPolicy" -> PolicyValidation.policy(object, problems);
            case "policy/PodDisruptionBudget" -> WorkloadValidation.disruptionBudget(object, problems);
            case "scheduling.k8s.io/PriorityClass" -> SchedulingValidation.priorityClass(object, problems);
            case "node.k8s.io/RuntimeClass" -> SchedulingValidation.runtimeClass(object, problems);
            case "rbac.authorization.k8s.io/Role" -> RbacValidation.role(object, false, problems);
            case "rbac.authorization.k8s.io/ClusterRole" -> RbacValidation.role(object, true, problems);
            case "rbac.authorization.k8s.io/RoleBinding" -> RbacValidation.binding(object, false, problems);
            case "rbac.authorization.k8s.io/ClusterRoleBinding" -> RbacValidation.binding(object, true, problems);
            default -> {
                // the metadata is all
            }
        }
        return problems.causes();
    }

    /**
     * What is wrong with a changed object, immutable fields among it.
     *
     * @param subresource empty for the object itself; for {@code scale} the objects may be Scales or the scaled objects
     */
    public static List<Cause> update(ResourceType type, String subresource, ObjectNode object, ObjectNode old) {
        Problems problems = new Problems();
        boolean builtIn = Schemas.ofKind(type.apiVersion(), type.kind()) != null;
        MetadataValidation.update(object, old, builtIn, problems);
        if (builtIn) {
            qualifyFinalizers(type, object, problems);
        }
        if (subresource.equals("status")) {
            StatusValidation.update(type.group() + "/" + type.kind(), object, old, problems);
            return problems.causes();
        }
        if (subresource.equals("scale") && Json.text(object, "kind").equals("Scale")) {
            problems.nonNegative(object.path("spec"), "spec", "replicas");
            return problems.causes();
        }
        if (!subresource.isEmpty() && !subresource.equals("scale")) {
            PodUpdateValidation.subresource(type, subresource, object, old, problems);
            return problems.causes();
        }
        update(type.group() + "/" + type.kind(), object, old, problems);
        return problems.causes();
    }

    private static void update(String kind, ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode spec = object.path("spec");
        JsonNode oldSpec = old.path("spec");
        switch (kind) {
            case "/Pod" -> PodUpdateValidation.update(object, old, problems);
            case "/PodTemplate" -> PodValidation.template(object.path("template"), "template", problems);
            case "/ReplicationController" -> WorkloadValidation.replicationController(object, problems);
            case "/Service" -> ServiceValidation.update(object, old, problems);
            case "/ConfigMap" -> ConfigValidation.configMapUpdate(object, old, problems);
            case "/Secret" -> ConfigValidation.secretUpdate(object, old, problems);
            case "/PersistentVolumeClaim" -> ClusterValidation.volumeClaimUpdate(object, old, problems);
            case "apps/Deployment" -> {
                WorkloadValidation.deployment(object, problems);
                selectorStays(spec, oldSpec, problems);
            }
            case "apps/ReplicaSet" -> {
                WorkloadValidation.replicaSet(object, problems);
                selectorStays(spec, oldSpec, problems);
            }
            case "apps/DaemonSet" -> {
                WorkloadValidation.daemonSet(object, problems);
                selectorStays(spec, oldSpec, problems);
            }
            case "apps/StatefulSet" -> WorkloadValidation.statefulSetUpdate(object, old, problems);
            case "batch/Job" -> JobValidation.update(object, old, problems);
            case "batch/CronJob" -> JobValidation.cronJob(spec, problems);
            case "networking.k8s.io/NetworkPolicy" -> NetworkValidation.policy(object, problems);
            case "networking.k8s.io/IPAddress" -> NetworkValidation.addressUpdate(object, old, problems);
            case "admissionregistration.k8s.io/ValidatingAdmissionPolicy" -> PolicyValidation.policy(object, problems);
            case "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding" ->
                AdmissionValidation.binding(object, false, problems);
            case "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding" ->
                AdmissionValidation.binding(object, true, problems);
            case "admissionregistration.k8s.io/MutatingAdmissionPolicy" ->
                AdmissionValidation.mutatingPolicy(object, problems);
            case "admissionregistration.k8s.io/ValidatingWebhookConfiguration" ->
                AdmissionValidation.webhooks(object, false, problems);
            case "admissionregistration.k8s.io/MutatingWebhookConfiguration" ->
                AdmissionValidation.webhooks(object, true, problems);
            case "storage.k8s.io/VolumeAttributesClass" ->
                StorageValidation.attributesClassUpdate(object, old, problems);
            case "storage.k8s.io/CSIDriver" -> StorageValidation.csiDriver(object, problems);
            case "storage.k8s.io/CSINode" -> StorageValidation.csiNode(object, problems);
            case "storage.k8s.io/CSIStorageCapacity" -> StorageValidation.capacity(object, problems);
            case "/PersistentVolume" -> StorageValidation.volumeUpdate(object, old, problems);
            case "networking.k8s.io/IngressClass" -> TrafficValidation.ingressClassUpdate(object, old, problems);
            case "networking.k8s.io/Ingress" -> TrafficValidation.ingress(object, problems);
            case "networking.k8s.io/ServiceCIDR" -> TrafficValidation.serviceRangeUpdate(object, old, problems);
            case "/Endpoints" -> TrafficValidation.endpoints(object, problems);
            case "discovery.k8s.io/EndpointSlice" -> TrafficValidation.sliceUpdate(object, old, problems);
            case "autoscaling/HorizontalPodAutoscaler" -> LimitsValidation.autoscaler(object, problems);
            case "/LimitRange" -> LimitsValidation.limitRange(object, problems);
            case "/ResourceQuota" -> LimitsValidation.quotaUpdate(object, old, problems);
            case "apps/ControllerRevision" -> LimitsValidation.revisionUpdate(object, old, problems);
            case "storage.k8s.io/VolumeAttachment" ->
                problems.immutable("spec", object.get("spec"), old.get("spec"));
            case "/Node" -> ClusterValidation.nodeUpdate(object, old, problems);
            case "coordination.k8s.io/Lease" -> LeaseValidation.lease(object, problems);
            case "policy/PodDisruptionBudget" -> WorkloadValidation.disruptionBudget(object, problems);
            case "scheduling.k8s.io/PriorityClass" ->
                SchedulingValidation.priorityClassUpdate(object, old, problems);
            case "node.k8s.io/RuntimeClass" -> SchedulingValidation.runtimeClassUpdate(object, old, problems);
            case "rbac.authorization.k8s.io/Role" -> RbacValidation.role(object, false, problems);
            case "rbac.authorization.k8s.io/ClusterRole" -> RbacValidation.role(object, true, problems);
            case "rbac.authorization.k8s.io/RoleBinding" -> RbacValidation.bindingUpdate(object, old, false, problems);
            case "rbac.authorization.k8s.io/ClusterRoleBinding" ->
                RbacValidation.bindingUpdate(object, old, true, problems);
            case "storage.k8s.io/StorageClass" -> ClusterValidation.storageClassUpdate(object, old, problems);
            default -> {
                // the metadata is all
            }
        }
    }

    /** Whether a workload's selector matches the labels of its pod template; true where there is no selector yet. */
    public static boolean selectorMatchesTemplate(ObjectNode workload) {
        JsonNode selector = Json.at(workload, "spec", "selector");
        JsonNode labels = Json.at(workload, "spec", "template", "metadata", "labels");
        if (selector == null) {
            return true;
        }
        if (Json.text(workload, "kind").equals("ReplicationController")) {
            ObjectNode full = Json.object();
            full.set("matchLabels", selector);
            return Selectors.matches(full, labels);
        }
        return Selectors.isValid(selector) && Selectors.matches(selector, labels);
    }

    /** Kinds that are answered and not stored: they need no names. */
    private static boolean isReview(ResourceType type) {
        return type.group().equals("authentication.k8s.io") || type.group().equals("authorization.k8s.io")
                || type.kind().equals("Binding") || type.kind().equals("Eviction");
    }

    /** Some groups have upstream's rules for the metadata of any object, not those of the core. */
    private static void qualifyFinalizers(ResourceType type, ObjectNode object, Problems problems) {
        if (!GENERIC.contains(type.group()) && !type.kind().equals("Event")) {
            MetadataValidation.finalizersAreQualified(object, problems);
        }
    }

    private static void selectorStays(JsonNode spec, JsonNode oldSpec, Problems problems) {
        JsonNode now = spec.get("selector");
        JsonNode before = oldSpec.get("selector");
        if (now == null ? before != null : !now.equals(before)) {
            problems.invalid("spec.selector", Selectors.printed(now), "field is immutable");
        }
    }
}
