package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;
import dev.wheelhouse.workqueue.RateLimits;

/** Collects an operator's declarations and checks each. */
final class DeclaringSetup<P extends KubernetesObject> implements Setup<P> {
    private final Class<?> operator;
    private @Nullable String name;
    private @Nullable String fieldManager;
    private Part<P> primary;
    private final List<Part<?>> others = new ArrayList<>();
    private final List<Declaration.Index<?>> indexes = new ArrayList<>();
    private Declaration.@Nullable Finalizer<P> finalizer;
    private @Nullable Integer workers;
    private RateLimits rateLimits = RateLimits.CONTROLLER;
    private @Nullable Duration timeout;
    private Duration resync = Duration.ZERO;
    private final List<ExternalSource> sources = new ArrayList<>();
    private @Nullable String errorCondition;
    private CrdPolicy crd = CrdPolicy.WAIT;
    private final List<Declaration.Permission> permissions = new ArrayList<>();

    DeclaringSetup(Operator<P> operator) {
        this.operator = withoutProxies(operator.getClass());
        Class<P> model = ResourceTypes.primary(this.operator);
        primary = new Limits<>(Role.PRIMARY, typeOf(model), model, null).part();
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
        String called = name != null ? name : defaultName();
        for (Declaration.Index<?> index : indexes) {
            require(index.model() == primary.model()
                    || others.stream().anyMatch(part -> part.model() == index.model()),
                    "the index %s is of %s, which is not declared: add setup.owns or setup.watches of the class",
                    index.name(), index.model().getSimpleName());
        }
        return new Declaration<>(called, fieldManager != null ? fieldManager : called, primary, List.copyOf(others),
                List.copyOf(indexes), finalizer, workers, rateLimits, timeout, resync, List.copyOf(sources),
                errorCondition, crd, List.copyOf(permissions));
    }

    private String defaultName() {
        require(!operator.getSimpleName().isEmpty(), "a class without a name needs setup.name(…)");
        return operator.getSimpleName().replaceAll("([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", "$1$3-$2$4")
                .replace('_', '-').toLowerCase(Locale.ROOT);
    }

    private void require(boolean holds, String problem, Object... values) {
        if (!holds) {
            throw refused(problem.formatted(values), null);
        }
    }

