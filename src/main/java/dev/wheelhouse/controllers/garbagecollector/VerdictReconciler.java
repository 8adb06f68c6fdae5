package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.Reconciler;
import dev.wheelhouse.controller.Result;

/**
 * Executes one decision: it answers the decision's questions by live reads, makes its writes, and records what their
 * failures reveal.
 */
final class VerdictReconciler implements Reconciler<String> {
    private static final Logger log = LoggerFactory.getLogger(VerdictReconciler.class);
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;
    private static final int MAX_ROUNDS = 20;
    private static final Duration UNKNOWN_KIND_AGAIN = Duration.ofSeconds(30);
    private static final Duration UNOBSERVED_AGAIN = Duration.ofSeconds(1);
    private static final Duration UNWATCHED_AGAIN = Duration.ofSeconds(30);

    private final GraphKeeper keeper;
    private final Function<View, Verdict> decide;
    private final Predicate<ResourceType> watched;
    private final KubeClient client;
    private final ActionExecutor executor;
    private final ConsistencyStore consistency;

    /** @param watched whether an informer follows a type, so that its objects will be observed */
    VerdictReconciler(GraphKeeper keeper, Function<View, Verdict> decide, Predicate<ResourceType> watched,
            KubeClient client,
            ActionExecutor executor, ConsistencyStore consistency) {
        this.keeper = keeper;
        this.decide = decide;
        this.watched = watched;
        this.client = client;
        this.executor = executor;
        this.consistency = consistency;
    }

    @Override
    public Result reconcile(String uid) {
        View view = keeper.view(uid);
        for (int round = 0; view != null && round < MAX_ROUNDS; round++) {
            Verdict verdict = decide.apply(view);
            ObjectRef identity = view.item().identity();
            switch (verdict) {
                case Verdict.Ask ask -> view = view.with(read(ask.questions()));
                case Verdict.Write write -> {
                    Step step = write(view, write);
                    if (step.result != null) {
                        return step.result;
                    }
                    view = step.next;
                }
                case Verdict.Leave leave -> {
                    log.debug("{} is kept: {}", identity, leave.why());
                    return done(view);
                }
                case Verdict.Terminal terminal -> {
                    return Result.terminal(identity + ": " + terminal.why());
                }
                case Verdict.UnknownKind unknown -> {
                    log.debug("{} is delayed: no resource type is known for {}", identity, unknown.what());
                    return Result.requeueAfter(UNKNOWN_KIND_AGAIN);
                }
                case Verdict.Gone gone -> {
                    keeper.absent(gone.identity());
                    return Result.done();
                }
                case Verdict.DependentsFirst first -> {
                    keeper.attemptToDelete(first.uids());
                    return done(view);
                }
            }
        }
        return view == null ? Result.done() : Result.requeueAfter(UNOBSERVED_AGAIN);
    }

    /** The writes of the next attempt. The answers to its questions are not recorded. */
    List<Action> plan(String uid) {
        View view = keeper.view(uid);
        for (int round = 0; view != null && round < MAX_ROUNDS; round++) {
            Verdict verdict = decide.apply(view);
            if (verdict instanceof Verdict.Write write) {
                return write.actions();
            }
            if (!(verdict instanceof Verdict.Ask ask)) {
                return List.of();
            }
            view = view.with(read(ask.questions()));
        }
        return List.of();
    }

    /**
     * Ends an attempt. An object that no informer has shown is checked again later, because it may not exist; otherwise
     * its node would stay in the graph. So is an object with many owners of which some have not been shown.
     */
    private Result done(View view) {
        ObjectRef identity = view.item().identity();
        if (view.item().observed()) {
            return keeper.awaitsOwners(identity.uid()) ? Result.requeueAfter(UNWATCHED_AGAIN) : Result.done();
        }
        ResourceType type = view.types().of(identity.apiVersion(), identity.kind());
        return Result.requeueAfter(type != null && watched.test(type) ? UNOBSERVED_AGAIN : UNWATCHED_AGAIN);
    }

    private Map<Question, Optional<V1ObjectMeta>> read(List<Question> questions) {
        Map<Question, Optional<V1ObjectMeta>> answers = new HashMap<>();
        for (Question question : questions) {
            answers.computeIfAbsent(question, q -> client.metadata(q.type()).find(q.key())
                    .map(PartialObjectMetadata::getMetadata));
        }
        return answers;
    }

    /** Either the result of the attempt, or the view for the next round. */
    private record Step(@Nullable Result result, @Nullable View next) {}

    private Step write(View view, Verdict.Write write) {
        ObjectRef identity = view.item().identity();
        keeper.rememberAbsent(write.absent());
        ActionExecutor.Outcome outcome;
        ObjectKey owner = new ObjectKey(identity.namespace(), identity.kind() + ":" + identity.name());
        executor.begin(owner);
        try {
            outcome = executor.execute(owner, write.actions());
        } finally {
            executor.end(owner);
            executor.forget(owner);
            consistency.forget(owner);
        }
        if (learned(outcome)) {
            return new Step(Result.requeue(), null);
        }
        if (deletedNothing(outcome)) {
            keeper.absent(identity);
            return new Step(Result.done(), null);
        }
        if (outcome.error() == null) {
            if (!write.again() || !executor.writes()) {
                return new Step(done(view), null);
            }
            View next = keeper.view(identity.uid());
            return next == null
                    ? new Step(Result.done(), null)
                    : new Step(null, next.withOrphaned(write.orphaned()));
        }
        if (outcome.error().isConflict() && outcome.failed() instanceof Action.Delete
                && view.conflictedOwners() == null) {
            Question question = Decisions.question(view);
            return new Step(null, view.afterConflict(question, view.known(question)));
        }
        return new Step(Result.retry(outcome.error()), null);
    }

    /**
     * Records the types that rejected a strategic merge patch.
     * @return whether there are any
     */
    private boolean learned(ActionExecutor.Outcome outcome) {
        List<ActionExecutor.Attempt> refused = outcome.attempts().stream()
                .filter(a -> a.error() != null && a.error().code() == UNSUPPORTED_MEDIA_TYPE).toList();
        refused.forEach(a -> keeper.needsMergePatch(a.write().type()));
        return !refused.isEmpty();
    }

    private static boolean deletedNothing(ActionExecutor.Outcome outcome) {
        return outcome.attempts().stream()
                .anyMatch(a -> a.write() instanceof Action.Delete && a.error() != null && a.error().isNotFound());
    }
}
