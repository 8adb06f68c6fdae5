package dev.wheelhouse.controllers.garbagecollector;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;

/**
 * Decides about one object and acts: it answers the questions of the decision by live reads, makes its writes, and
 * decides again, until nothing is left to do. It records what the failures of writes reveal.
 *
 * @param watched whether an informer follows a type, so that its objects will be observed
 */
record CheckReconciler(GraphKeeper keeper, Predicate<ResourceType> watched, KubeClient client) {
    private static final Logger log = LoggerFactory.getLogger(CheckReconciler.class);
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;
    private static final int MAX_ROUNDS = 20;
    private static final Duration UNKNOWN_KIND_AGAIN = Duration.ofSeconds(30);
    private static final Duration UNOBSERVED_AGAIN = Duration.ofSeconds(1);
    private static final Duration UNWATCHED_AGAIN = Duration.ofSeconds(30);

    Result reconcile(ObjectCheck check, SyncRun run) {
        View view = keeper.view(check.object().uid());
        for (int round = 0; view != null && round < MAX_ROUNDS; round++) {
            CollectionDecision decision = switch (check.kind()) {
                case DELETE -> Decisions.decideDelete(view);
                case ORPHAN -> Decisions.decideOrphan(view);
            };
            ObjectRef identity = view.item().identity();
            switch (decision) {
                case CollectionDecision.Ask ask -> view = view.with(read(ask.questions()));
                case CollectionDecision.Write write -> {
                    Step step = write(view, write, run);
                    if (step.result != null) {
                        return step.result;
                    }
                    view = step.next;
                }
                case CollectionDecision.Leave leave -> {
                    log.debug("{} is kept: {}", identity, leave.why());
                    return done(view);
                }
                case CollectionDecision.Terminal terminal -> {
                    return Result.terminal(identity + ": " + terminal.why());
                }
                case CollectionDecision.UnknownKind unknown -> {
                    log.debug("{} is delayed: no resource type is known for {}", identity, unknown.what());
                    return Result.requeueAfter(UNKNOWN_KIND_AGAIN);
                }
                // The dependents of an owner that does not exist, or that waits for them, are found in no other way.
                case CollectionDecision.Gone gone -> {
                    run.note(() -> keeper.absent(gone.identity()));
                    return Result.done();
                }
                case CollectionDecision.DependentsFirst first -> {
                    run.note(() -> keeper.attemptToDelete(first.uids()));
                    return done(view);
                }
            }
        }
        return view == null ? Result.done() : Result.requeueAfter(UNOBSERVED_AGAIN);
    }

    /**
     * Ends an check. An object that no informer has shown is checked again later, because it may not exist; otherwise
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

    /** Either the result of the check, or the view for the next round. */
    private record Step(@Nullable Result result, @Nullable View next) {}

    private Step write(View view, CollectionDecision.Write write, SyncRun run) {
        ObjectRef identity = view.item().identity();
        run.note(() -> keeper.rememberAbsent(write.absent()));
        ActionExecutor.Outcome outcome = run.execute(write.actions());
        if (learned(outcome, run)) {
            return new Step(Result.requeue(), null);
        }
        if (deletedNothing(outcome)) {
            run.effect(() -> keeper.absent(identity));
            return new Step(Result.done(), null);
        }
        if (outcome.error() == null) {
            // A run that only records would read the objects unchanged, and decide the same again.
            if (!write.again() || !run.writes()) {
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
    private boolean learned(ActionExecutor.Outcome outcome, SyncRun run) {
        List<ActionExecutor.Attempt> refused = outcome.attempts().stream()
                .filter(a -> a.error() != null && a.error().code() == UNSUPPORTED_MEDIA_TYPE).toList();
        run.effect(() -> refused.forEach(a -> keeper.needsMergePatch(a.write().type())));
        return !refused.isEmpty();
    }

    private static boolean deletedNothing(ActionExecutor.Outcome outcome) {
        return outcome.attempts().stream()
                .anyMatch(a -> a.write() instanceof Action.Delete && a.error() != null && a.error().isNotFound());
    }
}
