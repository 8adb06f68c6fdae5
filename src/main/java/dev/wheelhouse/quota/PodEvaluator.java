package dev.wheelhouse.quota;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodAffinityTerm;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1ScopedResourceSelectorRequirement;
import io.kubernetes.client.openapi.models.V1WeightedPodAffinityTerm;

import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Counts pods, their requests and limits (upstream: {@code pkg/quota/v1/evaluator/core/pods.go}). A pod that has ended,
 * or whose deletion is overdue, counts only under {@code count/pods}.
 */
final class PodEvaluator implements Evaluator {
    private static final List<String> COMPUTE = List.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> LIMITS = Set.of("count/pods", "pods", "cpu", "memory", "ephemeral-storage",
            "requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory",
            "limits.ephemeral-storage");
    /** The limits for which each container needs a request or limit of its own. */
    private static final List<String> DEMANDED = List.of("cpu", "limits.cpu", "limits.memory", "memory",
            "requests.cpu", "requests.memory");
    private static final String DEVICE_CLASS = "deviceclass.resource.kubernetes.io/";

    @Override
    public Class<V1Pod> model() {
        return V1Pod.class;
    }

    @Override
    public boolean counts(String limit) {
        return LIMITS.contains(limit) || limit.startsWith("hugepages-") || limit.startsWith("requests.hugepages-")
                || isOfExtendedResource(limit);
    }

    /** Whether a limit has the form {@code requests.NAME} with the name of an extended resource. */
    static boolean isOfExtendedResource(String limit) {
        return limit.startsWith("requests.") && (!isNative(limit) || limit.startsWith("requests." + DEVICE_CLASS));
    }

    private static boolean isNative(String resource) {
        return !resource.contains("/") || resource.contains("kubernetes.io/");
    }

    @Override
    public Map<String, Quantity> usage(KubernetesObject object, Instant now) {
        V1Pod pod = (V1Pod) object;
        Map<String, Quantity> usage = new TreeMap<>();
        usage.put("count/pods", Amounts.of(1));
        if (!isLive(pod, now)) {
            return usage;
        }
        usage.put("pods", Amounts.of(1));
        Map<String, Quantity> limits = PodAmounts.limits(pod);
        PodAmounts.requests(pod).forEach((name, amount) -> {
            if (COMPUTE.contains(name) || name.startsWith("hugepages-")) {
                usage.put(name, amount);
                usage.put("requests." + name, amount);
            } else if (!isNative(name) && !name.startsWith("requests.") || name.startsWith(DEVICE_CLASS)) {
                usage.put("requests." + name, amount);
            }
        });
        for (String name : COMPUTE) {
            if (limits.containsKey(name)) {
                usage.put("limits." + name, limits.get(name));
            }
        }
        return usage;
    }

    /** Whether a pod has neither ended nor should have gone one grace period ago. */
    private static boolean isLive(V1Pod pod, Instant now) {
        V1ObjectMeta meta = pod.getMetadata();
        if (pod.getStatus() != null && Set.of("Failed", "Succeeded").contains(
                Objects.requireNonNullElse(pod.getStatus().getPhase(), ""))) {
            return false;
        }
        return meta.getDeletionTimestamp() == null || meta.getDeletionGracePeriodSeconds() == null
                || !now.isAfter(Durations.after(meta.getDeletionTimestamp().toInstant(),
                        meta.getDeletionGracePeriodSeconds()));
    }

    @Override
    public boolean isIn(V1ScopedResourceSelectorRequirement scope, KubernetesObject object) {
        V1Pod pod = (V1Pod) object;
        return switch (scope.getScopeName()) {
            case "Terminating" -> terminates(pod);
            case "NotTerminating" -> !terminates(pod);
            case "BestEffort" -> isBestEffort(pod);
            case "NotBestEffort" -> !isBestEffort(pod);
            case "CrossNamespacePodAffinity" -> looksAcrossNamespaces(pod);
            case "PriorityClass" -> Scopes.selects(scope,
                    Objects.requireNonNullElse(pod.getSpec().getPriorityClassName(), ""));
            default -> false;
        };
    }

    /** Whether the pod has a deadline. */
    private static boolean terminates(V1Pod pod) {
        Long deadline = pod.getSpec().getActiveDeadlineSeconds();
        return deadline != null && deadline >= 0;
    }

