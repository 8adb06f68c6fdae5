package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;

/** Runs an operator: its caches, its queue, and the finalizer, time limit and error condition around each call. */
final class OperatorController<P extends KubernetesObject> extends KeyedController<ObjectKey> {
    private static final Logger log = LoggerFactory.getLogger(OperatorController.class);

    private static final int LONGEST_MESSAGE = 1000;

    final Declaration<P> declaration;
    final Caches<P> caches;
    final Applied applied;
    private final KubeClient client;
    private final Call<P> operator;
    private final boolean plans;
    private final StatusStreaks streaks;
    private final @Nullable Timeouts timeouts;
    private final List<SourceLoop> sources;
    private final UnreadableObjects unreadable;
    private final @Nullable NamespaceLoop namespaces;
    final @Nullable RemoteClusters clusters;
    /**
     * By primary object, the version that writing its error condition led to. An update to this version leads to no
     * sync.
     */
    private final Map<ObjectKey, String> reported = new ConcurrentHashMap<>();
    /** The finalizers and field managers that the log has named. */
    private final Set<String> named = ConcurrentHashMap.newKeySet();

    /** One call of an operator. */
    @FunctionalInterface
    interface Call<P extends KubernetesObject> {
        @Nullable
        Result on(Request<P> request, Context<P> context) throws Exception;
    }

    /** @param plans whether calls of the operator have no effects of their own, so that plans may call it */
    OperatorController(ControllerContext context, Declaration<P> declaration, Call<P> operator, boolean plans) {
        super(declaration.name(), declaration.name(), context, declaration.rateLimits(), declaration.workers());
        this.declaration = declaration;
        this.applied = new Applied(declaration.name());
        this.client = context.client();
        this.operator = operator;
        this.plans = plans;
        this.streaks = new StatusStreaks(declaration.name(), clock);
        this.timeouts = declaration.timeout() == null ? null : new Timeouts(declaration.timeout(), clock);
        this.sources = declaration.sources().stream()
                .map(source -> new SourceLoop(declaration.name(), source, queue::add, clock)).toList();
        if (timeouts != null) {
            addLoop(timeouts);
        }
        sources.forEach(this::addLoop);
        this.caches = new Caches<>(declaration, context.informers(), client);
        this.unreadable = new UnreadableObjects(declaration, caches, client, events(declaration.name()),
                context.observes(), clock);
        addLoop(unreadable);
        this.namespaces = declaration.namespaces() == null
                ? null
                : new NamespaceLoop(declaration.name(), names(declaration.namespaces(), context), caches.namespaces(),
                        context.informers()::startNew, clock);
        if (namespaces != null) {
            addLoop(namespaces);
        }
        this.clusters = declaration.clusters() == null
                ? null
                : clusters(declaration.clusters(), context.of(declaration.name()));
        if (clusters != null) {
            addLoop(clusters);
        }
        // The next sync after a write waits for the informer that is followed last, so the primary type's informer
        // comes last.
        caches.parts().reversed().forEach(this::watchPart);
    }

    /** Follows the Secrets of other clusters. */
    private RemoteClusters clusters(ClusterSecrets secrets, ControllerContext context) {
        SharedIndexInformer<V1Secret> informer = context.informers().informer(ResourceType.SECRETS, V1Secret.class,
                secrets.namespace, secrets.labels, secrets.fields);
        follow(informer);
        RemoteClusters made = new RemoteClusters(declaration, secrets, context, informer, events(declaration.name()),
                remote -> remote.parts().forEach(part -> watchRemote(remote, part)),
                () -> caches.informer(declaration.primary()).getIndexer().list()
                        .forEach(primary -> queue.add(ObjectKey.of(primary))));
        watch(informer).run(change -> made.wake());
        return made;
    }

    private <T extends KubernetesObject> void watchRemote(RemoteCluster remote, Part<T> part) {
        watch(remote.informer(part)).enqueueFor(change -> change.states().flatMap(RemoteContext::primaryOf).distinct());
    }

    /** The names of the chosen namespaces. A change of those that labels choose wakes the loop. */
    private NamespaceLoop.Source names(NamespaceChoice choice, ControllerContext context) {
        if (choice.names() != null) {
            return new NamespaceLoop.Source(choice.names(), NamespaceLoop.EVERY);
        }
        SharedIndexInformer<PartialObjectMetadata> chosen = context.informers().informer(ResourceType.NAMESPACES,
                PartialObjectMetadata.class, "", Objects.requireNonNull(choice.labels()), FieldSelector.everything());
        follow(chosen);
        watch(chosen).run(change -> {
            if (namespaces != null) {
                namespaces.wake();
            }
        });
        return new NamespaceLoop.Source(
                () -> chosen.getIndexer().list().stream().map(each -> each.getMetadata().getName())
                        .toList(),
                Duration.ZERO);
    }

