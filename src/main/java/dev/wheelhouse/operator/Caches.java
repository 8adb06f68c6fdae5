package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.informer.CachedCollection;
import dev.wheelhouse.informer.Indexer;
import dev.wheelhouse.informer.NamespaceSet;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Relation;
import dev.wheelhouse.operator.Declaration.Role;
import dev.wheelhouse.runtime.OutOfMemory;

/**
 * The caches of one operator: one informer for each declared type. Informers have indices by owner, mapping or
 * reference, and the indices that the operator declared. All methods return the cached objects
 * themselves; callers copy them. Thread safe.
 */
final class Caches<P extends KubernetesObject> {
    private static final Logger log = LoggerFactory.getLogger(Caches.class);
    private static final Comparator<KubernetesObject> BY_KEY = Comparator
            .comparing((KubernetesObject object) -> Objects.requireNonNullElse(object.getMetadata().getNamespace(), ""))
            .thenComparing(object -> object.getMetadata().getName());

    private final Declaration<P> declaration;
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private final CacheReader reader = new Reader(true);
    private final CacheReader view = new Reader(false);
    private final Map<Part<?>, SharedIndexInformer<? extends KubernetesObject>> informers = new LinkedHashMap<>();
    /** Reads what the caches have only a part of. */
    private final Map<Part<?>, WholeObjects<?>> whole = new HashMap<>();
    /** The namespaces of the types that follow the operator's choice. */
    private final NamespaceSet namespaces = new NamespaceSet();

    Caches(Declaration<P> declaration, SharedInformerFactory factory, KubeClient client) {
        this.declaration = declaration;
        declaration.parts().forEach(part -> informers.put(part, make(part, factory, client)));
        informers.keySet().forEach(this::addRelation);
        declaration.indexes().forEach(this::addIndex);
    }

    private <T extends KubernetesObject> SharedIndexInformer<T> make(Part<T> part, SharedInformerFactory factory,
            KubeClient client) {
        if (!part.content().isWhole()) {
            whole.put(part, new WholeObjects<>(client.resource(part.type(), part.model()), part.content()));
        }
        CachedCollection<T> wanted = new CachedCollection<>(part.type(), part.model(),
                part.namespaces().stream().findFirst().orElse(""), part.labels(), part.fields(),
                part.metadataOnly() || part.content().metadataOnly(), part.content().trim());
        return part.namespaces().size() > 1
                ? factory.informer(wanted, NamespaceSet.of(part.namespaces()))
                : declaration.follows(part) ? factory.informer(wanted, namespaces) : factory.informer(wanted);
    }

    /** Adds the index by which the objects of a part, or the primary objects that reference them, are found. */
    private <T extends KubernetesObject> void addRelation(Part<T> part) {
        if (part.role() == Role.REFERENCED) {
            informer(declaration.primary()).getIndexer().addIndex(indexOf(part),
                    primary -> referenced(part, primary).stream().map(ObjectKey::toString).toList());
        } else if (part.role() != Role.PRIMARY && !(part.relation() instanceof Relation.Read)) {
            informer(part).getIndexer().addIndex(indexOf(part), object -> related(part, object));
        }
    }

    /**
     * The name of a part's index by owner, mapping or reference. It contains operator, role and type, because
     * operators, and parts of one operator, may share an informer.
     */
    private String indexOf(Part<?> part) {
        return declaration.name() + "/" + part.role() + "/" + part.type() + "/" + part.model().getSimpleName();
    }

    private String indexOf(Part<?> part, String name) {
        return indexOf(part) + "/" + name;
    }

