package dev.wheelhouse.controllers.job;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1EnvVarSource;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1ObjectFieldSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.pods.PodFactory;

/**
 * Makes the pods of one Job: with the tracking finalizer, and in an Indexed Job with the index in the name, the
 * hostname, an annotation, a label and an environment variable (upstream: {@code manageJob} in
 * {@code pkg/controller/job/job_controller.go}, {@code pkg/controller/job/indexed_job_utils.go}).
 */
final class NewPods {
    private static final String INDEX_VARIABLE = "JOB_COMPLETION_INDEX";
    /** The longest prefix of a generated name that leaves room for the suffix. */
    private static final int LONGEST_PREFIX = 58;

    private final Assessment assessment;
    private final V1Job job;
    /** Shared by all pods of the Job that need no field of their own. */
    private final V1PodSpec spec;

    NewPods(Assessment assessment) {
        this.assessment = assessment;
        this.job = assessment.view().job();
        V1PodSpec template = job.getSpec().getTemplate().getSpec();
        this.spec = Jobs.isIndexed(job)
                ? ModelJson.shallowCopy(template).containers(withIndex(template.getContainers()))
                        .initContainers(withIndex(template.getInitContainers()))
                : template;
    }

    V1Pod pod() {
        V1Pod pod = PodFactory.fromTemplate(job.getSpec().getTemplate(), ResourceType.JOBS, job.getMetadata());
        List<String> finalizers = new ArrayList<>(Metadata.finalizers(pod));
        if (!finalizers.contains(JobPod.FINALIZER)) {
            finalizers.add(JobPod.FINALIZER);
        }
        pod.getMetadata().setFinalizers(finalizers);
        return pod.spec(spec);
    }

    V1Pod pod(int index) {
        V1Pod pod = pod();
        V1ObjectMeta meta = pod.getMetadata();
        String name = job.getMetadata().getName();
        String number = Integer.toString(index);
        Map<String, String> annotations = new LinkedHashMap<>(Metadata.annotations(meta));
        annotations.put(JobPod.INDEX, number);
        if (Jobs.hasLimitPerIndex(job)) {
            addFailures(annotations, assessment.lastFailures().get(index));
        }
        Map<String, String> labels = new LinkedHashMap<>(Metadata.labels(meta));
        labels.put(JobPod.INDEX, number);
        String suffix = "-" + number + "-";
        int room = LONGEST_PREFIX - suffix.length();
        meta.annotations(annotations).labels(labels)
                .generateName((name.length() > room ? name.substring(0, room) : name) + suffix);
        return pod.spec(ModelJson.shallowCopy(spec).hostname(name + "-" + number));
    }

    private void addFailures(Map<String, String> annotations, @Nullable JobPod last) {
        boolean counts = last != null && Assessment.match(last, job).counts();
        int failures = last == null ? 0 : last.failures() + (counts ? 1 : 0);
        int ignored = last == null ? 0 : last.ignoredFailures() + (counts ? 0 : 1);
        annotations.put(JobPod.FAILURES, Integer.toString(failures));
        if (ignored > 0) {
            annotations.put(JobPod.IGNORED_FAILURES, Integer.toString(ignored));
        }
    }

    private static @Nullable List<V1Container> withIndex(@Nullable List<V1Container> containers) {
        return containers == null ? null : containers.stream().map(NewPods::withIndex).toList();
    }

    private static V1Container withIndex(V1Container container) {
        List<V1EnvVar> variables = new ArrayList<>();
        if (container.getEnv() != null) {
            if (container.getEnv().stream().anyMatch(variable -> INDEX_VARIABLE.equals(variable.getName()))) {
                return container;
            }
            variables.addAll(container.getEnv());
        }
        variables.add(new V1EnvVar().name(INDEX_VARIABLE).valueFrom(new V1EnvVarSource()
                .fieldRef(new V1ObjectFieldSelector().fieldPath("metadata.labels['" + JobPod.INDEX + "']"))));
        return ModelJson.shallowCopy(container).env(variables);
    }
}