    private <T extends KubernetesObject> void watchPart(Part<T> part) {
        boolean primary = part.role() == Role.PRIMARY;
        SharedIndexInformer<T> informer = caches.informer(part);
        follow(informer);
        watch(informer).resync(primary ? declaration.resync() : Duration.ZERO)
                .when(change -> change.isResync()
                        || !(primary && change.isUpdate() && isReport(change.object())) && caches.passes(part, change))
                .enqueueFor(change -> change.states().flatMap(object -> caches.keys(part, object).stream()).distinct());
    }

    KubeClient client() {
        return client;
    }

    Instant now() {
        return clock.now();
    }

    @Override
    public ResourceType syncs() {
        return declaration.primary().type();
    }

    @Override
    public Set<String> problems() {
        Set<String> problems = new LinkedHashSet<>(unreadable.reasons());
        if (namespaces != null) {
            problems.addAll(namespaces.reasons());
        }
        return problems;
    }

    @Override
    public boolean plans() {
        return plans;
    }

    @Override
    protected @Nullable ObjectKey keyOf(String groupResource, ObjectKey object) {
        P primary = plans && syncs().groupResource().equals(groupResource) ? caches.primary(object) : null;
        if (primary != null && primary.getMetadata().getDeletionTimestamp() != null) {
            throw new IllegalArgumentException("it is being deleted, and a clean-up has no plan");
        }
        return primary == null ? null : object;
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        boolean ended = super.drain(within);
        for (SourceLoop source : sources) {
            ended &= source.awaitEnd(clock.until(deadline));
        }
        return ended;
    }

    // ---- one sync