    private <T extends KubernetesObject> void addIndex(Declaration.Index<T> index) {
        informers.forEach((part, informer) -> {
            if (part.model() == index.model()) {
                Caches.<T>indexer(informer).addIndex(indexOf(part, index.name()),
                        object -> guarded(index.model(), "the index " + index.name(), object, index.values()));
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static <T extends KubernetesObject> Indexer<T> indexer(
            SharedIndexInformer<? extends KubernetesObject> informer) {
        return (Indexer<T>) informer.getIndexer();
    }

    /** The keys of the objects that a primary object names. */
    private <T extends KubernetesObject> Collection<ObjectKey> referenced(Part<T> part, KubernetesObject primary) {
        @SuppressWarnings("unchecked") // The function was declared for the primary objects.
        Relation.Referenced<T, KubernetesObject> relation = (Relation.Referenced<T, KubernetesObject>) part.relation();
        if (relation == null) {
            return List.of();
        }
        String home = Objects.requireNonNullElse(primary.getMetadata().getNamespace(), "");
        return guarded(declaration.primary().model(), "the references to " + part.type(), primary, relation.keys())
                .stream().map(key -> keyOf(part, key.namespace().isEmpty() ? new ObjectKey(home, key.name()) : key))
                .distinct().toList();
    }

    /** The key of an object of a part. Users may name a namespace where the type has none. */
    private static ObjectKey keyOf(Part<?> part, ObjectKey key) {
        return part.type().namespaced() ? key : ObjectKey.cluster(key.name());
    }

    /** The values under which an object is found for a primary object: its owner's UID, or the mapped keys. */
    private <T extends KubernetesObject> Collection<String> related(Part<T> part, T object) {
        if (part.relation() instanceof Relation.Mapped<T> mapped) {
            return guarded(part.model(), "the mapping", object, mapped.keys()).stream().map(ObjectKey::toString)
                    .toList();
        }
        V1OwnerReference owner = OwnerReferences.controllerOf(object.getMetadata());
        return owner == null || owner.getUid() == null ? List.of() : List.of(owner.getUid());
    }

    /**
     * Calls an operator's function for an object. A failure, or null, is logged and counts as an empty result, so that
     * it does not break the cache.
     */
    private <T extends KubernetesObject, R> Collection<R> guarded(Class<?> model, String what, T object,
            Function<? super T, ? extends Collection<R>> function) {
        try {
            return List.copyOf(function.apply(object));
        } catch (Throwable e) {
            OutOfMemory.check(e);
            String sentence = declaration.name() + ": " + what + " of " + model.getSimpleName() + " failed for "
                    + ObjectKey.of(object) + ", which is left out: " + e;
            if (failed.add(what + model)) {
                log.error(sentence, e);
            } else {
                log.error(sentence);
            }
            return List.of();
        }
    }

    // ---- namespaces that come and go

    NamespaceSet namespaces() {
        return namespaces;
    }

    /**
     * Checks, before a write, that the caches have held the namespace of an object since the beginning of the sync.
     * Otherwise the sync may have taken objects for missing.
     *
     * @param then the namespaces at the beginning of the sync
     * @throws KubeApiException if they have not
     */
    void requireHeld(Map<String, Object> then, ResourceType type, ObjectKey object, Action.Write write) {
        String namespace = object.namespace();
        Object mark = then.get(namespace);
        boolean held = mark != null && mark.equals(namespaces.open().get(namespace));
        if (held || namespace.isEmpty() || informers.keySet().stream()
                .noneMatch(part -> part.type().equals(type) && declaration.follows(part))) {
            return;
        }
        if (mark == null && !type.equals(declaration.primary().type())) {
            throw new IllegalArgumentException(type.kind() + " " + object + " is in a namespace that "
                    + "setup.namespaces of the operator " + declaration.name() + " does not choose");
        }
        throw new KubeApiException(write.verb() + " " + write.type() + " " + write.target(), 409, "Conflict",
                "the namespace " + namespace + " has left the operator", null);
    }

    // ---- events

    /** The parts in the order of the declarations; the primary one comes first. */
    List<Part<?>> parts() {
        return List.copyOf(informers.keySet());
    }

    /**
     * Whether the operator's filter lets a change pass. A filter that throws does: one reconciliation too many does no
     * harm.
     *
     * @param ignored changes that do not pass
     */
    <T extends KubernetesObject> boolean passes(Part<T> part, Change<T> change, Predicate<Change<T>> ignored) {
        try {
            return !ignored.test(change) && part.filter().passes(change.before(), change.after());
        } catch (Throwable e) {
            OutOfMemory.check(e);
            if (failed.add("the filter" + part.model())) {
                log.error("{}: the filter of {} failed, so the change counts", declaration.name(),
                        part.model().getSimpleName(), e);
            }
            return true;
        }
    }

    /** The keys of the primary objects that an object concerns. */
    <T extends KubernetesObject> Collection<ObjectKey> keys(Part<T> part, T object) {
        return switch (part.role()) {
            case PRIMARY -> List.of(ObjectKey.of(object));
            case OWNED -> owner(object.getMetadata());
            case WATCHED -> part.relation() instanceof Relation.Read<T> read
                    ? guarded(part.model(), "the mapping", object, one -> read.keys().apply(one, view))
                    : related(part, object).stream().map(ObjectKey::parse).toList();
            case REFERENCED -> informer(declaration.primary()).getIndexer()
                    .byIndex(indexOf(part), ObjectKey.of(object).toString()).stream().map(ObjectKey::of).toList();
        };
    }

    /** The key of the primary object that is named as an object's controller; none if it has another one. */
    List<ObjectKey> owner(V1ObjectMeta meta) {
        ResourceType primary = declaration.primary().type();
        V1OwnerReference owner = OwnerReferences.controllerOf(meta);
        if (owner == null || !primary.kind().equals(owner.getKind())
                || !primary.group().equals(groupOf(owner.getApiVersion()))) {
            return List.of();
        }
        return List.of(new ObjectKey(primary.namespaced() ? String.valueOf(meta.getNamespace()) : "", owner.getName()));
    }

    private static String groupOf(String apiVersion) {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    // ---- reads

    @SuppressWarnings("unchecked")
    <T extends KubernetesObject> SharedIndexInformer<T> informer(Part<T> part) {
        SharedIndexInformer<? extends KubernetesObject> informer = informers.get(part);
        if (informer == null) {
            throw new IllegalStateException("no informer of " + part.type());
        }
        return (SharedIndexInformer<T>) informer;
    }

    @Nullable
    P primary(ObjectKey key) {
        return informer(declaration.primary()).get(key);
    }

    /** @throws IllegalArgumentException if the class was not declared */
    <T extends KubernetesObject> List<Part<T>> parts(Class<T> model) {
        return parts(part -> part.typed() && part.model() == model,
                () -> model.getSimpleName() + ".class");
    }

    /** @throws IllegalArgumentException if the type was not declared without a class */
    List<Part<Unstructured>> parts(ResourceType type) {
        return parts(part -> part.model() == (Class<?>) Unstructured.class && type.means(part.type()),
                () -> "the ResourceType of " + type);
    }

    /** @throws IllegalArgumentException if the type's metadata was not declared */
    List<Part<PartialObjectMetadata>> metadata(ResourceType type) {
        List<Part<PartialObjectMetadata>> found = find(part -> part.metadataOnly() && type.means(part.type()));
        if (found.isEmpty()) {
            throw new IllegalArgumentException("operator " + declaration.name() + " does not declare the metadata of "
                    + type + ": add setup.watchesMetadata in its setup");
        }
        return found;
    }

    /** The object of a cached one as the server has it; null if it is gone. The cached one, if that is whole. */
    @SuppressWarnings("unchecked")
    <T extends KubernetesObject> @Nullable T whole(Part<T> part, T cached) {
        WholeObjects<T> objects = (WholeObjects<T>) whole.get(part);
        return objects == null ? cached : objects.of(cached);
    }

    /** The object of a cached one as the operator is handed it; null if it is gone. */
    <T extends KubernetesObject> @Nullable T handed(Part<T> part, T cached) {
        return part.content().metadataOnly() ? whole(part, cached) : cached;
    }

    /** The object of one that the operator was handed as the server has it; the given one, if that is gone. */
    <T extends KubernetesObject> T untrimmed(Part<T> part, T handed) {
        return Objects.requireNonNullElse(part.content().metadataOnly() ? handed : whole(part, handed), handed);
    }

    private <T extends KubernetesObject> List<Part<T>> parts(Predicate<Part<?>> wanted,
            Supplier<String> name) {
        List<Part<T>> found = find(wanted);
        if (found.isEmpty()) {
            throw new IllegalArgumentException("operator %s does not declare %s: add setup.owns(%2$s) or "
                    .formatted(declaration.name(), name.get())
                    + "setup.watches(%s, …) in its setup".formatted(name.get()));
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    private <T extends KubernetesObject> List<Part<T>> find(Predicate<Part<?>> wanted) {
        List<Part<T>> found = new ArrayList<>();
        for (Part<?> part : informers.keySet()) {
            if (wanted.test(part)) {
                found.add((Part<T>) part);
            }
        }
        return found;
    }

    private <T extends KubernetesObject> List<T> indexed(List<Part<T>> parts, String index, String value,
            boolean wholes) {
        if (declaration.indexes().stream()
                .noneMatch(known -> known.name().equals(index) && known.model() == parts.getFirst().model())) {
            throw new IllegalArgumentException("operator " + declaration.name() + " has no index \"" + index + "\" of "
                    + parts.getFirst().model().getSimpleName() + ": add setup.index(\"" + index
                    + "\", …) in its setup");
        }
        return merged(parts, part -> informer(part).getIndexer().byIndex(indexOf(part, index), value), wholes);
    }

    /**
     * The objects that a primary object owns or names, and the objects that a mapping maps to it.
     *
     * @param wholes whether those of which only the metadata is cached are read
     */
    <T extends KubernetesObject> List<T> related(List<Part<T>> parts, KubernetesObject primary, boolean wholes) {
        return merged(parts, part -> switch (part.role()) {
            case PRIMARY -> List.of();
            case OWNED -> informer(part).getIndexer().byIndex(indexOf(part),
                    String.valueOf(primary.getMetadata().getUid()));
            case WATCHED -> {
                if (part.relation() instanceof Relation.Read) {
                    throw new IllegalArgumentException("operator " + declaration.name() + " maps "
                            + part.model().getSimpleName() + " by its caches, so it is not known which of them belong "
                            + "to one primary object: read them by the Context, or declare setup.references");
                }
                yield informer(part).getIndexer().byIndex(indexOf(part), ObjectKey.of(primary).toString());
            }
            case REFERENCED -> referenced(part, primary).stream().map(informer(part)::get).filter(Objects::nonNull)
                    .toList();
        }, wholes);
    }

    /** Reads the objects as the operator is handed them; not copies. */
    CacheReader reader() {
        return reader;
    }

    /** Reads the cached objects themselves, of which only a part may be cached. */
    CacheReader view() {
        return view;
    }

    /** Names the one who changed cached objects, in a test that looks for that. */
    void checkUnchanged(String who) {
        informers.values().forEach(informer -> informer.checkUnchanged(who));
    }

    private final class Reader implements CacheReader {
        private final boolean wholes;

        Reader(boolean wholes) {
            this.wholes = wholes;
        }

        @Override
        public <T extends KubernetesObject> Optional<T> get(Class<T> type, ObjectKey key) {
            return get(parts(type), key);
        }

        @Override
        public Optional<Unstructured> get(ResourceType type, ObjectKey key) {
            return get(parts(type), key);
        }

        private <T extends KubernetesObject> Optional<T> get(List<Part<T>> parts, ObjectKey key) {
            for (Part<T> part : parts) {
                T object = informer(part).get(keyOf(part, key));
                if (object != null) {
                    return Optional.ofNullable(wholes ? handed(part, object) : object);
                }
            }
            return Optional.empty();
        }

        @Override
        public <T extends KubernetesObject> List<T> list(Class<T> type, String namespace, LabelSelector labels) {
            return merged(parts(type), part -> informer(part).getIndexer()
                    .list(part.type().namespaced() ? namespace : "").stream()
                    .filter(object -> labels.matches(object.getMetadata().getLabels())).toList(), wholes);
        }

        @Override
        public <T extends KubernetesObject> List<T> indexed(Class<T> type, String index, String value) {
            return Caches.this.indexed(parts(type), index, value, wholes);
        }
    }

    /** The objects of several caches, each once, sorted by key. */
    private <T extends KubernetesObject> List<T> merged(List<Part<T>> parts, Function<Part<T>, List<T>> objects,
            boolean wholes) {
        Map<ObjectKey, T> all = new LinkedHashMap<>();
        List<T> found = List.of();
        for (Part<T> part : parts) {
            found = objects.apply(part);
            if (wholes && part.content().metadataOnly()) {
                found = found.stream().map(object -> handed(part, object)).filter(Objects::nonNull).toList();
            }
            if (parts.size() > 1) {
                found.forEach(object -> all.putIfAbsent(ObjectKey.of(object), object));
            }
        }
        return (parts.size() > 1 ? all.values() : found).stream().sorted(BY_KEY).toList();
    }
}
