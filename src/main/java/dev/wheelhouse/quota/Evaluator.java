package dev.wheelhouse.quota;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ScopedResourceSelectorRequirement;

/**
 * The rules by which the objects of one resource count against quotas (upstream:
 * {@code apiserver/pkg/quota/v1/interfaces.go}). The objects that the methods take are of the class {@link #model}.
 */
public interface Evaluator {
    /** The class of the objects. */
    Class<? extends KubernetesObject> model();

    /** Whether the objects count against a limit of this name, such as {@code requests.cpu}. */
    boolean counts(String limit);

    /** The limits, of these, against which the objects count. */
    default Set<String> counted(Collection<String> limits) {
        Set<String> counted = new TreeSet<>();
        limits.stream().filter(this::counts).forEach(counted::add);
        return counted;
    }

    /** The amounts that an object takes, by the names of limits. */
    Map<String, Quantity> usage(KubernetesObject object, Instant now);

    /** Whether a scope of a quota includes an object. A resource without scopes is in none. */
    default boolean isIn(V1ScopedResourceSelectorRequirement scope, KubernetesObject object) {
        return false;
    }

    /** The requests and limits that a quota with these limits demands and the object lacks, in words; or empty. */
    default String missing(Set<String> limits, KubernetesObject object) {
        return "";
    }

    /**
     * Whether quotas judge a write.
     *
     * @param subresource empty for a write of the object itself
     * @param old null for a creation
     */
    default boolean judges(String subresource, KubernetesObject object, @Nullable KubernetesObject old) {
        return subresource.isEmpty() && old == null;
    }

    /** Whether quotas are counted again after an update that was not a write that they judge. */
    default boolean isCountedAgain(KubernetesObject before, KubernetesObject after, Instant now) {
        return false;
    }
}
