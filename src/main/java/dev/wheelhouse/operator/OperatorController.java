package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;
import dev.wheelhouse.runtime.OutOfMemory;

/** Runs an operator: its caches, its queue, and the finalizer, time limit and error condition around each call. */
final class OperatorController<P extends KubernetesObject> extends KeyedController<ObjectKey> {
    private static final Logger log = LoggerFactory.getLogger(OperatorController.class);

    private static final int LONGEST_MESSAGE = 1000;

    final Declaration<P> declaration;
    final Caches<P> caches;
    final Applied applied;
    final ExternalValues<P> values;
    /** The registry of the process, in which the operator's meters have its name. */
    final CompositeMeterRegistry meters = new CompositeMeterRegistry();
    private final KubeClient client;
    private final Call<P> operator;
    private final boolean plans;
    private final StatusStreaks streaks;
    private final @Nullable Timeouts timeouts;
    private final List<SourceLoop> sources;
    private final UnreadableObjects unreadable;
    private final @Nullable NamespaceLoop namespaces;
    final @Nullable RemoteClusters clusters;
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
        super(declaration.name(), declaration.name(), context, declaration.retryDelays(), declaration.workers());
        this.declaration = declaration;
        limitSyncs(declaration.rateOfEach(), declaration.rateOfAll());
        this.applied = new Applied(declaration.name());
        this.client = context.client();
        meters.config().commonTags("controller", declaration.name());
        meters.add(context.metrics().registry());
        this.operator = operator;
        this.plans = plans;
        this.streaks = new StatusStreaks(declaration.name(), clock);
        this.timeouts = declaration.timeout() == null ? null : new Timeouts(declaration.timeout(), clock);
        this.caches = new Caches<>(declaration, context.informers(), client);
        this.values = new ExternalValues<>(declaration, caches, queue, clock);
        this.sources = Stream.concat(declaration.sources().stream(), declaration.inbounds().stream().map(this::sending))
                .map(source -> new SourceLoop(declaration.name(), source, queue::add, clock)).toList();
        if (timeouts != null) {
            addLoop(timeouts);
        }
        sources.forEach(this::addLoop);
        declaration.polls().forEach(this::poll);
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

    private <T> ExternalSource sending(External.Inbound<T> inbound) {
        return trigger -> inbound.source().run((key, value) -> values.put(inbound.external(), key, value));
    }

    private void poll(External.Polled<P, ?> polled) {
        Timeouts deadlines = new Timeouts(polled.timeout(), clock);
        addLoop(deadlines);
        watch(caches.informer(declaration.primary()),
                this.<ObjectKey>addQueue(name() + "-" + polled.external(), polled.delays(),
                        (key, run) -> values.poll(polled, deadlines, key)))
                .when(change -> !change.isUpdate() || change.alters(object -> object.getMetadata().getGeneration()))
                .enqueue(ObjectKey::of);
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
                .when(change -> change.isResync() || primary && beginsToEnd(change)
                        || caches.passes(part, change, any -> primary && isReport(any)))
                .enqueueFor(change -> change.states().flatMap(object -> caches.keys(part, object).stream()).distinct());
    }

    /** Whether an object is deleted, or begins to be. No filter may keep this from the clean-up. */
    private static boolean beginsToEnd(Change<?> change) {
        return change.isDeletion() || change.isEnding()
                && (change.isAddition() || change.alters(object -> object.getMetadata().getDeletionTimestamp()));
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
                streaks.forget(key);
                nameLeft(key);
                if (clusters != null) {
                    clusters.forget(key);
                }
            });
            run.note(() -> values.forget(key));
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
        External<?> unread = values.unread(primary);
        if (unread != null) {
            // The end of the first read adds the key.
            context.await(new Applied.Target(syncs(), key, ""), unread + " has not been read for it yet");
            return Result.done();
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

    /** Names the first object that has left the operator's selection, and whose deletion will wait for a clean-up. */
    private void nameLeft(ObjectKey key) {
        Part<P> primary = declaration.primary();
        String finalizer = declaration.finalizer() == null ? "" : declaration.finalizer().name();
        if (finalizer.isEmpty() || primary.whole() || named.contains(finalizer)) {
            return;
        }
        boolean left = client.metadata(primary.type()).find(key).map(object -> object.getMetadata().getFinalizers())
                .filter(set -> set.contains(finalizer)).isPresent();
        if (left && named.add(finalizer)) {
            log.warn("{}: {} {} no longer matches the selector of setup.primary, and has the finalizer {}: it will "
                    + "stay when it is deleted, because no clean-up runs. Let it match again, or remove the finalizer",
                    name(), primary.type().kind(), key, finalizer);
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
        } catch (Throwable e) {
            OutOfMemory.check(e);
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
        Result told = report(context, key, result);
        context.run().effect(() -> streaks.ended(declaration.primary().type().kind(), key, context.statusWrite(),
                context.run()));
        return told;
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
                case Result.Retry retry when retry.cause() instanceof KubeApiException e
                        && (e.isConflict() || e.isNamespaceTerminating()) -> {
                    // The object has changed meanwhile, or is about to end. The next sync sets the condition.
                }
                case Result.Retry retry -> context.condition(type, false,
                        cleansUp
                                ? "CleanupFailed"
                                : retry.cause() instanceof KubeApiException e && e.reason().equals(Ownership.REFUSED)
                                        ? Ownership.REFUSED
                                        : "Failed",
                        sentence(retry.cause()));
                case Result.Terminal terminal -> context.condition(type, false, "Refused", terminal.reason());
                case Result.Done done -> reportSuccess(context, type);
                case Result.Requeue requeue -> reportSuccess(context, type);
                case Result.RequeueAfter after -> reportSuccess(context, type);
            }
            return result;
        } catch (KubeApiException e) {
            log.debug("{}: the condition {} of {} could not be written: {}", name(), type, key, e.getMessage());
            return result instanceof Result.Retry ? result : Result.retry(e);
        }
    }

    /** Tells a success, unless the operator has said itself in this run what the condition is. */
    private static void reportSuccess(OperatorContext<?> context, String type) {
        if (!context.tells(type)) {
            context.condition(type, true, "Reconciled", "");
        }
    }

    private static String sentence(Throwable cause) {
        String text = cause instanceof KubeApiException ? String.valueOf(cause.getMessage()) : cause.toString();
        return text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE) + "…";
    }

    /**
     * Whether an update changes nothing but the error condition, so that it leads to no sync before the rate limiter's
     * delay. The update is told by its content, because a watch may bring it before the answer to the write.
     */
    private boolean isReport(Change<?> change) {
        String type = declaration.errorCondition();
        return type != null && change.isUpdate() && !change.alters(object -> object.getMetadata().getGeneration())
                && !change.alters(object -> without(type, object));
    }

    private static JsonNode without(String condition, KubernetesObject primary) {
        ObjectNode tree = (ObjectNode) ModelJson.tree(primary);
        tree.withObjectProperty("metadata").remove(List.of("resourceVersion", "managedFields"));
        ObjectNode status = tree.withObjectProperty("status");
        if (status.path("conditions") instanceof ArrayNode conditions) {
            conditions.removeIf(each -> each.path("type").asString("").equals(condition));
            if (conditions.isEmpty()) {
                status.remove("conditions");
            }
        }
        return tree;
    }
}
