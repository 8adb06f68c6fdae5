package dev.wheelhouse.controllers.quota;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;
import io.kubernetes.client.openapi.models.V1ResourceQuotaStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.quota.Amounts;
import dev.wheelhouse.quota.Evaluator;
import dev.wheelhouse.quota.Scopes;

/** Computes the status of a quota (upstream: {@code syncResourceQuota} and {@code CalculateUsage}). */
final class QuotaDecisions {
    private QuotaDecisions() {}

    /** The write of the status, if the limits or the usage have changed. A pure function. */
    static List<Action> decide(QuotaView view) {
        V1ResourceQuota quota = view.quota();
        V1ResourceQuotaStatus status = Objects.requireNonNullElseGet(quota.getStatus(), V1ResourceQuotaStatus::new);
        Map<String, Quantity> hard = new TreeMap<>(Amounts.orEmpty(spec(quota).getHard()));
        Map<String, Quantity> used = used(view, Amounts.orEmpty(status.getUsed()), hard.keySet());
        boolean sameLimits = Amounts.same(hard, status.getHard());
        if (sameLimits && Amounts.same(used, status.getUsed())) {
            return List.of();
        }
        V1ResourceQuota counted = ModelJson.shallowCopy(quota);
        counted.setStatus(new V1ResourceQuotaStatus().hard(hard).used(used));
        return List.of(new Action.UpdateStatus(ResourceType.RESOURCE_QUOTAS, counted, sameLimits
                ? "the usage has changed: " + changed(Amounts.orEmpty(status.getUsed()), used)
                : "the limits have changed"));
    }

    static V1ResourceQuotaSpec spec(V1ResourceQuota quota) {
        return Objects.requireNonNullElseGet(quota.getSpec(), V1ResourceQuotaSpec::new);
    }

    /** The present usage of each limit. What cannot be counted keeps its last value. */
    private static Map<String, Quantity> used(QuotaView view, Map<String, Quantity> before, Set<String> limits) {
        Map<String, Quantity> now = new TreeMap<>();
        Map<String, Quantity> used = new TreeMap<>(before);
        for (QuotaView.Content content : view.contents()) {
            List<? extends KubernetesObject> objects = content.objects();
            if (objects != null) {
                content.evaluator().counted(limits).forEach(name -> now.putIfAbsent(name, Amounts.ZERO));
                now.putAll(Amounts.sum(now, used(view, content.evaluator(), objects, limits)));
            }
        }
        for (QuotaView.Content content : view.contents()) {
            if (content.objects() == null) {
                now.keySet().removeAll(content.evaluator().counted(limits));
            }
        }
        used.putAll(now);
        used.keySet().retainAll(limits);
        return used;
    }

    private static Map<String, Quantity> used(QuotaView view, Evaluator evaluator,
            List<? extends KubernetesObject> objects, Set<String> limits) {
        Map<String, Quantity> sum = new TreeMap<>();
        for (KubernetesObject object : objects) {
            if (Scopes.cover(spec(view.quota()), evaluator, object)) {
                Map<String, Quantity> usage = new TreeMap<>(evaluator.usage(object, view.now()));
                usage.keySet().retainAll(limits);
                sum = Amounts.sum(sum, usage);
            }
        }
        return sum;
    }

    private static String changed(Map<String, Quantity> before, Map<String, Quantity> used) {
        return used.entrySet().stream()
                .filter(entry -> !before.containsKey(entry.getKey())
                        || entry.getValue().getNumber().compareTo(before.get(entry.getKey()).getNumber()) != 0)
                .map(entry -> entry.getKey() + "=" + BoundedQuantity.text(entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
