package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Scale;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.journal.Origin;

/**
 * Executes decisions on the API server. A conflict stops the execution like any other failure; the key is synced again
 * once the cache shows the change that caused the conflict. The {@link ConsistencyStore} gets the version of each
 * write, and each write whose outcome is unknown. Every decision that changed something is logged in one line (status
 * updates at debug level). Thread safe.
 *
 * @param controller the controller's name, for logs and metrics
 * @param parallel runs the writes of one batch
 * @param mayWrite whether this process leads; checked before each write, which fails if it is false
 * @param journal gets each write that was sent
 */
record ApiActionExecutor(String controller, KubeClient client, ConsistencyStore consistency, EventRecorder events,
        Parallel parallel, BooleanSupplier mayWrite, ControllerMetrics metrics,
        Journal journal) implements ActionExecutor {

    @Override
    public Outcome execute(Object owner, List<Action> actions) {
        Run run = new Run(owner);
        for (Action action : actions) {
            if (!run.perform(action)) {
                break;
            }
        }
        return new Outcome(run.attempts, run.failedCheck, run.requeueAfter);
    }

    /** The state of one call of {@link #execute}. */
    private final class Run {
        private final Object owner;
        private final List<Attempt> attempts = new ArrayList<>();
        private @Nullable Duration requeueAfter;
        private @Nullable KubeApiException failedCheck;

        private final @Nullable RunningSync running = RunningSync.current();
        private final SyncTrace trace = running == null ? SyncTrace.NONE : running.trace();

        Run(Object owner) {
            this.owner = owner;
        }

        /** The reason of this run's writes, for the journal. Called on the thread of the sync. */
        private Journal.Sync sync() {
            return running == null
                    ? new Journal.Sync(controller, owner.toString(), Origin.NONE, journal.now())
                    : running.journaled(owner.toString());
        }

        /**
         * Executes one action.
         * @return whether to continue with the next one
         */
        boolean perform(Action action) {
            switch (action) {
                case Action.Write write -> {
                    return note(List.of(attempt(owner, write, sync(), trace)));
                }
                case Action.Batch batch -> {
                    Journal.Sync cause = sync();
                    List<Attempt> tried = batch.slowStart()
                            ? SlowStartBatch.run(batch.writes(), parallel, w -> attempt(owner, w, cause, trace),
                                    Attempt::failed)
                            : parallel.map(batch.writes(), w -> attempt(owner, w, cause, trace));

                    return note(tried);
                }
                case Action.RequireLive check -> {
                    failedCheck = checkLive(check);
                    return failedCheck == null;
                }
                case Action.RequireGone check -> {
                    failedCheck = checkGone(check);
                    return failedCheck == null;
                }
                case Action.Event event -> events.event(event.regardingType(), event.regarding(), event.type(),
                        event.reason(), event.message());
                case Action.Wait wait -> {
                    // Nothing is to be done.
                }
                case Action.RequeueAfter requeue -> requeueAfter = requeueAfter == null
                        || requeue.delay().compareTo(requeueAfter) < 0 ? requeue.delay() : requeueAfter;
            }
            return true;
        }

        private boolean note(List<Attempt> tried) {
            attempts.addAll(tried);
            DecisionLog.log(controller, tried);
            return tried.stream().noneMatch(Attempt::failed);
        }
    }

    private Attempt attempt(Object owner, Action.Write write, Journal.Sync sync, SyncTrace trace) {
        if (!mayWrite.getAsBoolean()) {
            return refused(write, 503, "ServiceUnavailable", "this process no longer leads, so it writes nothing");
        }
        String mistake = mistake(write);
        if (mistake != null) {
            return refused(write, 400, "NotSent", mistake);
        }
        long sent = journal.nanoTime();
        SyncTrace.OfWrite traced = trace.writing(write);
        String deletes = write instanceof Action.Delete delete ? uidToDelete(delete) : null;
        String version = decidedOn(write);
        try {
            KubernetesObject answer = write(write);
            int code = answer != null && write instanceof Action.Create ? 201 : 200;
            traced.ended(code, null);
            record(sync, write, answer == null ? write.target() : ObjectKey.of(answer), sent, code,
                    answer == null ? "" : String.valueOf(answer.getMetadata().getResourceVersion()));
            if (answer != null) {
                consistency.wroteAt(owner, write.type(), ObjectKey.of(answer),
                        answer.getMetadata().getResourceVersion());
            } else if (deletes != null) {
                consistency.deleted(owner, write.type(), write.target(), deletes);
            }
            return new Attempt(write, answer, null, false);
        } catch (KubeApiException e) {
            traced.ended(e.code(), e);
            record(sync, write, write.target(), sent, e.code(), String.valueOf(e.getMessage()));
            if (e.isUnknownOutcome()) {
                consistency.unknownOutcome(owner, write.type());
            } else if (deletes != null && e.isNotFound()) {
                consistency.deleted(owner, write.type(), write.target(), deletes);
            } else {
                noteOutdated(owner, write, version, e);
            }
            return new Attempt(write, null, e, isHarmless(write, e));
        } catch (RuntimeException e) {
            traced.ended(0, e);
            record(sync, write, write.target(), sent, 0, e.toString());
            consistency.unknownOutcome(owner, write.type());
            return new Attempt(write, null, new KubeApiException(tried(write), e), false);
        }
    }

    /** Counts a write that was sent, and keeps it in the journal. */
    private void record(Journal.Sync sync, Action.Write write, ObjectKey target, long sent, int code, String answer) {
        metrics.written(controller, write.verb(), write.type(), code);
        journal.add(sync, write.verb(), write.type(), target, write.why(), sent, code, answer);
    }

    /** A write that is not sent. */
    private static Attempt refused(Action.Write write, int code, String reason, String why) {
        return new Attempt(write, null, new KubeApiException(tried(write), code, reason, why, null), false);
    }

    private static String tried(Action.Write write) {
        return write.verb() + " " + write.type() + " " + write.target();
    }

    /** The UID of the object to delete, as the cache shows it before the request; null if there is none. */
    private @Nullable String uidToDelete(Action.Delete delete) {
        String shown = consistency.uidOf(delete.type(), delete.target());
        String required = delete.deletion().uid();
        return required == null || required.equals(shown) ? shown : null;
    }

    /**
     * Records that the cached object is outdated, so that the next sync waits until the cache shows another version.
     */
    private void noteOutdated(Object owner, Action.Write write, @Nullable String version, KubeApiException error) {
        if (version == null) {
            return;
        }
        if (error.isNotFound()) {
            consistency.goneAt(owner, write.type(), write.target(), version);
        } else if (error.isConflict() && !(write instanceof Action.Patch)) {
            consistency.conflictAt(owner, write.type(), write.target(), version);
        }
    }

    /**
     * The resource version that a write requires, or that the cache shows before a patch; null if there is none. A
     * patch whose object does not exist any more shows that this version is outdated.
     */
    private @Nullable String decidedOn(Action.Write write) {
        return switch (write) {
            case Action.Delete delete -> delete.deletion().resourceVersion();
            case Action.Create create -> null;
            case Action.ObjectWrite update -> update.object().getMetadata().getResourceVersion();
            case Action.Patch patch -> consistency.versionOf(patch.type(), patch.target());
            default -> null;
        };
    }

    private static boolean isHarmless(Action.Write write, KubeApiException error) {
        return switch (write) {
            case Action.Delete delete -> error.isNotFound();
            case Action.Patch patch -> patch.harmless().contains(error.code());
            default -> false;
        };
    }

    private @Nullable KubernetesObject write(Action.Write write) {
        return switch (write) {
            case Action.Create create ->
                ModelTypes.client(client, create.type(), create.object()).create(create.object());
            case Action.Update update ->
                ModelTypes.client(client, update.type(), update.object()).update(update.object());
            case Action.UpdateStatus update ->
                ModelTypes.client(client, update.type(), update.object()).updateStatus(update.object());
            case Action.UpdateSubresource update -> ModelTypes.client(client, update.type(), update.object())
                    .updateSubresource(update.object(), update.subresource());
            case Action.Patch patch -> ModelTypes.client(client, patch.type(), patch.model()).patch(patch.target(),
                    patch.subresource(), patch.patchType(), patch.body());
            case Action.Apply apply -> client.resource(apply.type(), apply.model()).apply(apply.target(),
                    apply.subresource(), apply.fieldManager(), apply.force(), apply.body());
            case Action.CreateSubresource create -> {
                ModelTypes.client(client, create.type()).createSubresource(create.target(), create.subresource(),
                        create.body());
                yield null;
            }
            case Action.DeleteCollection delete -> {
                ModelTypes.client(client, delete.type()).deleteCollection(delete.namespace(), delete.deletion());
                yield null;
            }
            case Action.Delete delete -> {
                ModelTypes.client(client, delete.type()).delete(delete.target(), delete.deletion());
                yield null;
            }
        };
    }

    /** Why a write must not be sent: a mistake in the controller. Null if there is none. */
    private static @Nullable String mistake(Action.Write write) {
        return switch (write) {
            case Action.Create create -> ModelTypes.mismatch(create.type(), create.object());
            case Action.ObjectWrite update -> {
                String problem = withoutVersion(update.object());
                yield problem != null || update.object() instanceof V1Scale
                        ? problem
                        : ModelTypes.mismatch(update.type(), update.object());
            }
            default -> null;
        };
    }

    private static @Nullable String withoutVersion(KubernetesObject object) {
        String version = object.getMetadata().getResourceVersion();
        return version == null || version.isEmpty()
                ? "the object has no metadata.resourceVersion; an update needs the version that it was decided on, so "
                        + "update a copy of the object that was read"
                : null;
    }

    private @Nullable KubeApiException checkLive(Action.RequireLive check) {
        ResourceType type = check.type();
        String tried = "check " + type + " " + check.target() + " " + check.why();
        try {
            V1ObjectMeta meta = ModelTypes.client(client, type).get(check.target()).getMetadata();
            if (!check.uid().equals(meta.getUid())) {
                return new KubeApiException(tried, 409, "Conflict", "the original " + type.kind() + " is gone: got uid "
                        + meta.getUid() + ", wanted " + check.uid(), null);
            }
            if (meta.getDeletionTimestamp() != null) {
                return new KubeApiException(tried, 409, "Conflict",
                        "it has just been deleted at " + meta.getDeletionTimestamp(), null);
            }
            return null;
        } catch (KubeApiException e) {
            return e;
        }
    }

    private @Nullable KubeApiException checkGone(Action.RequireGone check) {
        try {
            V1ObjectMeta meta = ModelTypes.client(client, check.type()).get(check.target()).getMetadata();
            return check.uid().equals(meta.getUid())
                    ? new KubeApiException("check " + check.type() + " " + check.target() + " " + check.why(), 409,
                            "Conflict",
                            "it still exists; the cache does not show it yet", null)
                    : null;
        } catch (KubeApiException e) {
            return e.isNotFound() ? null : e;
        }
    }
}