    @Override
    protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
        P primary = caches.primary(key);
        if (primary == null) {
            run.effect(() -> {
                applied.forget(key);
                reported.remove(key);
                streaks.forget(key);
                if (clusters != null) {
                    clusters.forget(key);
                }
            });
            run.forget();
            return Result.done();
        }
        MDC.put("uid", primary.getMetadata().getUid());
        Duration behind = clusters == null ? null : clusters.behind(key);
        if (behind != null) {
            return Result.requeueAfter(behind);
        }
        P whole = caches.handed(declaration.primary(), primary);
        if (whole == null) {
            // The cache will tell that it is gone.
            return Result.done();
        }
        OperatorContext<P> context = new OperatorContext<>(this, run, key, whole);
        Declaration.Finalizer<P> finalizer = declaration.finalizer();
        if (primary.getMetadata().getDeletionTimestamp() != null) {
            List<String> set = finalizers(context);
            Set<String> former = declaration.former().finalizers();
            boolean released = set.stream().noneMatch(
                    name -> former.contains(name) || finalizer != null && name.equals(finalizer.name()));
            if (released) {
                nameDropped(key, set);
                return Result.done();
            }
            return cleanUp(context, key, finalizer == null ? (request, acting) -> Result.done() : finalizer.cleanup());
        }
        return call(context, key, operator);
    }

    private Result cleanUp(OperatorContext<P> context, ObjectKey key, Cleanup<P> cleanup) throws InterruptedException {
        return call(context, key, (request, acting) -> {
            Result result = cleanup.cleanup(request, acting);
            if (result instanceof Result.Done) {
                if (clusters != null) {
                    clusters.names().forEach(name -> context.cluster(name).prune(List.of()));
                }
                List<String> finalizers = finalizers(context);
                finalizers.removeAll(declaration.former().finalizers());
                if (declaration.finalizer() != null) {
                    finalizers.remove(declaration.finalizer().name());
                }
                context.finalizer(finalizers, "the clean-up is done");
            }
            return result;
        });
    }

    /** Adds the finalizer to an object that is not being deleted, and removes the former ones. */
    private void setFinalizers(OperatorContext<P> context) {
        List<String> finalizers = finalizers(context);
        if (context.primary().getMetadata().getDeletionTimestamp() != null) {
            return;
        }
        boolean changed = finalizers.removeAll(declaration.former().finalizers());
        if (declaration.finalizer() != null && !finalizers.contains(declaration.finalizer().name())) {
            changed = finalizers.add(declaration.finalizer().name());
        }
        if (changed) {
            context.finalizer(finalizers, declaration.finalizer() == null
                    ? "the operator has no clean-up any more"
                    : "the operator has a clean-up");
        }
    }

    /** Names, once each, the finalizers that an earlier version of the operator may have left on a deleted object. */
    private void nameDropped(ObjectKey key, List<String> finalizers) {
        String group = declaration.primary().type().group();
        for (String name : finalizers) {
            if (!group.isEmpty() && name.startsWith(group + "/") && named.add(name)) {
                log.warn(
                        "{}: {} {} is being deleted, and has the finalizer {}, which this operator does not declare. "
                                + "If an earlier version of it did, add setup.formerFinalizers(\"{}\")",
                        name(),
                        declaration.primary().type().kind(), key, name, name);
            }
        }
    }

    /** Names, once each, the field managers that applied an object for its owner, and may be earlier names. */
    void renamed(Applied.Target target, Appliers appliers, String owner) {
        if (appliers.contains(declaration.fieldManager())) {
            return;
        }
        for (Appliers.Entry entry : appliers.entries()) {
            String manager = entry.manager();
            if (!declaration.former().managers().contains(manager) && entry.fields()
                    .at("/f:metadata/f:ownerReferences").has("k:{\"uid\":\"" + owner + "\"}") && named.add(manager)) {
                log.warn("{}: {} {} was applied under the name {}. If that is an earlier name of this operator, add "
                        + "setup.formerNames(\"{}\"), so that it can remove what is not wanted any more", name(),
                        target.type(), target.key(), manager, manager);
            }
        }
    }

    private static List<String> finalizers(OperatorContext<?> context) {
        V1ObjectMeta meta = context.primary().getMetadata();
        return meta.getFinalizers() == null ? new ArrayList<>() : new ArrayList<>(meta.getFinalizers());
    }

    /** Calls the operator, within its timeout. Its exceptions and its own errors become {@link Result.Retry}. */
    private Result call(OperatorContext<P> context, ObjectKey key, Call<P> called) throws InterruptedException {
        Timeouts.Running running = timeouts == null ? null : timeouts.begin();
        Result result;
        boolean tooLate = false;
        try {
            setFinalizers(context);
            Request<P> request = new Request<>(key, ModelJson.copy(context.primary()), queue.numRequeues(key));
            result = Objects.requireNonNull(called.on(request, context), "the operator returned null");
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            result = Result.retry(e);
        } finally {
            tooLate = running != null && running.end();
            if (context.hasViewed()) {
                caches.checkUnchanged(name() + ", which reconciled " + key);
            }
        }
        if (result instanceof Result.Retry retry) {
            if (tooLate) {
                result = Result.retry(new TimeoutException("it took longer than " + declaration.timeout()
                        + " and was interrupted (setup.timeout)").initCause(retry.cause()));
            } else if (retry.cause() instanceof InterruptedException stopped) {
                throw stopped;
            }
        }
        Result reported = report(context, key, result);
        context.run().effect(() -> streaks.ended(declaration.primary().type().kind(), key, context.statusWrite(),
                context.run()));
        return reported;
    }

    // ---- the error condition

    private Result report(OperatorContext<P> context, ObjectKey key, Result result) {
        String type = declaration.errorCondition();
        boolean cleansUp = context.primary().getMetadata().getDeletionTimestamp() != null;
        boolean failed = result instanceof Result.Retry || result instanceof Result.Terminal;
        if (type == null || cleansUp && !failed || Thread.currentThread().isInterrupted()) {
            return result;
        }
        try {
            switch (result) {
                case Result.Retry retry when retry.cause() instanceof KubeApiException e && e.isConflict() -> {
                    // The object has changed meanwhile. The next sync sets the condition.
                }
                case Result.Retry retry -> reportFailure(context, key, type,
                        cleansUp
                                ? "CleanupFailed"
                                : retry.cause() instanceof KubeApiException e && e.reason().equals(Ownership.REFUSED)
                                        ? Ownership.REFUSED
                                        : "Failed",
                        sentence(retry.cause()));
                case Result.Terminal terminal -> reportFailure(context, key, type, "Refused", terminal.reason());
                case Result.Done done -> context.condition(type, true, "Reconciled", "");
                case Result.Requeue requeue -> context.condition(type, true, "Reconciled", "");
                case Result.RequeueAfter after -> context.condition(type, true, "Reconciled", "");
            }
            return result;
        } catch (KubeApiException e) {
            log.debug("{}: the condition {} of {} could not be written: {}", name(), type, key, e.getMessage());
            return result instanceof Result.Retry ? result : Result.retry(e);
        }
    }

    private static String sentence(Throwable cause) {
        String text = cause instanceof KubeApiException ? String.valueOf(cause.getMessage()) : cause.toString();
        return text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE) + "…";
    }

    /**
     * Sets the condition and remembers the version of that write, so that the write does not lead to another sync
     * before the rate limiter's delay.
     */
    private void reportFailure(OperatorContext<P> context, ObjectKey key, String type, String reason, String message) {
        String before = context.primary().getMetadata().getResourceVersion();
        context.condition(type, false, reason, message);
        String after = context.primary().getMetadata().getResourceVersion();
        if (after != null && !after.equals(before)) {
            context.run().effect(() -> reported.put(key, after));
        }
    }

    private boolean isReport(KubernetesObject primary) {
        String version = primary.getMetadata().getResourceVersion();
        return version != null && version.equals(reported.get(ObjectKey.of(primary)));
    }
}
