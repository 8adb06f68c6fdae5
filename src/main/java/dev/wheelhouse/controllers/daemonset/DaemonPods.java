package dev.wheelhouse.controllers.daemonset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1NodeSelector;
import io.kubernetes.client.openapi.models.V1NodeSelectorRequirement;
import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.pods.PodFactory;
import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Makes and reads the pods of a DaemonSet (upstream: {@code pkg/controller/daemon/util/daemonset_util.go}). A pod is
 * bound by the scheduler: its node affinity names the one node that it is for.
 */
final class DaemonPods {
    /** The label that names the revision of the template that a pod was made from. */
    static final String HASH_LABEL = "controller-revision-hash";
    private static final String GENERATION_LABEL = "pod-template-generation";
    private static final String GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";
    private static final String NAME_FIELD = "metadata.name";

    private DaemonPods() {}

    /** The tolerations of a template with those that every DaemonSet has, so that node problems do not end its pods. */
    static List<V1Toleration> tolerations(V1PodSpec template) {
        List<V1Toleration> all = new ArrayList<>();
        if (template.getTolerations() != null) {
            all.addAll(template.getTolerations());
        }
        tolerate(all, "not-ready", "NoExecute");
        tolerate(all, "unreachable", "NoExecute");
        tolerate(all, "disk-pressure", "NoSchedule");
        tolerate(all, "memory-pressure", "NoSchedule");
        tolerate(all, "pid-pressure", "NoSchedule");
        tolerate(all, "unschedulable", "NoSchedule");
        if (Boolean.TRUE.equals(template.getHostNetwork())) {
            tolerate(all, "network-unavailable", "NoSchedule");
        }
        return all;
    }

    /** Adds a toleration without an end. It replaces those that differ only in their end. */
    private static void tolerate(List<V1Toleration> all, String taint, String effect) {
        V1Toleration added = new V1Toleration().key("node.kubernetes.io/" + taint).operator("Exists").effect(effect);
        boolean replaced = false;
        for (int i = 0; i < all.size(); i++) {
            V1Toleration present = all.get(i);
            if (Objects.equals(present.getKey(), added.getKey()) && effect.equals(present.getEffect())
                    && "Exists".equals(present.getOperator())
                    && (present.getValue() == null || present.getValue().isEmpty())) {
                all.set(i, added);
                replaced = true;
            }
        }
        if (!replaced) {
            all.add(added);
        }
    }

    /**
     * The template for the pods of a revision: with the labels of the revision and all tolerations. What does not
     * change is shared with the DaemonSet's own template.
     */
    static V1PodTemplateSpec template(V1DaemonSet set, String hash) {
        V1PodTemplateSpec template = set.getSpec().getTemplate();
        V1ObjectMeta meta = template.getMetadata() == null
                ? new V1ObjectMeta()
                : ModelJson.shallowCopy(template.getMetadata());
        Map<String, String> labels = new HashMap<>(Metadata.labels(meta));
        Long generation = templateGeneration(set);
        if (generation != null) {
            labels.put(GENERATION_LABEL, generation.toString());
        }
        labels.put(HASH_LABEL, hash);
        V1PodSpec spec = ModelJson.shallowCopy(template.getSpec());
        spec.setTolerations(tolerations(spec));
        return new V1PodTemplateSpec().metadata(meta.labels(labels)).spec(spec);
    }

    /** A pod for one node. The rules of the template's node affinity were met by the node and are dropped. */
    static V1Pod forNode(V1PodTemplateSpec template, V1DaemonSet set, String node) {
        V1Pod pod = PodFactory.fromTemplate(template, ResourceType.DAEMON_SETS, set.getMetadata());
        V1PodSpec spec = ModelJson.shallowCopy(template.getSpec());
        V1Affinity affinity = spec.getAffinity() == null ? new V1Affinity() : ModelJson.shallowCopy(spec.getAffinity());
        V1NodeAffinity nodes = affinity.getNodeAffinity() == null
                ? new V1NodeAffinity()
                : ModelJson.shallowCopy(affinity.getNodeAffinity());
        nodes.setRequiredDuringSchedulingIgnoredDuringExecution(
                new V1NodeSelector().addNodeSelectorTermsItem(new V1NodeSelectorTerm().addMatchFieldsItem(
                        new V1NodeSelectorRequirement().key(NAME_FIELD).operator("In").values(List.of(node)))));
        return pod.spec(spec.affinity(affinity.nodeAffinity(nodes)));
    }

    /** The node that a pod runs on or is for; null if the pod does not say. */
    static @Nullable String node(V1Pod pod) {
        String bound = Pods.node(pod);
        if (!bound.isEmpty()) {
            return bound;
        }
        V1Affinity affinity = pod.getSpec().getAffinity();
        V1NodeAffinity nodes = affinity == null ? null : affinity.getNodeAffinity();
        V1NodeSelector required = nodes == null ? null : nodes.getRequiredDuringSchedulingIgnoredDuringExecution();
        if (required == null || required.getNodeSelectorTerms() == null) {
            return null;
        }
        for (V1NodeSelectorTerm term : required.getNodeSelectorTerms()) {
            for (V1NodeSelectorRequirement field : orEmpty(term.getMatchFields())) {
                if (NAME_FIELD.equals(field.getKey()) && "In".equals(field.getOperator())) {
                    List<String> names = orEmpty(field.getValues());
                    return names.size() == 1 ? names.getFirst() : null;
                }
            }
        }
        return null;
    }

    /** The number of the template as the API server counts them; null if it is missing or no number. */
    static @Nullable Long templateGeneration(V1DaemonSet set) {
        String text = Metadata.annotation(set, GENERATION_ANNOTATION);
        try {
            return text == null ? null : Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Whether a pod was made from the revision with this hash, or has the number of the present template. */
    static boolean isUpdated(V1Pod pod, String hash, @Nullable Long templateGeneration) {
        return hash.equals(label(pod, HASH_LABEL))
                || templateGeneration != null && templateGeneration.toString().equals(label(pod, GENERATION_LABEL));
    }

    /** The value of a label; empty if the pod does not have it. */
    static String label(V1Pod pod, String name) {
        return orEmpty(Metadata.label(pod, name));
    }
}
