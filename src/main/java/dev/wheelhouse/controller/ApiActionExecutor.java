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
 */
final class ApiActionExecutor implements ActionExecutor {
    private final String controller;
    private final KubeClient client;
    private final ConsistencyStore consistency;
    private final EventRecorder events;
    private final Parallel parallel;
    private final BooleanSupplier mayWrite;
    private final ControllerMetrics metrics;
    private final DecisionLog decisions;
    private final Journal journal;

    /**
     * @param controller the controller's name, for logs and metrics
     * @param parallel runs the writes of one batch
     * @param mayWrite whether this process leads; checked before each write, which fails if it is false
     * @param journal gets each write that was sent
     */
    ApiActionExecutor(String controller, KubeClient client, ConsistencyStore consistency, EventRecorder events,
            Parallel parallel, BooleanSupplier mayWrite, ControllerMetrics metrics, Journal journal) {
        this.controller = controller;
        this.client = client;
        this.consistency = consistency;
        this.events = events;
        this.parallel = parallel;
        this.mayWrite = mayWrite;
        this.metrics = metrics;
        this.decisions = new DecisionLog(controller);
        this.journal = journal;
    }

    @Override
    public Outcome execute(Object owner, List<Action> actions) {
        Run run = new Run(owner);
        for (int i = 0; i < actions.size(); i++) {
            if (!run.perform(actions.get(i))) {
                return run.outcome(writesIn(actions.subList(i + 1, actions.size())));
            }
        }
        return run.outcome(0);
    }

    private static int writesIn(List<Action> actions) {
        int writes = 0;
        for (Action action : actions) {
            writes += action instanceof Action.Batch batch
                    ? batch.writes().size()
                    : action instanceof Action.Write ? 1 : 0;
        }
        return writes;
    }

