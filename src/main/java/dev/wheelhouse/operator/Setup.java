package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Relation;
import dev.wheelhouse.operator.Declaration.Role;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.RunRates;

/**
 * Collects the declarations of an operator. Everything has a default. Each method returns this object. A declaration
 * that cannot work throws an {@code IllegalArgumentException}, which names the operator and the remedy. Only
 * {@link Operator#setup} may use it, on its own thread.
 */
public final class Setup<P extends KubernetesObject> {
    private final Class<?> operator;
    private @Nullable String name;
    private @Nullable String fieldManager;
    private @Nullable Part<P> primary;
    private PrimaryFacts facts;
    private final Declaration.Served served;
    private final List<Part<?>> others = new ArrayList<>();
    private final List<Declaration.Index<?>> indexes = new ArrayList<>();
    private Declaration.@Nullable Finalizer<P> finalizer;
    private @Nullable Integer workers;
    private RateLimits retryDelays = RateLimits.CONTROLLER;
    private RunRates.@Nullable Rate rateOfEach;
    private RunRates.@Nullable Rate rateOfAll;
    private @Nullable Duration timeout;
    private Duration resync = Duration.ZERO;
    private final List<ExternalSource> sources = new ArrayList<>();
    private final List<External.Polled<P, ?>> polls = new ArrayList<>();
    private final List<External.Inbound<?>> inbounds = new ArrayList<>();
    private final Set<String> externals = new LinkedHashSet<>();
    private @Nullable String errorCondition;
    private CrdPolicy crd = CrdPolicy.WAIT;
    private final List<Declaration.Permission> permissions = new ArrayList<>();
    private final List<Declaration.Adoption<?>> adoptions = new ArrayList<>();
    private final Set<String> formerNames = new LinkedHashSet<>();
    private final Set<String> formerFinalizers = new LinkedHashSet<>();
    private final Set<String> statusFields = new LinkedHashSet<>();
    private @Nullable NamespaceChoice namespaces;
    private @Nullable ClusterSecrets clusters;

    Setup(Operator<P> operator, Declaration.Served served) {
        this.served = served;
        this.facts = Objects.requireNonNullElseGet(served.facts(), PrimaryFacts::unknown);
        this.operator = withoutProxies(operator.getClass());
        Class<P> model = ResourceTypes.primary(this.operator, Operator.class);
        if (model != (Class<?>) Unstructured.class) {
            primary = new Watched<>(this, Role.PRIMARY, typeOf(model), model, null).part();
            facts = PrimaryFacts.of(model);
        }
    }

    private Part<P> primary() {
        require(primary != null, "its primary objects have no class: declare their type first, by setup.primary(type)");
        return Objects.requireNonNull(primary);
    }

    /**
     * The operator's own class, also if the given one is a proxy: proxies, such as Spring's, are subclasses with
     * {@code $$} in their names.
     */
    private static Class<?> withoutProxies(Class<?> type) {
        Class<?> superclass = type.getSuperclass();
        return type.getName().contains("$$") && superclass != null && Operator.class.isAssignableFrom(superclass)
                ? withoutProxies(superclass)
                : type;
    }

    Declaration<P> declaration() {
        require(clusters == null || finalizer != null,
                "nothing deletes the objects in other clusters with their primary "
                        + "object: add setup.finalizer, whose clean-up may do nothing. They are deleted after it");
        String called = name != null ? name : defaultName();
        for (Declaration.Index<?> index : indexes) {
            require(index.model() == primary().model()
                    || others.stream().anyMatch(part -> part.model() == index.model()),
                    "the index %s is of %s, which is not declared: add setup.owns or setup.watches of the class",
                    index.name(), index.model().getSimpleName());
        }
        return new Declaration<>(called, fieldManager != null ? fieldManager : called, primary(), facts,
                List.copyOf(others), List.copyOf(indexes), finalizer, workers, retryDelays, rateOfEach, rateOfAll,
                timeout, resync, List.copyOf(sources), List.copyOf(polls), List.copyOf(inbounds),
                errorCondition, crd, List.copyOf(permissions), List.copyOf(adoptions),
                new Declaration.Former(Set.copyOf(formerNames), Set.copyOf(formerFinalizers)),
                Set.copyOf(statusFields), namespaces, clusters);
    }

    private String defaultName() {
        require(!operator.getSimpleName().isEmpty(), "a class without a name needs setup.name(…)");
        String called = operator.getSimpleName().replaceAll("([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", "$1$3-$2$4")
                .replace('_', '-').toLowerCase(Locale.ROOT) + (primary().typed() ? "" : "." + primary().type());
        require(called.length() <= 63, "the default name %s is too long: add setup.name(…)", called);
        return called;
    }