    /** The server has written the class before quotas judge the pod. */
    private static boolean isBestEffort(V1Pod pod) {
        return pod.getStatus() != null && "BestEffort".equals(pod.getStatus().getQosClass());
    }

    /** Whether a term of the pod's affinity or anti-affinity names other namespaces. */
    private static boolean looksAcrossNamespaces(V1Pod pod) {
        V1Affinity affinity = pod.getSpec().getAffinity();
        List<V1PodAffinityTerm> terms = new ArrayList<>();
        if (affinity != null && affinity.getPodAffinity() != null) {
            add(terms, affinity.getPodAffinity().getRequiredDuringSchedulingIgnoredDuringExecution(),
                    affinity.getPodAffinity().getPreferredDuringSchedulingIgnoredDuringExecution());
        }
        if (affinity != null && affinity.getPodAntiAffinity() != null) {
            add(terms, affinity.getPodAntiAffinity().getRequiredDuringSchedulingIgnoredDuringExecution(),
                    affinity.getPodAntiAffinity().getPreferredDuringSchedulingIgnoredDuringExecution());
        }
        return terms.stream().anyMatch(term -> term.getNamespaceSelector() != null
                || term.getNamespaces() != null && !term.getNamespaces().isEmpty());
    }

    private static void add(List<V1PodAffinityTerm> terms, @Nullable List<V1PodAffinityTerm> required,
            @Nullable List<V1WeightedPodAffinityTerm> preferred) {
        terms.addAll(orEmpty(required));
        orEmpty(preferred).forEach(term -> terms.add(term.getPodAffinityTerm()));
    }

    /** {@inheritDoc} A pod with requests or limits of its own needs none in its containers. */
    @Override
    public String missing(Set<String> limits, KubernetesObject object) {
        V1Pod pod = (V1Pod) object;
        if (PodAmounts.hasOwn(pod)) {
            return "";
        }
        List<String> missing = new ArrayList<>();
        for (String limit : DEMANDED) {
            Set<String> containers = limits.contains(limit) ? without(limit, pod) : Set.of();
            if (!containers.isEmpty()) {
                missing.add(limit + " for: " + String.join(",", containers));
            }
        }
        return missing.isEmpty() ? "" : "must specify " + String.join("; ", missing);
    }

    private static Set<String> without(String limit, V1Pod pod) {
        String resource = limit.substring(limit.indexOf('.') + 1);
        Set<String> names = new TreeSet<>();
        Stream.of(pod.getSpec().getContainers(), pod.getSpec().getInitContainers()).filter(Objects::nonNull)
                .flatMap(List::stream).filter(container -> !has(container, limit.startsWith("limits."), resource))
                .forEach(container -> names.add(container.getName()));
        return names;
    }

    private static boolean has(V1Container container, boolean limits, String resource) {
        V1ResourceRequirements resources = container.getResources();
        return resources != null && Amounts.orEmpty(limits ? resources.getLimits() : resources.getRequests())
                .containsKey(resource);
    }

    @Override
    public boolean judges(String subresource, KubernetesObject object, @Nullable KubernetesObject old) {
        return old == null
                ? subresource.isEmpty()
                : subresource.equals("resize")
                        || subresource.isEmpty() && terminates((V1Pod) old) != terminates((V1Pod) object);
    }

    @Override
    public boolean isCountedAgain(KubernetesObject before, KubernetesObject after, Instant now) {
        V1Pod old = (V1Pod) before;
        V1Pod pod = (V1Pod) after;
        return isResized(old.getStatus(), pod.getStatus()) || terminates(old) != terminates(pod)
                || isLive(old, now) && !isLive(pod, now);
    }

    /** Whether the status shows other resources of a container that both versions have. */
    private static boolean isResized(@Nullable V1PodStatus before, @Nullable V1PodStatus after) {
        return before != null && after != null
                && (isResized(before.getContainerStatuses(), after.getContainerStatuses())
                        || isResized(before.getInitContainerStatuses(), after.getInitContainerStatuses()));
    }

    private static boolean isResized(@Nullable List<V1ContainerStatus> before,
            @Nullable List<V1ContainerStatus> after) {
        return before != null && after != null && before.stream().anyMatch(old -> after.stream().anyMatch(
                now -> now.getName().equals(old.getName()) && !Objects.equals(now.getResources(), old.getResources())));
    }
}
