package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.MeterRegistry;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.facts.SemanticForm;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.operator.Applied.Configuration;
import dev.wheelhouse.operator.Applied.Memo;
import dev.wheelhouse.operator.Applied.Target;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;

/** The context of one sync. Every write goes by its run, which sends or records it. */
final class OperatorContext<P extends KubernetesObject> implements Context<P>, LiveClient.Writes {
    private static final Logger log = LoggerFactory.getLogger(OperatorContext.class);
    /** A sync that waits for an object looks again after this time, also if no change of an object leads to it. */
    private static final Duration WAIT = Duration.ofMinutes(1);

    private final OperatorController<P> controller;
    private final Declaration<P> declaration;
    private final Caches<P> caches;
    private final SyncRun run;
    private final ObjectKey key;
    private final Ownership<P> ownership;
    private final Map<String, Object> namespaces;
    /**
     * The primary object as the cache had it, or as the last write of this sync returned it. A write replaces the
     * object; nobody changes it.
     */
    private P primary;
    private final Set<String> told = new HashSet<>();
    private boolean viewed;
    private StatusStreaks.@Nullable Write statusWrite;

    OperatorContext(OperatorController<P> controller, SyncRun run, ObjectKey key, P primary) {
        this.controller = controller;
        this.declaration = controller.declaration;
        this.caches = controller.caches;
        this.run = run;
        this.key = key;
        this.primary = primary;
        this.ownership = new Ownership<>(controller, this, key);
        this.namespaces = caches.namespaces().open();
    }

    /** The primary object; not a copy. */
    P primary() {
        return primary;
    }

    /** This run's last write of the status; null if it has not written it. */
    StatusStreaks.@Nullable Write statusWrite() {
        return statusWrite;
    }

    private V1ObjectMeta meta() {
        return primary.getMetadata();
    }

    // ---- reads

    @Override
    public Related related() {
        return new CachedRelated(caches, controller.values, primary, true, () -> viewed = true);
    }

    @Override
    public CacheReader view() {
        viewed = true;
        return caches.view();
    }

    /** Whether this run was handed cached objects that it could have changed. */
    boolean hasViewed() {
        return viewed;
    }

    @Override
    public <T extends KubernetesObject> Optional<T> get(Class<T> type, ObjectKey of) {
        return caches.reader().get(type, of).map(ModelJson::copy);
    }

    @Override
    public Optional<Unstructured> get(ResourceType type, ObjectKey of) {
        return caches.reader().get(type, of).map(ModelJson::copy);
    }

    @Override
    public <T extends KubernetesObject> List<T> list(Class<T> type, String namespace, LabelSelector labels) {
        return caches.reader().list(type, namespace, labels).stream().map(ModelJson::copy).toList();
    }

    @Override
    public <T extends KubernetesObject> List<T> indexed(Class<T> type, String index, String value) {
        return caches.reader().indexed(type, index, value).stream().map(ModelJson::copy).toList();
    }

    @Override
    public Instant now() {
        return controller.now();
    }

    @Override
    public MeterRegistry meters() {
        return run.writes() ? controller.meters : Meters.NONE;
    }

    // ---- other clusters

    @Override
    public Set<String> clusters() {
        return clustersOrRefuse().connected();
    }

    @Override
    public ClusterContext cluster(String name) {
        return new RemoteContext(this, clustersOrRefuse().get(name), declaration, key);
    }

    private RemoteClusters clustersOrRefuse() {
        if (controller.clusters == null) {
            throw new IllegalArgumentException(
                    "operator " + declaration.name() + " declares no other clusters: add setup.clusters in its setup");
        }
        return controller.clusters;
    }

    // ---- writes

    /** Executes one write. */
    @Override
    public @Nullable KubernetesObject write(Action.Write write) {
        requireHome(write);
        caches.requireHeld(namespaces, write.type(), write.target(), write);
        return answerOf(run.execute(List.of(write)));
    }

    /** Checks that the caches have held the primary object's namespace since the beginning of the sync. */
    void requireHome(Action.Write write) {
        caches.requireHeld(namespaces, declaration.primary().type(), key, write);
    }

