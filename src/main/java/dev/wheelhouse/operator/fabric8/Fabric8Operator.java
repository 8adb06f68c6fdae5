package dev.wheelhouse.operator.fabric8;

import java.time.Instant;
import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.ResourceTypes;
import dev.wheelhouse.operator.Setup;

/**
 * A {@link DecidingOperator} of objects of fabric8's classes.
 *
 * @param <P> the primary type: a model of fabric8, or a class that extends its {@code CustomResource}
 */
public interface Fabric8Operator<P extends HasMetadata> extends DecidingOperator<Unstructured> {
    /** Declares what the operator watches and owns, as {@link dev.wheelhouse.operator.Operator#setup} does. */
    void setup(Fabric8Setup<P> setup);

    /**
     * Decides as {@link DecidingOperator#decide} does.
     *
     * @return such as {@code Decision.apply(Fabric8.of(deployment, service)).status(site.getStatus())}
     */
    Decision decide(P primary, Fabric8Related related, Instant now);

    @Override
    default void setup(Setup<Unstructured> setup) {
        setup(new Fabric8Setup<>(setup, ResourceTypes.<P>primary(getClass(), Fabric8Operator.class)));
    }

    @Override
    default Decision decide(Unstructured primary, Related related, Instant now) {
        Class<P> model = ResourceTypes.primary(getClass(), Fabric8Operator.class);
        Decision decision = decide(Fabric8.read(primary, model), new Fabric8Related(related), now);
        Object status = decision.status();
        return status == null ? decision : decision.status(Fabric8.write(status, Map.class));
    }
}
