package dev.wheelhouse.controllers.statefulset;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimVolumeSource;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.pods.PodFactory;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The identity of a pod of a StatefulSet: its name, its labels, and the volumes of its claims (upstream:
 * {@code pkg/controller/statefulset/stateful_set_utils.go}). The ordinal is the number at the end of the name.
 */
final class Identity {
    static final String POD_NAME = "statefulset.kubernetes.io/pod-name";
    static final String POD_INDEX = "apps.kubernetes.io/pod-index";
    /** The label with the name of the pod's ControllerRevision. */
    static final String REVISION = "controller-revision-hash";

    private Identity() {}

    /** The ordinal of a pod; -1 if its name does not end with one. */
    static int ordinal(V1Pod pod) {
        String name = pod.getMetadata().getName();
        int dash = name.lastIndexOf('-');
        if (dash < 0 || dash == name.length() - 1
                || !name.chars().skip(dash + 1L).allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        try {
            return Integer.parseInt(name, dash + 1, name.length(), 10);
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }

    /** Whether the name of a pod is that of a set with a number. */
    static boolean isMember(String set, V1Pod pod) {
        String name = pod.getMetadata().getName();
        int dash = name.lastIndexOf('-');
        return dash == set.length() && name.startsWith(set) && dash < name.length() - 1
                && name.chars().skip(dash + 1L).allMatch(c -> c >= '0' && c <= '9');
    }

    static String podName(String set, int ordinal) {
        return set + "-" + ordinal;
    }

    static String claimName(String set, V1PersistentVolumeClaim template, int ordinal) {
        return template.getMetadata().getName() + "-" + set + "-" + ordinal;
    }

    /** The name of the pod's revision; empty if it has none. */
    static String revision(V1Pod pod) {
        return orEmpty(Metadata.label(pod, REVISION));
    }

    /** Whether a pod has the name and the name label of its ordinal. */
    static boolean matches(StatefulSetView view, V1Pod pod) {
        String name = podName(view.name(), ordinal(pod));
        return name.equals(pod.getMetadata().getName()) && name.equals(Metadata.label(pod, POD_NAME));
    }

    /** Whether the volumes of a pod are those of its claims. */
    static boolean storageMatches(StatefulSetView view, V1Pod pod) {
        List<V1Volume> volumes = orEmpty(pod.getSpec().getVolumes());
        for (V1PersistentVolumeClaim template : view.claimTemplates()) {
            String claim = claimName(view.name(), template, ordinal(pod));
            // Of volumes with one name the last counts, as in upstream's map.
            V1Volume volume = volumes.reversed().stream()
                    .filter(v -> v.getName().equals(template.getMetadata().getName())).findFirst().orElse(null);
            if (volume == null || volume.getPersistentVolumeClaim() == null
                    || !claim.equals(volume.getPersistentVolumeClaim().getClaimName())) {
                return false;
            }
        }
        return true;
    }

    /** A new pod of a set. */
    static V1Pod newPod(StatefulSetView view, V1PodTemplateSpec template, String revision, int ordinal) {
        V1Pod pod = PodFactory.fromTemplate(template, ResourceType.STATEFUL_SETS, view.set().getMetadata());
        pod.getMetadata().setName(podName(view.name(), ordinal));
        identify(view, pod.getMetadata(), ordinal).put(REVISION, revision);
        V1PodSpec spec = template.getSpec() == null ? new V1PodSpec() : ModelJson.shallowCopy(template.getSpec());
        spec.hostname(pod.getMetadata().getName()).subdomain(view.set().getSpec().getServiceName())
                .volumes(volumes(view, spec, ordinal));
        return pod.spec(spec);
    }

    /** A copy of a pod with the identity and the volumes of its ordinal. */
    static V1Pod repaired(StatefulSetView view, V1Pod pod) {
        int ordinal = ordinal(pod);
        V1ObjectMeta meta = ModelJson.shallowCopy(pod.getMetadata());
        V1PodSpec spec = ModelJson.shallowCopy(pod.getSpec());
        if (!matches(view, pod)) {
            meta.setName(podName(view.name(), ordinal));
            identify(view, meta, ordinal);
        }
        if (!storageMatches(view, pod)) {
            spec.setVolumes(volumes(view, spec, ordinal));
        }
        return ModelJson.shallowCopy(pod).apiVersion("v1").kind("Pod").metadata(meta).spec(spec);
    }

    private static Map<String, String> identify(StatefulSetView view, V1ObjectMeta meta, int ordinal) {
        Map<String, String> labels = new HashMap<>(Metadata.labels(meta));
        labels.put(POD_NAME, podName(view.name(), ordinal));
        labels.put(POD_INDEX, Integer.toString(ordinal));
        meta.setLabels(labels);
        return labels;
    }

    /** The volumes of a pod's claims, then its other volumes. */
    private static @Nullable List<V1Volume> volumes(StatefulSetView view, V1PodSpec spec, int ordinal) {
        if (view.claimTemplates().isEmpty()) {
            return spec.getVolumes();
        }
        List<V1Volume> volumes = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (V1PersistentVolumeClaim template : view.claimTemplates()) {
            String name = template.getMetadata().getName();
            names.add(name);
            volumes.add(new V1Volume().name(name).persistentVolumeClaim(new V1PersistentVolumeClaimVolumeSource()
                    .claimName(claimName(view.name(), template, ordinal))));
        }
        orEmpty(spec.getVolumes()).stream().filter(volume -> !names.contains(volume.getName())).forEach(volumes::add);
        return volumes;
    }

    /** A new claim of a pod. */
    static V1PersistentVolumeClaim newClaim(StatefulSetView view, V1PersistentVolumeClaim template, int ordinal) {
        V1ObjectMeta meta = ModelJson.shallowCopy(template.getMetadata());
        Map<String, String> labels = new HashMap<>(orEmpty(meta.getLabels()));
        Map<String, String> selected = view.set().getSpec().getSelector().getMatchLabels();
        labels.putAll(orEmpty(selected));
        meta.name(claimName(view.name(), template, ordinal)).namespace(view.set().getMetadata().getNamespace())
                .labels(labels);
        return new V1PersistentVolumeClaim().apiVersion("v1").kind("PersistentVolumeClaim").metadata(meta)
                .spec(template.getSpec());
    }
}
