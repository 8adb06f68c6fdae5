package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.manager.ControllerDescriptor;

/**
 * The objects, the operator and the steps of every run of a simulation.
 *
 * @param operator makes the operator's controller, with empty memory
 * @param next makes that of its next version; null if there is none
 * @param cluster the built-in controllers that run without faults
 * @param manifests YAML
 * @param objects the objects that exist before the operator starts
 * @param ignored the paths of fields that do not count at the end
 * @param patience the time after each step
 */
record Scenario(String operatorName, Supplier<ControllerDescriptor> operator,
        @Nullable Supplier<ControllerDescriptor> next, List<ControllerDescriptor> cluster, int nodes,
        List<Class<? extends KubernetesObject>> crds, List<String> manifests,
        List<KubernetesObject> objects, List<Step> steps, Set<String> ignored, Duration patience) {

    /** @param sentence the action of a user, such as {@code scales the website} */
    record Step(String sentence, Consumer<User> action) {}
}
