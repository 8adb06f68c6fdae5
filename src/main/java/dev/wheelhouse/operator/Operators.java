package dev.wheelhouse.operator;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.Preparation;
import dev.wheelhouse.operator.webhook.Webhooks;

/** Turns operators into controllers that {@link dev.wheelhouse.manager.ControllerManager} runs. */
@PublicApi(false)
public final class Operators {
    private Operators() {}

    /**
     * The webhook methods of operators.
     *
     * @throws IllegalArgumentException if a declaration or a method cannot work; the message names it and the remedy
     */
    public static Webhooks webhooks(Collection<? extends Operator<?>> operators) {
        Map<String, Operator<?>> named = new TreeMap<>();
        Map<String, ResourceType> primaries = new HashMap<>();
        for (Operator<?> operator : operators) {
            Declaration<?> declaration = Declaration.of(operator);
            named.put(declaration.name(), operator);
            primaries.put(declaration.name(), declaration.primary().type());
        }
        return Webhooks.of(named, (name, model) -> model == Unstructured.class
                ? Objects.requireNonNull(primaries.get(name))
                : ResourceTypes.of(model));
    }

    /**
     * Runs the operator's {@link Operator#setup} and describes its controller.
     *
     * @throws IllegalArgumentException if the declaration cannot work; the message names the operator and the remedy
     */
    public static <P extends KubernetesObject> ControllerDescriptor descriptor(Operator<P> operator) {
        Declaration<P> declaration = Declaration.of(operator);
        declaration.parts().map(part -> part.model())
                .filter(model -> model.isAnnotationPresent(ResourceDefinition.class)).forEach(ClassSchema::check);
        Set<ResourceType> types = declaration.parts().map(part -> part.type()).collect(Collectors.toSet());
        String origin = operator.getClass().getName();
        @Nullable
        Preparation installer = declaration.crd() == CrdPolicy.WAIT ? null : new CrdInstaller(declaration);
        TypeDiscovery<P> discovery = new TypeDiscovery<>(operator, declaration, installer);
        return new ControllerDescriptor(declaration.name(), Set.of(), origin, types,
                discovery.isNeeded() ? discovery : installer, true, context -> switch (operator) {
                    case ReconcilingOperator<P> acting -> new OperatorController<>(context,
                            discovery.declaration(context.client()), acting::reconcile, false);
                    case DecidingOperator<P> deciding -> new OperatorController<>(context,
                            discovery.declaration(context.client()), (request, doing) -> doing.execute(
                                    deciding.decide(request.primary(), doing.related(), doing.now())),
                            true);
                });
    }
}