    static @Nullable KubernetesObject answerOf(Outcome outcome) {
        if (outcome.error() != null) {
            throw outcome.error();
        }
        return outcome.written().isEmpty() ? null : ModelJson.copy(outcome.written().getFirst());
    }

    SyncRun run() {
        return run;
    }

    @Override
    public <T extends KubernetesObject> T apply(T desired) {
        return apply(desired, true, 0, true);
    }

    @Override
    public <T extends KubernetesObject> T applyUnowned(T desired) {
        return apply(desired, false, 0, true);
    }

    /** @param answered whether the caller wants the answer, so that it has to be whole */
    private <T extends KubernetesObject> T apply(T desired, boolean owned, int step, boolean answered) {
        Part<T> part = partOf(desired, owned);
        ObjectNode body = Desired.of(desired, part, declaration.primary().type(), meta(), owned);
        Pruning.mark(body, step);
        Configuration<T> it = Configuration.of(key, part, body, declaration.fieldManager());
        Target target = it.target();
        T known = existing(part, target);
        if (known != null && controller.applied.isShown(key, target, it.wanted(), known)) {
            return answer(part, known, answered);
        }
        T stored = known == null ? null : caches.whole(part, known);
        List<String> formers = stored == null ? List.of() : ownership.formerManagers(target, stored.getMetadata());
        String must = formers.isEmpty() ? null : "it was applied under the former name " + formers.getFirst();
        return controller.applied.apply(it, stored, must, run, found -> ownership.appliers(target)
                .difference(declaration.fieldManager(), body, ModelJson.tree(found)), this::write,
                last -> release(it, formers, last));
    }

    /** Applies an empty configuration under former names, which removes the fields that nobody else has applied. */
    private <T extends KubernetesObject> T release(Configuration<T> it, List<String> formers, T last) {
        T left = last;
        for (String former : formers) {
            Action.Apply release = new Configuration<>(key, it.part(), it.target(), Desired.empty(it.body()),
                    it.wanted(), former).action(false, "its fields belong to " + declaration.fieldManager() + " now");
            KubernetesObject released = write(release);
            left = released == null ? left : it.part().model().cast(released);
        }
        return left;
    }

    /** A copy of a stored object, which is read if only its metadata is cached. */
    private <T extends KubernetesObject> T answer(Part<T> part, T stored, boolean answered) {
        T handed = answered ? caches.handed(part, stored) : stored;
        return ModelJson.copy(handed == null ? stored : handed);
    }

    /**
     * The existing object that the operator wants to write; null if there is none. It is read from the server if the
     * cache has only some objects of the type.
     *
     * @throws KubeApiException if it belongs to somebody else
     */
    private <T extends KubernetesObject> @Nullable T existing(Part<T> part, Target target) {
        T stored = caches.informer(part).get(target.key());
        if (stored == null && !part.whole()) {
            stored = controller.client().resource(part.type(), part.model()).find(target.key()).orElse(null);
        }
        if (stored != null) {
            ownership.require(part, target, stored);
        }
        return stored;
    }

    @Override
    public <T extends KubernetesObject> T createOnce(T object) {
        return createOnce(object, 0, true);
    }

    private <T extends KubernetesObject> T createOnce(T object, int step, boolean answered) {
        Part<T> part = partToApply(object);
        ObjectNode body = Desired.of(object, part, declaration.primary().type(), meta(), true);
        Pruning.mark(body, step);
        Target target = Target.of(part, body);
        T stored = existing(part, target);
        if (stored != null) {
            return OwnerReferences.controllerOf(stored.getMetadata()) == null
                    ? own(part, target, body, stored)
                    : answer(part, stored, answered);
        }
        body.withObjectProperty("metadata").withObjectProperty("annotations").put(Ownership.CREATED_BY,
                declaration.fieldManager());
        T made = ModelJson.read(body, part.model());
        try {
            KubernetesObject answer = write(new Action.Create(part.type(), made, "it does not exist"));
            return answer == null ? made : part.model().cast(answer);
        } catch (KubeApiException e) {
            if (!e.isAlreadyExists()) {
                throw e;
            }
            // The cache is late, or a late leader was faster.
            T found = controller.client().resource(part.type(), part.model()).get(target.key());
            ownership.require(part, target, found);
            return found;
        }
    }

