package dev.wheelhouse.operator;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;
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
        operators.forEach(operator -> named.put(Declaration.of(operator).name(), operator));
        return Webhooks.of(named, ResourceTypes::of);
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
        Preparation preparation = declaration.crd() == CrdPolicy.WAIT ? null : new CrdInstaller(declaration);
        return new ControllerDescriptor(declaration.name(), Set.of(), origin, types, preparation, true,
                context -> switch (operator) {
                    case ReconcilingOperator<P> acting ->
                        new OperatorController<>(context, declaration, acting::reconcile, false);
                    case DecidingOperator<P> deciding -> new OperatorController<>(context, declaration,
                            (request, doing) -> doing.execute(deciding.decide(request.primary(), doing.related(),
                                    doing.now())),
                            true);
                });
    }
}
