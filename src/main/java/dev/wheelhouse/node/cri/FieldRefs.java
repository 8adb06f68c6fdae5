package dev.wheelhouse.node.cri;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceFieldSelector;

import dev.wheelhouse.facts.GoQuote;
import dev.wheelhouse.node.PodPhases;

/**
 * The downward API: fields of a pod as texts (upstream: {@code pkg/fieldpath} and
 * {@code pkg/api/v1/resource/helpers.go}). Pure functions.
 *
 * @param hostIp the node's address
 * @param podIp the pod's address; empty before its sandbox has one
 * @param allocatable the amounts that stand for limits that a container does not have
 */
record FieldRefs(V1Pod pod, String hostIp, String podIp, Map<String, Quantity> allocatable) {
    private static final Pattern SUBSCRIPT = Pattern.compile("metadata\\.(labels|annotations)\\['(.*)'\\]");

    /** @throws ConfigProblem if the path names no field */
    String field(@Nullable String path) throws ConfigProblem {
        String text = path == null ? "" : path;
        Matcher subscript = SUBSCRIPT.matcher(text);
        if (subscript.matches()) {
            return map(subscript.group(1)).getOrDefault(subscript.group(2), "");
        }
        return switch (text) {
            case "metadata.name" -> text(pod.getMetadata().getName());
            case "metadata.namespace" -> text(pod.getMetadata().getNamespace());
            case "metadata.uid" -> text(pod.getMetadata().getUid());
            case "metadata.labels" -> lines(map("labels"));
            case "metadata.annotations" -> lines(map("annotations"));
            case "spec.nodeName" -> text(pod.getSpec().getNodeName());
            case "spec.serviceAccountName" -> text(pod.getSpec().getServiceAccountName());
            case "status.hostIP", "status.hostIPs" -> hostIp;
            case "status.podIP", "status.podIPs" -> podIp;
            default -> throw new ConfigProblem("unsupported fieldPath: " + text);
        };
    }

    private Map<String, String> map(String which) {
        Map<String, String> map = which.equals("labels")
                ? pod.getMetadata().getLabels()
                : pod.getMetadata().getAnnotations();
        return map == null ? Map.of() : map;
    }

    private static String lines(Map<String, String> map) {
        return new TreeMap<>(map).entrySet().stream().map(e -> e.getKey() + "=" + GoQuote.of(e.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    /**
     * A request or limit in units of the divisor, rounded up.
     * @param own the container that has the reference, for one that names none
     * @throws ConfigProblem if the reference names no container or resource
     */
    String resource(V1ResourceFieldSelector selector, @Nullable V1Container own) throws ConfigProblem {
        String name = selector.getContainerName();
        V1Container container = name == null || name.isEmpty()
                ? own
                : PodPhases.containers(pod.getSpec()).filter(c -> c.getName().equals(name)).findFirst().orElse(null);
        String[] path = selector.getResource().split("\\.", 2);
        if (container == null || path.length < 2) {
            throw new ConfigProblem("the resourceFieldRef " + selector.getResource() + " of container " + name
                    + " names nothing");
        }
        Quantity amount = amount(container, path[0].equals("limits"), path[1]);
        if (amount == null && path[0].equals("limits")) {
            amount = allocatable.get(path[1]);
        }
        BigDecimal divisor = selector.getDivisor() == null ? BigDecimal.ZERO : selector.getDivisor().getNumber();
        return amount == null
                ? "0"
                : amount.getNumber().divide(divisor.signum() == 0 ? BigDecimal.ONE : divisor, 0, RoundingMode.CEILING)
                        .toPlainString();
    }

    /** The amount that a container requests, or may use at most; null if it does not say. */
    static @Nullable Quantity amount(V1Container container, boolean limit, String resource) {
        Map<String, Quantity> amounts = container.getResources() == null
                ? null
                : limit ? container.getResources().getLimits() : container.getResources().getRequests();
        return amounts == null ? null : amounts.get(resource);
    }
}