    /** Makes the primary object the controller of an object that it lacks, and changes nothing else of it. */
    private <T extends KubernetesObject> T own(Part<T> part, Target target, ObjectNode body, T stored) {
        ObjectNode owner = Desired.empty(body);
        owner.withObjectProperty("metadata").set("ownerReferences", body.at("/metadata/ownerReferences"));
        KubernetesObject answer = write(new Action.Apply(part.type(), target.key(), "", part.model(),
                declaration.fieldManager(), false, ModelJson.write(owner), "it has no owner"));
        return answer == null ? ModelJson.copy(stored) : part.model().cast(answer);
    }

    private <T extends KubernetesObject> Part<T> partToApply(T desired) {
        return partOf(desired, true);
    }

    /** @param owned whether the type must be owned; otherwise it may be any that was declared */
    @SuppressWarnings("unchecked")
    private <T extends KubernetesObject> Part<T> partOf(T desired, boolean owned) {
        Class<T> model = (Class<T>) desired.getClass();
        List<Part<T>> parts;
        if (desired instanceof Unstructured) {
            parts = (List<Part<T>>) (List<?>) caches.parts(declaration.others().stream()
                    .filter(part -> !owned || part.role() == Role.OWNED).map(Part::type)
                    .filter(type -> type.kind().equals(desired.getKind())
                            && type.apiVersion().equals(desired.getApiVersion()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("operator " + declaration.name() + " owns no "
                            + desired.getApiVersion() + " " + desired.getKind()
                            + ": set apiVersion and kind of the object, and add setup.owns in its setup")));
        } else {
            parts = caches.parts(model);
        }
        return parts.stream().filter(part -> !owned || part.role() == Role.OWNED).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("operator " + declaration.name() + " does not own "
                        + model.getSimpleName() + ": add setup.owns(" + model.getSimpleName()
                        + ".class) in its setup"));
    }

    @Override
    public void prune(List<? extends KubernetesObject> kept) {
        Set<Target> wanted = new HashSet<>();
        kept.forEach(object -> wanted.add(target(object, true)));
        prune(wanted);
    }

    /** @return whether a later sync has to go on */
    private boolean prune(Set<Target> wanted) {
        return new Pruning<>(caches, this, ownership).prune(declaration.owned().toList(), wanted,
                meta().getDeletionTimestamp() != null);
    }

    /** Says that the sync waits for an object. */
    void await(Target target, String why) {
        log.debug("{}: {} {} waits for {} {}: {}", declaration.name(), declaration.primary().type().kind(), key,
                target.type(), target.key(), why);
        run.execute(List.of(new Action.Wait(target.type(), target.key(), why)));
    }

    /** The key under which the apply of a wanted object is remembered. */
    private Target target(KubernetesObject wanted, boolean owned) {
        ResourceType type = partOf(wanted, owned).type();
        V1ObjectMeta of = Objects.requireNonNullElse(wanted.getMetadata(), new V1ObjectMeta());
        return new Target(type, keyOf(type, of.getNamespace(), Objects.requireNonNullElse(of.getName(), "(unnamed)")),
                "");
    }

    /** The key of an object, which is in the primary object's namespace unless it says otherwise. */
    private ObjectKey keyOf(ResourceType type, @Nullable String namespace, String name) {
        return ObjectKey.of(type.namespaced()
                ? Objects.requireNonNullElse(namespace, Objects.requireNonNullElse(meta().getNamespace(), ""))
                : "", name);
    }

    @Override
    public void delete(KubernetesObject object) {
        ResourceType type = object instanceof Unstructured
                ? partToApply(object).type()
                : ResourceTypes.of(object.getClass());
        delete(type, object, "Background", "the operator decided so");
    }

    void delete(ResourceType type, KubernetesObject object, String propagation, String why) {
        ObjectKey of = ObjectKey.of(object);
        delete(type, keyOf(type, object.getMetadata().getNamespace(), of.name()),
                Deletion.ofUid(object.getMetadata().getUid()).withPropagation(propagation), why);
    }