    /** The state of one call of {@link #execute}. */
    private final class Run {
        private final Object owner;
        private final List<Attempt> attempts = new ArrayList<>();
        private @Nullable Duration requeueAfter;
        private @Nullable KubeApiException failedCheck;
        private int skipped;
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
                    skipped += batch.writes().size() - tried.size();
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
                case Action.RequeueAfter requeue -> requeueAfter = requeueAfter == null
                        || requeue.delay().compareTo(requeueAfter) < 0 ? requeue.delay() : requeueAfter;
            }
            return true;
        }

        private boolean note(List<Attempt> tried) {
            attempts.addAll(tried);
            decisions.log(tried);
            return tried.stream().noneMatch(Attempt::failed);
        }

        Outcome outcome(int notReached) {
            List<KubernetesObject> written = new ArrayList<>();
            Attempt failed = null;
            for (Attempt attempt : attempts) {
                if (attempt.answer() != null) {
                    written.add(attempt.answer());
                }
                if (failed == null && attempt.failed()) {
                    failed = attempt;
                }
            }
            return new Outcome(written, failed == null ? null : failed.write(),
                    failed == null ? failedCheck : failed.error(), skipped + notReached, attempts, requeueAfter);
        }
    }

    private Attempt attempt(Object owner, Action.Write write, Journal.Sync sync, SyncTrace trace) {
        if (!mayWrite.getAsBoolean()) {
            return new Attempt(write, null,
                    new KubeApiException(write.verb() + " " + write.type() + " " + write.target(), 503,
                            "ServiceUnavailable", "this process no longer leads, so it writes nothing", null),
                    false);
        }
        String mistake = mistake(write);
        if (mistake != null) {
            return new Attempt(write, null,
                    new KubeApiException(write.verb() + " " + write.type() + " " + write.target(), 400,
                            "NotSent", mistake, null),
                    false);
        }
        long sent = journal.nanoTime();
        SyncTrace.OfWrite traced = trace.writing(write);
        String deletes = write instanceof Action.Delete delete ? uidToDelete(delete) : null;
        String version = decidedOn(write);
        try {
            KubernetesObject answer = write(write);
            int code = answer == null ? 200 : successCode(write);
            traced.ended(code, null);
            metrics.written(controller, write.verb(), write.type(), code);
            journal.add(sync, write.verb(), write.type(), answer == null ? write.target() : ObjectKey.of(answer),
                    write.why(), sent, code, answer == null ? "" : version(answer));
            if (answer != null) {
                consistency.wroteAt(owner, write.type(), ObjectKey.of(answer),
                        answer.getMetadata().getResourceVersion());
            } else if (deletes != null) {
                consistency.deleted(owner, write.type(), write.target(), deletes);
            }
            return new Attempt(write, answer, null, false);
        } catch (KubeApiException e) {
            traced.ended(e.code(), e);
            metrics.written(controller, write.verb(), write.type(), e.code());
            journal.add(sync, write.verb(), write.type(), write.target(), write.why(), sent, e.code(),
                    String.valueOf(e.getMessage()));
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
            metrics.written(controller, write.verb(), write.type(), 0);
            journal.add(sync, write.verb(), write.type(), write.target(), write.why(), sent, 0, e.toString());
            consistency.unknownOutcome(owner, write.type());
            return new Attempt(write, null, new KubeApiException(
                    write.verb() + " " + write.type() + " " + write.target(), e), false);
        }
    }

    /** The UID of the object to delete, as the cache shows it before the request; null if there is none. */
    private @Nullable String uidToDelete(Action.Delete delete) {
        String shown = consistency.uidOf(delete.type(), delete.target());
        String required = delete.deletion().uid();
        return required == null || required.equals(shown) ? shown : null;
    }

    private static String version(KubernetesObject answer) {
        return String.valueOf(answer.getMetadata().getResourceVersion());
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
            case Action.Update update -> update.object().getMetadata().getResourceVersion();
            case Action.UpdateStatus update -> update.object().getMetadata().getResourceVersion();
            case Action.UpdateSubresource update -> update.object().getMetadata().getResourceVersion();
            case Action.Patch patch -> consistency.versionOf(patch.type(), patch.target());
            default -> null;
        };
    }

    private static int successCode(Action.Write write) {
        return write instanceof Action.Create ? 201 : 200;
    }

    private static boolean isHarmless(Action.Write write, KubeApiException error) {
        return switch (write) {
            case Action.Delete delete -> error.isNotFound();
            case Action.Patch patch -> patch.harmless().contains(error.code());
            default -> false;
        };
    }

    private @Nullable KubernetesObject write(Action.Write write) {
        switch (write) {
            case Action.Create create -> {
                return ModelTypes.client(client, create.type(), create.object()).create(create.object());
            }
            case Action.Update update -> {
                return ModelTypes.client(client, update.type(), update.object()).update(update.object());
            }
            case Action.UpdateStatus update -> {
                return ModelTypes.client(client, update.type(), update.object()).updateStatus(update.object());
            }
            case Action.UpdateSubresource update -> {
                return ModelTypes.client(client, update.type(), update.object()).updateSubresource(update.object(),
                        update.subresource());
            }
            case Action.Patch patch -> {
                return ModelTypes.client(client, patch.type(), patch.model()).patch(patch.target(),
                        patch.subresource(), patch.patchType(), patch.body());
            }
            case Action.Apply apply -> {
                return client.resource(apply.type(), apply.model()).apply(apply.target(), apply.subresource(),
                        apply.fieldManager(), apply.force(), apply.body());
            }
            case Action.CreateSubresource create -> {
                ModelTypes.client(client, create.type()).createSubresource(create.target(), create.subresource(),
                        create.body());
                return null;
            }
            case Action.DeleteCollection delete -> {
                ModelTypes.client(client, delete.type()).deleteCollection(delete.namespace(), delete.deletion());
                return null;
            }
            case Action.Delete delete -> {
                ModelTypes.client(client, delete.type()).delete(delete.target(), delete.deletion());
                return null;
            }
        }
    }

    /** Why a write must not be sent: a mistake in the controller. Null if there is none. */
    private static @Nullable String mistake(Action.Write write) {
        return switch (write) {
            case Action.Create create -> ModelTypes.mismatch(create.type(), create.object());
            case Action.Update update -> mistake(update.type(), update.object());
            case Action.UpdateStatus update -> mistake(update.type(), update.object());
            case Action.UpdateSubresource update -> update.object() instanceof V1Scale
                    ? withoutVersion(update.object())
                    : mistake(update.type(), update.object());
            default -> null;
        };
    }

    private static @Nullable String mistake(ResourceType type, KubernetesObject object) {
        String problem = withoutVersion(object);
        return problem == null ? ModelTypes.mismatch(type, object) : problem;
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