    private IllegalArgumentException refused(String problem, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "operator " + (name != null ? name : operator.getName()) + ": " + problem, cause);
    }

    /** Runs a check of another class, and names the operator in its message. */
    private <R> R checked(Supplier<R> check) {
        try {
            return check.get();
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()), e);
        }
    }

    private ResourceType typeOf(Class<?> model) {
        return checked(() -> ResourceTypes.of(model));
    }

    @Override
    public Setup<P> name(String value) {
        require(value.length() <= 63 && Names.isSubdomain(value),
                "the name \"%s\" is not of at most 63 lower-case letters, digits, - and .", value);
        name = value;
        return this;
    }

    @Override
    public Setup<P> fieldManager(String value) {
        require(!value.isBlank() && value.length() <= 128, "the field manager \"%s\" is not of 1 to 128 characters",
                value);
        fieldManager = value;
        return this;
    }

    @Override
    public Setup<P> primary(Consumer<Watched<P>> limits) {
        primary = part(Role.PRIMARY, primary.type(), primary.model(), null, limits);
        return this;
    }

    @Override
    public <T extends KubernetesObject> Setup<P> owns(Class<T> type, Consumer<Watched<T>> limits) {
        return add(Role.OWNED, typeOf(type), type, null, limits);
    }

    @Override
    public Setup<P> owns(ResourceType type, Consumer<Watched<Unstructured>> limits) {
        return add(Role.OWNED, type, Unstructured.class, null, limits);
    }

    @Override
    public <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            Function<? super T, ? extends Collection<ObjectKey>> mapping, Consumer<Watched<T>> limits) {
        return add(Role.WATCHED, typeOf(type), type, mapping, limits);
    }

    @Override
    public Setup<P> watches(ResourceType type, Function<? super Unstructured, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<Unstructured>> limits) {
        return add(Role.WATCHED, type, Unstructured.class, mapping, limits);
    }

    @Override
    public Setup<P> watchesMetadata(ResourceType type,
            Function<? super PartialObjectMetadata, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<PartialObjectMetadata>> limits) {
        return add(Role.WATCHED, type, PartialObjectMetadata.class, mapping, limits);
    }

    private <T extends KubernetesObject> Setup<P> add(Role role, ResourceType type, Class<T> model,
            @Nullable Function<? super T, ? extends Collection<ObjectKey>> mapping, Consumer<Watched<T>> limits) {
        for (Part<?> other : others) {
            require(other.role() != role || other.model() != model || !other.type().equals(type),
                    "%s is declared twice as %s: make it one declaration", type, role.name().toLowerCase(Locale.ROOT));
        }
        require(role != Role.OWNED || type.namespaced() || !primary.type().namespaced(),
                "%s, which has a namespace, cannot own %s, which has none: the garbage collector would delete them. "
                        + "Use setup.watches, and delete them in a clean-up (setup.finalizer)",
                primary.type().kind(), type);
        others.add(part(role, type, model, mapping, limits));
        return this;
    }

    private <T extends KubernetesObject> Part<T> part(Role role, ResourceType type, Class<T> model,
            @Nullable Function<? super T, ? extends Collection<ObjectKey>> mapping, Consumer<Watched<T>> limits) {
        Limits<T> collected = new Limits<>(role, type, model, mapping);
        limits.accept(collected);
        return collected.part();
    }

    @Override
    public <T extends KubernetesObject> Setup<P> index(String called, Class<T> type,
            Function<? super T, ? extends Collection<String>> values) {
        require(indexes.stream().noneMatch(index -> index.name().equals(called)), "the index %s is declared twice",
                called);
        indexes.add(new Declaration.Index<>(called, type, values));
        return this;
    }

    @Override
    public Setup<P> finalizer(String called, Cleanup<P> cleanup) {
        require(called.contains("/") && Names.isLabelKey(called),
                "the finalizer \"%s\" is not a qualified name, such as example.com/website", called);
        finalizer = new Declaration.Finalizer<>(called, cleanup);
        return this;
    }

    @Override
    public Setup<P> workers(int count) {
        require(count > 0, "%d workers: need at least 1", count);
        workers = count;
        return this;
    }

    @Override
    public Setup<P> rateLimits(Duration shortest, Duration longest) {
        rateLimits = checked(() -> new RateLimits(shortest, longest, RateLimits.CONTROLLER.perSecond(),
                RateLimits.CONTROLLER.burst()));
        return this;
    }

    @Override
    public Setup<P> timeout(Duration value) {
        require(value.isPositive(), "the timeout %s is not positive", value);
        timeout = value;
        return this;
    }

    @Override
    public Setup<P> resync(Duration period) {
        require(period.isPositive(), "the resync period %s is not positive", period);
        resync = period;
        return this;
    }

    @Override
    public Setup<P> source(ExternalSource source) {
        sources.add(source);
        return this;
    }

    @Override
    public Setup<P> errorCondition(String type) {
        require(ResourceTypes.hasStatusSubresource(primary.model()),
                "the error condition %s needs a status, and %s has none", type, primary.type().kind());
        errorCondition = type;
        return this;
    }

    @Override
    public Setup<P> crd(CrdPolicy policy) {
        require(policy == CrdPolicy.WAIT || primary.model().isAnnotationPresent(ResourceDefinition.class),
                "the policy %s is for a class with @ResourceDefinition, and %s is built in", policy,
                primary.type().kind());
        crd = policy;
        return this;
    }

    @Override
    public Setup<P> permission(ResourceType type, String... verbs) {
        require(verbs.length > 0, "the permission for %s names no verb", type);
        permissions.add(new Declaration.Permission(type, List.of(verbs)));
        return this;
    }

    private final class Limits<T extends KubernetesObject> implements Watched<T> {
        private final Role role;
        private final ResourceType type;
        private final Class<T> model;
        private final @Nullable Function<? super T, ? extends Collection<ObjectKey>> mapping;
        private final Set<String> namespaces = new LinkedHashSet<>();
        private LabelSelector labels = LabelSelector.everything();
        private FieldSelector fields = FieldSelector.everything();
        private ChangeFilter<T> filter = (before, after) -> true;

        Limits(Role role, ResourceType type, Class<T> model,
                @Nullable Function<? super T, ? extends Collection<ObjectKey>> mapping) {
            this.role = role;
            this.type = type;
            this.model = model;
            this.mapping = mapping;
        }

        @Override
        public Watched<T> namespaces(String... names) {
            require(type.namespaced(), "%s have no namespaces", type);
            require(names.length > 0 && Arrays.stream(names).noneMatch(String::isBlank),
                    "%s are limited to no namespace, or to one without a name", type);
            namespaces.addAll(List.of(names));
            return this;
        }

        @Override
        public Watched<T> labels(String selector) {
            labels = checked(() -> LabelSelector.parse(selector));
            return this;
        }

        @Override
        public Watched<T> fields(String selector) {
            fields = checked(() -> FieldSelector.parse(selector));
            return this;
        }

        @Override
        public Watched<T> when(ChangeFilter<T> further) {
            filter = filter.and(further);
            return this;
        }

        Part<T> part() {
            return new Part<>(role, type, model, mapping, Set.copyOf(namespaces), labels, fields, filter);
        }
    }
}