    @Override
    public void delete(ResourceType type, ObjectKey of, Deletion deletion, String why) {
        write(new Action.Delete(type, of, deletion, why));
        run.effect(() -> controller.applied.remove(key, new Target(type, of, "")));
    }

    // ---- the primary object

    @Override
    public void status(Object status) {
        writeStatus(new StatusChange(statusTree(status), List.of(), List.of(), declaration.statusFields()));
    }

    private JsonNode statusTree(Object status) {
        JsonNode tree = ModelJson.tree(status);
        if (!tree.isObject()) {
            throw new IllegalArgumentException("the status of " + declaration.primary().type().kind() + " " + key
                    + " must be an object with fields in JSON, not " + tree);
        }
        return tree;
    }

    @Override
    public void condition(String type, ConditionStatus status, String reason, String message) {
        writeStatus(new StatusChange(null, List.of(new Decision.Condition(type, status, reason, message)), List.of(),
                Set.of()));
    }

    /** Whether this run has said itself what a condition is. */
    boolean tells(String condition) {
        return told.contains(condition);
    }

    private void writeStatus(StatusChange change) {
        told.addAll(change.types());
        ResourceType type = declaration.primary().type();
        PrimaryFacts facts = declaration.facts();
        if (!change.conditions().isEmpty() && !facts.hasConditions()) {
            throw new IllegalArgumentException("the condition " + change.conditions().getFirst().type() + " of "
                    + type.kind() + " " + key + " cannot be stored: " + facts.withoutConditions());
        }
        String undeclared = change.undeclaredField();
        if (undeclared != null) {
            throw new IllegalArgumentException(
                    "the status of " + type.kind() + " " + key + " has the field " + undeclared
                            + ", which setup.statusFields does not name: name it there, or leave it out");
        }
        JsonNode stored = ModelJson.tree(caches.untrimmed(declaration.primary(), primary));
        ObjectNode next = change.next(type, stored, now());
        JsonNode before = stored.path("status");
        Object form = status(type, next);
        Target target = new Target(type, key, "status");
        Memo memo = new Memo(String.valueOf(meta().getUid()), Drift.hash(form), Drift.hash(status(type, before)), "",
                0);
        Memo last = controller.applied.get(key, target);
        if (form.equals(status(type, before)) || memo.equals(last)) {
            return;
        }
        if (!facts.hasStatus()) {
            throw new IllegalArgumentException(type.kind() + " has no status: " + (declaration.primary().typed()
                    ? "name its class in the declaration, such as "
                            + "\"extends CustomResource<WebsiteSpec, WebsiteStatus>\""
                    : "its definition needs \"subresources: {status: {}}\""));
        }
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode difference = StatusChange.diff(before, next);
        patch.set("status", difference);
        String changed = run.writes() ? null : Drift.first(form, status(type, before), true);
        if (patchPrimary("status", patch, Objects.requireNonNullElse(changed, "the status has changed"))) {
            boolean takenBack = last != null && last.wanted().equals(memo.wanted());
            statusWrite = new StatusStreaks.Write(String.join(", ", difference.propertyNames()),
                    takenBack);
            JsonNode after = ModelJson.tree(primary).path("status");
            run.effect(() -> controller.applied.put(key, target, new Memo(memo.uid(), memo.wanted(),
                    Drift.hash(status(type, after)), "", 0)));
            List<String> lost = next.propertyNames().stream().filter(field -> !after.has(field)).sorted().toList();
            if (!lost.isEmpty()) {
                log.warn(
                        "{}: the status of {} {} lost {}: the API server or the status class has no such field. Add it "
                                + "to the class and its definition, such as \"List<V1Condition> conditions\"",
                        declaration.name(), type.kind(), key, String.join(", ", lost));
            }
        }
    }

