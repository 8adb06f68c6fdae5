package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.RecordingExecutor;
import dev.wheelhouse.controller.Result;

/** Runs a {@link DecidingOperator}, and shows its plan. */
final class DecidingController<P extends KubernetesObject> extends OperatorController<P> implements Plannable {
    private final DecidingOperator<P> operator;

    DecidingController(ControllerContext context, Declaration<P> declaration, DecidingOperator<P> operator) {
        super(context, declaration, (request, acting) -> acting
                .execute(operator.decide(request.primary(), acting.owned(), acting.now())));
        this.operator = operator;
    }

    @Override
    public ResourceType plansFor() {
        return declaration.primary().type();
    }

    @Override
    public boolean knows(ObjectKey key) {
        return caches.primary(key) != null;
    }

    @Override
    public List<Action> plan(ObjectKey key) {
        P primary = caches.primary(key);
        if (primary == null) {
            return List.of();
        }
        if (primary.getMetadata().getDeletionTimestamp() != null) {
            throw new IllegalArgumentException("it is being deleted, and a clean-up has no plan");
        }
        RecordingExecutor recorder = new RecordingExecutor();
        OperatorContext<P> context = context(key, primary, recorder);
        addFinalizer(context);
        Result result = context.execute(operator.decide(ModelJson.copy(primary), context.owned(), now()));
        List<Action> actions = new ArrayList<>(recorder.recorded());
        if (result instanceof Result.RequeueAfter requeue) {
            actions.add(new Action.RequeueAfter(requeue.delay()));
        }
        return actions;
    }
}