    void require(boolean holds, String problem, Object... values) {
        if (!holds) {
            throw refused(problem.formatted(values), null);
        }
    }

    private IllegalArgumentException refused(String problem, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "operator " + (name != null ? name : operator.getName()) + ": " + problem, cause);
    }

    /** Runs a check of another class, and names the operator in its message. */
    <R> R checked(Supplier<R> check) {
        try {
            return check.get();
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()), e);
        }
    }

    private ResourceType typeOf(Class<?> model) {
        return checked(() -> ResourceTypes.of(model));
    }

    /**
     * The operator's name, in logs, metrics, options and Events. The default comes from the class:
     * {@code WebsiteOperator} is {@code website-operator}, and if its primary objects have no class, also from their
     * type: {@code mirror-operator.widgets.example.com}. It must be unique in a process. It is also the field manager,
     * which objects keep: an operator with a declared name can change its class.
     */
    public Setup<P> name(String name) {
        require(name.length() <= 63 && Names.isSubdomain(name),
                "the name \"%s\" is not of at most 63 lower-case letters, digits, - and .", name);
        this.name = name;
        return this;
    }

    /** The field manager of the operator's writes. The default is its name. */
    public Setup<P> fieldManager(String name) {
        require(!name.isBlank() && name.length() <= 128, "the field manager \"%s\" is not of 1 to 128 characters",
                name);
        fieldManager = name;
        return this;
    }

    /**
     * The names, or field managers, that earlier versions of the operator had. Objects that were applied or created
     * under these names are this operator's: their fields are handed over to the present field manager, and those that
     * are not wanted any more are deleted.
     */
    public Setup<P> formerNames(String... names) {
        formerNames.addAll(List.of(names));
        return this;
    }

    /**
     * The finalizers that earlier versions of the operator set. They leave the primary objects: with the next
     * reconciliation, or after the clean-up of an object that is being deleted.
     */
    public Setup<P> formerFinalizers(String... names) {
        formerFinalizers.addAll(List.of(names));
        return this;
    }

    /**
     * The fields of the status that this operator writes, such as {@code replicas}, if another one writes others.
     * Fields that are not named stay as they are. Conditions are merged by their types, and need not be named. The
     * default is all fields: those that a status leaves out are removed.
     */
    public Setup<P> statusFields(String... names) {
        require(facts.hasStatus(), "%s has no status", primary().type().kind());
        statusFields.addAll(List.of(names));
        return this;
    }

    /**
     * Limits all types to the namespaces with these labels, at any moment: their caches open and close while the
     * operator runs. A type that {@link Watched#namespaces} limits keeps its own. Objects of a namespace that leaves
     * are forgotten: nothing is deleted, and no clean-up runs. When it comes back, they are reconciled. The operator
     * needs its rights in these namespaces only, and may read Namespaces.
     */
    public Setup<P> namespaces(LabelSelector ofNamespaces) {
        return namespaces(new NamespaceChoice(ofNamespaces, null));
    }

    /**
     * The same for namespaces that are named by a function, such as one that reads a file. It is called every ten
     * seconds, on a thread of its own. If it fails, the namespaces stay as they are, and the failure is logged.
     */
    public Setup<P> namespaces(Supplier<? extends Collection<String>> names) {
        return namespaces(new NamespaceChoice(null, names));
    }

    /**
     * The operator also owns objects in other clusters, whose kubeconfigs are in Secrets: see {@link Context#cluster}.
     * Clusters come and go with their Secrets while the operator runs. One that cannot be reached stops no other. The
     * operator needs a finalizer: after its clean-up, the primary object's objects in all other clusters are deleted.
     */
    public Setup<P> clusters(ClusterSecrets secrets) {
        require(clusters == null, "setup.clusters is declared twice: make it one declaration");
        checked(() -> secrets.owned.stream().map(ResourceTypes::of).toList());
        clusters = secrets;
        return this;
    }

    private Setup<P> namespaces(NamespaceChoice choice) {
        require(namespaces == null, "setup.namespaces is declared twice: make it one declaration");
        namespaces = choice;
        return this;
    }

    /** Limits which primary objects are cached, and which of their changes lead to a reconciliation. */
    public Setup<P> primary(Consumer<Watched<P>> limits) {
        primary = part(Role.PRIMARY, primary().type(), primary().model(), null, limits);
        return this;
    }

    /**
     * Declares the type of the primary objects of an {@code Operator<Unstructured>}, before everything that concerns
     * them. The type may come from data, so that one class reconciles several types, each by an instance of its own.
     *
     * @param type may be a {@linkplain ResourceType#named name}, such as {@code certificates.cert-manager.io}. The
     *     operator waits until the API server serves it
     */
    public Setup<P> primary(ResourceType type) {
        require(primary == null || !primary.typed(), "its primary objects have a class: only an "
                + "Operator<Unstructured> declares their type");
        primary = part(Role.PRIMARY, served.type(type), ResourceTypes.primary(operator, Operator.class), null,
                all -> {});
        return this;
    }

    /**
     * The same, with the definition of the type, which {@link #crd} can install. Its stored version is used.
     *
     * @param definition such as {@code Crds.read(yaml)}
     */
    public Setup<P> primary(V1CustomResourceDefinition definition) {
        ResourceType type = checked(() -> ResourceTypes.of(definition));
        facts = PrimaryFacts.of(definition, type);
        return primary(type);
    }

    /**
     * A primary object may own objects of this class. A change of such an object reconciles the primary object that its
     * controller reference names.
     */
    public <T extends KubernetesObject> Setup<P> owns(Class<T> type) {
        return owns(type, all -> {});
    }

    /** The same, with limits. */
    public <T extends KubernetesObject> Setup<P> owns(Class<T> type, Consumer<Watched<T>> limits) {
        return add(Role.OWNED, typeOf(type), type, null, limits);
    }

    /** The same for a type without a class. */
    public Setup<P> owns(ResourceType type, Consumer<Watched<Unstructured>> limits) {
        return add(Role.OWNED, type, Unstructured.class, null, limits);
    }

    /**
     * Lets the operator take over existing objects of this class that have no controller, such as objects of a program
     * that it replaces: they are overwritten with the wanted fields, and deleted with the primary object. By default,
     * to want an object whose name is taken by an object of somebody else fails. An object that has another controller
     * cannot be adopted.
     *
     * @param which must not change the object
     */
    public <T extends KubernetesObject> Setup<P> adopt(Class<T> type, Predicate<? super T> which) {
        adoptions.add(new Declaration.Adoption<>(typeOf(type), type, which));
        return this;
    }

    /** The same for a type without a class. */
    public Setup<P> adopt(ResourceType type, Predicate<? super Unstructured> which) {
        adoptions.add(new Declaration.Adoption<>(served.type(type), Unstructured.class, which));
        return this;
    }

    /**
     * A change of an object of this class reconciles the primary objects that the mapping names. The mapping sees the
     * object as it was and as it is, from the cache: it must not change the object, and must not block. An object for
     * which it throws concerns no primary object, and the failure is logged.
     */
    public <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            Function<? super T, ? extends Collection<ObjectKey>> mapping) {
        return watches(type, mapping, all -> {});
    }

    /** The same, with limits. */
    public <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            Function<? super T, ? extends Collection<ObjectKey>> mapping, Consumer<Watched<T>> limits) {
        return add(Role.WATCHED, typeOf(type), type, new Relation.Mapped<>(mapping), limits);
    }

    /**
     * The same with a mapping that also reads the caches, such as those of the primary objects: all sites whose
     * selector matches a pod. The caches may not have been filled yet; later, each primary object is reconciled anyway.
     * Which objects belong to a primary object depends on the moment, so {@link Related} does not have them.
     */
    public <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            BiFunction<? super T, ? super CacheReader, ? extends Collection<ObjectKey>> mapping) {
        return watches(type, mapping, all -> {});
    }

    /** The same, with limits. */
    public <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            BiFunction<? super T, ? super CacheReader, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<T>> limits) {
        return add(Role.WATCHED, typeOf(type), type, new Relation.Read<>(mapping), limits);
    }

    /**
     * A primary object names objects of this class that it does not own, such as a ConfigMap with its settings. A
     * change of such an object, also its creation and deletion, reconciles the primary objects that name it.
     * {@link Related} has the objects that exist.
     *
     * @param keys the keys of the objects. One without a namespace is in the primary object's. The function sees the
     *     cached primary object: it must not change it, and must not block. A primary object for which it throws names
     *     no object, and the failure is logged
     */
    public <T extends KubernetesObject> Setup<P> references(Class<T> type,
            Function<? super P, ? extends Collection<ObjectKey>> keys) {
        return references(type, keys, all -> {});
    }

    /** The same, with limits. */
    public <T extends KubernetesObject> Setup<P> references(Class<T> type,
            Function<? super P, ? extends Collection<ObjectKey>> keys, Consumer<Watched<T>> limits) {
        return add(Role.REFERENCED, typeOf(type), type, new Relation.Referenced<>(keys), limits);
    }

    /** The same for a type without a class. */
    public Setup<P> references(ResourceType type, Function<? super P, ? extends Collection<ObjectKey>> keys,
            Consumer<Watched<Unstructured>> limits) {
        return add(Role.REFERENCED, type, Unstructured.class, new Relation.Referenced<>(keys), limits);
    }

    /** The same for a type without a class. */
    public Setup<P> watches(ResourceType type, Function<? super Unstructured, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<Unstructured>> limits) {
        return add(Role.WATCHED, type, Unstructured.class, new Relation.Mapped<>(mapping), limits);
    }

    /** The same, but only the objects' metadata is read and cached. */
    public Setup<P> watchesMetadata(ResourceType type,
            Function<? super PartialObjectMetadata, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<PartialObjectMetadata>> limits) {
        return add(Role.WATCHED, type, PartialObjectMetadata.class, new Relation.Mapped<>(mapping), limits);
    }

    private <T extends KubernetesObject> Setup<P> add(Role role, ResourceType declared, Class<T> model,
            @Nullable Relation<T> relation, Consumer<Watched<T>> limits) {
        ResourceType type = served.type(declared);
        for (Part<?> other : others) {
            require(other.role() != role || other.model() != model || !other.type().equals(type),
                    "%s is declared twice as %s: make it one declaration", type, role.name().toLowerCase(Locale.ROOT));
        }
        require(role != Role.OWNED || type.namespaced() || !primary().type().namespaced(),
                "%s, which has a namespace, cannot own %s, which has none: the garbage collector would delete them. "
                        + "Use setup.watches, and delete them in a clean-up (setup.finalizer)",
                primary().type().kind(), type);
        others.add(part(role, type, model, relation, limits));
        return this;
    }

    private <T extends KubernetesObject> Part<T> part(Role role, ResourceType type, Class<T> model,
            @Nullable Relation<T> relation, Consumer<Watched<T>> limits) {
        Watched<T> collected = new Watched<>(this, role, type, model, relation);
        limits.accept(collected);
        return collected.part();
    }

    /**
     * An index of a declared class, for {@link Context#indexed}.
     *
     * @param name unique in the operator
     * @param values the values under which an object is found. It gets the cached object, must not change it, and must
     *     not block. An object for which it throws is left out of the index, and the failure is logged
     */
    public <T extends KubernetesObject> Setup<P> index(String name, Class<T> type,
            Function<? super T, ? extends Collection<String>> values) {
        require(indexes.stream().noneMatch(index -> index.name().equals(name)), "the index %s is declared twice", name);
        indexes.add(new Declaration.Index<>(name, type, values));
        return this;
    }

    /**
     * Every primary object gets this finalizer before it is reconciled. When the object is being deleted, the clean-up
     * runs until it returns {@code Result.done()}; then the finalizer is removed.
     *
     * @param name a qualified name, such as {@code example.com/website}
     */
    public Setup<P> finalizer(String name, Cleanup<P> cleanup) {
        require(name.contains("/") && Names.isLabelKey(name),
                "the finalizer \"%s\" is not a qualified name, such as example.com/website", name);
        require(finalizer == null, "the finalizer %s is the second one: make one clean-up of both. If it takes the "
                + "place of an earlier one, name that by setup.formerFinalizers", name);
        finalizer = new Declaration.Finalizer<>(name, cleanup);
        return this;
    }

    /**
     * The same with a finalizer that is named by the primary type's group and the operator's declared name, such as
     * {@code example.com/website-operator}.
     */
    public Setup<P> finalizer(Cleanup<P> cleanup) {
        require(name != null, "a finalizer without a name is named by the operator: declare setup.name(…) before it");
        return finalizer(primary().type().group() + "/" + name, cleanup);
    }

    /**
     * Deletes the objects of a {@link Decision} with steps in the reverse order of these steps when the primary object
     * is deleted, each step once the one after it is gone. Without it, or when the primary object is deleted in the
     * foreground, the garbage collector deletes them in any order. An operator with a clean-up of its own calls
     * {@code context.execute(Decision.deleteAll())} in it, which is done once all are gone.
     *
     * @param finalizer the finalizer that keeps the primary object until then, such as {@code example.com/website}
     */
    public Setup<P> orderedDeletion(String finalizer) {
        return finalizer(finalizer, (request, context) -> context.execute(Decision.deleteAll()));
    }

    /**
     * The number of objects that are reconciled at the same time. The default is 5. The service's options override it.
     */
    public Setup<P> workers(int workers) {
        require(workers > 0, "%d workers: need at least 1", workers);
        this.workers = workers;
        return this;
    }

    /**
     * The delays between failures of one object: they double from the shortest to the longest. The default is from 5 ms
     * to 1000 s.
     */
    public Setup<P> retryDelays(Duration shortest, Duration longest) {
        retryDelays = checked(() -> new RateLimits(shortest, longest, RateLimits.CONTROLLER.perSecond(),
                RateLimits.CONTROLLER.burst()));
        return this;
    }

    /**
     * The most reconciliations of all objects together in a time, failed ones included. They may come at once; an
     * object beyond them waits for its turn, and its changes meanwhile lead to one reconciliation. The default is no
     * limit.
     */
    public Setup<P> runRate(int runs, Duration within) {
        rateOfAll = checked(() -> new RunRates.Rate(runs, within));
        return this;
    }

    /** The same for each object by itself. Both limits hold if both are declared. */
    public Setup<P> runRateOfEach(int runs, Duration within) {
        rateOfEach = checked(() -> new RunRates.Rate(runs, within));
        return this;
    }

    /**
     * The time limit of a reconciliation. One that takes longer is interrupted and counts as failed. The default is no
     * limit.
     */
    public Setup<P> timeout(Duration timeout) {
        require(timeout.isPositive(), "the timeout %s is not positive: leave it out for no limit", timeout);
        this.timeout = timeout;
        return this;
    }

    /** Reconciles every primary object again after this time, whether or not anything changed. The default is never. */
    public Setup<P> resync(Duration period) {
        require(period.isPositive(), "the resync period %s is not positive: leave it out for never", period);
        resync = period;
        return this;
    }

    /**
     * Reads a value from outside of the cluster for each primary object: when the object is new, when its generation
     * changes, and this time after each reading. Another value reconciles the object, an equal one does not.
     * {@link Related#external} has the last value. A read runs on a thread of its own, of which there are as many as
     * {@link #workers}, and is interrupted after 10 s. After a failure, which the log, the health and the metrics tell,
     * the last value stays, and the delay grows from 1 s up to the period. Only the leader reads.
     */
    public <T> Setup<P> poll(External<T> external, Duration period, External.Poll<? super P, ? extends T> poll) {
        return poll(external, period, Duration.ofSeconds(10), poll);
    }

    /** The same with another time limit of a read. */
    public <T> Setup<P> poll(External<T> external, Duration period, Duration timeout,
            External.Poll<? super P, ? extends T> poll) {
        require(period.isPositive() && timeout.isPositive(),
                "the poll of %s every %s, within %s: both must be positive", external, period, timeout);
        distinct(external);
        polls.add(new External.Polled<>(external, period, timeout, poll));
        return this;
    }

    /**
     * Lets a source outside of the cluster send a value for each primary object. Another value reconciles the object,
     * an equal one does not. {@link Related#external} has the last value. Only the leader's source runs.
     */
    public <T> Setup<P> inbound(External<T> external, External.Source<T> source) {
        distinct(external);
        inbounds.add(new External.Inbound<>(external, source));
        return this;
    }

    private void distinct(External<?> external) {
        require(externals.add(external.toString()), "the external value %s is declared twice", external);
    }

    /** Adds a source of events outside of the cluster. */
    public Setup<P> source(ExternalSource source) {
        sources.add(source);
        return this;
    }

    /**
     * A failed reconciliation or clean-up sets this condition to {@code False}, with the error as its message; the next
     * successful reconciliation sets it to {@code True}, unless it sets the condition itself. A conflict with another
     * client's write is no failure. The status must have {@code conditions}.
     */
    public Setup<P> errorCondition(String type) {
        require(facts.hasStatus(), "the error condition %s needs a status, and %s has none", type,
                primary().type().kind());
        require(facts.hasConditions(), "the error condition %s cannot be stored: %s", type,
                facts.withoutConditions());
        errorCondition = type;
        return this;
    }

    /** The policy for the primary type's CustomResourceDefinition. The default is {@link CrdPolicy#WAIT}. */
    public Setup<P> crd(CrdPolicy policy) {
        require(policy == CrdPolicy.WAIT || facts.definition() != null
                || primary().model().isAnnotationPresent(ResourceDefinition.class),
                "the policy %s is for a class with @ResourceDefinition or setup.primary(definition): %s has neither",
                policy, primary().type().kind());
        crd = policy;
        return this;
    }

    /**
     * Adds rights to the generated roles, for calls that the declarations do not show. It gives no right by itself.
     *
     * @param verbs such as {@code get}, {@code list}
     */
    public Setup<P> needsRights(ResourceType type, String... verbs) {
        require(verbs.length > 0, "the rights for %s name no verb", type);
        permissions.add(new Declaration.Permission(type, List.of(verbs)));
        return this;
    }
}