    private static Object status(ResourceType type, JsonNode status) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.set("status", status.isObject() ? status : JsonNodeFactory.instance.objectNode());
        return SemanticForm.of(object, type);
    }

    /** Adds or removes the operator's finalizer. */
    void finalizer(List<String> finalizers, String why) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.withObjectProperty("metadata").set("finalizers", ModelJson.tree(finalizers));
        patchPrimary("", patch, why);
    }

    /**
     * Patches the primary object at the version that this sync has seen, so that it fails with a conflict if another
     * client has changed the object.
     *
     * @return whether there was an answer
     */
    private boolean patchPrimary(String subresource, ObjectNode patch, String why) {
        patch.withObjectProperty("metadata").put("uid", meta().getUid()).put("resourceVersion",
                meta().getResourceVersion());
        Part<P> part = declaration.primary();
        try {
            KubernetesObject answer = write(new Action.Patch(part.type(), key, subresource, PatchType.MERGE,
                    patch.toString(), why, Set.of(), part.model()));
            primary = answer == null ? primary : part.model().cast(answer);
            return answer != null;
        } catch (KubeApiException e) {
            // A definition without the status subresource has the same answer.
            if (!e.isNotFound() || controller.client().metadata(part.type()).find(key).isPresent()) {
                throw e;
            }
            // Nothing has failed: the next sync finds out that the object is gone.
            throw new KubeApiException("patch " + part.type() + " " + key, 409, "Conflict", "it is gone", null);
        }
    }

    @Override
    public void event(EventType type, String reason, String message) {
        run.execute(List.of(new Action.Event(declaration.primary().type(), primary,
                type == EventType.NORMAL ? "Normal" : "Warning", reason, Objects.requireNonNullElse(message, ""))));
    }

    @Override
    public Result execute(Decision decision) {
        Objects.requireNonNull(decision,
                () -> "operator " + declaration.name() + " decided null: return Decision.keep()"
                        + " to leave everything as it is, or Decision.deleteAll() to delete what it wanted before");
        requireDistinct(decision.wanted());
        boolean waits = !write(decision);
        if (!waits && !decision.keepsOthers()) {
            waits = prune(decision.wanted().stream().filter(Decision.Wanted::owned)
                    .map(wanted -> target(wanted.object(), true)).collect(Collectors.toSet()));
        }
        StatusChange change = new StatusChange(decision.status() == null ? null : statusTree(decision.status()),
                decision.conditions(), decision.goneConditions(), declaration.statusFields());
        if (!change.isNothing()) {
            writeStatus(change);
        }
        decision.events().forEach(event -> event(event.type(), event.reason(), event.message()));
        Duration after = decision.requeueAfter();
        if (waits && (after == null || after.compareTo(WAIT) > 0)) {
            after = WAIT;
        }
        return after == null ? Result.done() : Result.requeueAfter(after);
    }

    /** Writes the wanted objects up to the first step that has to wait. @return whether all steps are written */
    private boolean write(Decision decision) {
        int step = 0;
        boolean ready = true;
        for (Decision.Wanted wanted : decision.wanted()) {
            if (wanted.step() > step && !ready) {
                return false;
            }
            step = wanted.step();
            KubernetesObject object = wanted.object();
            KubernetesObject stored = switch (wanted.mode()) {
                case OWNED -> apply(object, true, step, decision.isAwaited(wanted));
                case ONCE -> createOnce(object, step, decision.isAwaited(wanted));
                case UNOWNED -> apply(object, false, step, decision.isAwaited(wanted));
            };
            String why = decision.whyNotReady(wanted, stored);
            if (!why.isEmpty()) {
                await(target(object, wanted.owned()), why);
                ready = false;
            }
        }
        return ready;
    }

    private void requireDistinct(List<Decision.Wanted> objects) {
        Set<Target> targets = new HashSet<>();
        for (Decision.Wanted each : objects) {
            Target target = target(each.object(), each.owned());
            if (!targets.add(target)) {
                throw new IllegalArgumentException("the decision about " + declaration.primary().type().kind() + " "
                        + key + " wants " + target.type() + " " + target.key() + " twice: only one of them can be");
            }
        }
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> live(Class<T> type) {
        return new LiveClient<>(this, controller.client().resource(ResourceTypes.of(type), type), type);
    }

    @Override
    public ResourceClient<Unstructured> live(ResourceType type) {
        return new LiveClient<>(this, controller.client().resource(declaration.declared(type), Unstructured.class),
                Unstructured.class);
    }
}
