package dev.wheelhouse.apiserver.resources;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The served resources: the built-in ones, which are fixed, and those of CustomResourceDefinitions, which change.
 *
 * <p>Safe for use by many threads. Readers see an immutable state, which follows the stored definitions.
 */
public final class ResourceRegistry {
    private static final Comparator<ResourceInfo> CUSTOM_ORDER = Comparator
            .comparing((ResourceInfo r) -> r.type().group())
            .thenComparing(r -> r.type().version(), KubeVersions.PREFERRED_FIRST)
            .thenComparing(r -> r.type().plural());

    private final List<ResourceInfo> builtIn;
    /** As {@code deployments.apps}. */
    private final Set<String> builtInNames;
    /** As {@code apps/v1}. */
    private final Set<String> builtInVersions;
    private final Set<String> builtInGroups;
    private volatile Supplier<Served> served;

    /** @param all the built-in resources, whose names no definition may have */
    private ResourceRegistry(List<ResourceInfo> all, RuntimeConfig config) {
        this.builtIn = all.stream().filter(r -> config.serves(r.type().group(), r.type().version(), r.type().plural()))
                .toList();
        this.builtInNames = all.stream().map(r -> r.type().groupResource()).collect(Collectors.toSet());
        this.builtInVersions = all.stream().map(r -> r.type().apiVersion()).collect(Collectors.toSet());
        this.builtInGroups = builtIn.stream().map(r -> r.type().group()).collect(Collectors.toSet());
        Served initial = with(List.of());
        this.served = () -> initial;
    }

    /** A registry with all built-in resources, in all versions. */
    public static ResourceRegistry builtIn() {
        return builtIn(RuntimeConfig.parse("api/all=true"));
    }

    /** A registry with the built-in resources that are switched on. */
    public static ResourceRegistry builtIn(RuntimeConfig config) {
        return new ResourceRegistry(List.copyOf(BuiltInResource.all()), config);
    }

    /**
     * Returns a resource; null if it is not served.
     *
     * @param group empty for the core group
     */
    public @Nullable ResourceInfo find(String group, String version, String plural) {
        return served.get().byKey.get(new Key(group, version, plural));
    }

    /**
     * Whether a resource is served, or others that are built in are in its group. The server has no answer of its own
     * about the resources of other groups, as upstream.
     */
    public boolean isKnown(String group, String version, String plural) {
        return builtInGroups.contains(group) || find(group, version, plural) != null;
    }

    /**
     * Returns the resource of a kind; null if it is not served.
     *
     * @param apiVersion {@code apps/v1}
     */
    public @Nullable ResourceInfo findKind(String apiVersion, String kind) {
        return served.get().byKind.get(apiVersion + " " + kind);
    }

    /**
     * All resources. Built-in ones come first, in the order of discovery. Custom ones follow by group, version and
     * name; preferred versions come first.
     */
    public List<ResourceInfo> all() {
        return served.get().ordered;
    }

    /**
     * Whether a built-in resource has the name, in any version.
     *
     * @param groupResource {@code deployments.apps}
     */
    boolean isBuiltIn(String groupResource) {
        return builtInNames.contains(groupResource);
    }

    /**
     * Whether the group version has built-in resources.
     *
     * @param apiVersion {@code apps/v1}
     */
    boolean isBuiltInVersion(String apiVersion) {
        return builtInVersions.contains(apiVersion);
    }

    /** The built-in resources and some custom ones; none of these has the name of a built-in one. */
    public Served with(List<? extends ResourceInfo> custom) {
        return new Served(builtIn, custom);
    }

    /**
     * Serves custom resources as well.
     *
     * @param source returns the same instance until what is served changes
     */
    public void follow(Supplier<Served> source) {
        served = source;
    }

    /** A value that is made of the served resources, and made again when these have changed. */
    public <T> Supplier<T> derived(Function<List<ResourceInfo>, T> maker) {
        return derived(() -> "", (served, nothing) -> maker.apply(served));
    }

    /** The same of a further value. @param other returns the same instance until the value changes */
    public <A, T> Supplier<T> derived(Supplier<A> other, BiFunction<List<ResourceInfo>, A, T> maker) {
        AtomicReference<@Nullable Derived<A, T>> last = new AtomicReference<>();
        return () -> {
            List<ResourceInfo> now = all();
            A also = other.get();
            Derived<A, T> present = last.get();
            if (present == null || present.from != now || present.also != also) {
                present = new Derived<>(now, also, maker.apply(now, also));
                last.set(present);
            }
            return present.value;
        };
    }

    private record Derived<A, T>(List<ResourceInfo> from, A also, T value) {}

    private record Key(String group, String version, String plural) {
        static Key of(ResourceInfo r) {
            return new Key(r.type().group(), r.type().version(), r.type().plural());
        }
    }

    /** The resources that are served at one moment. Immutable. */
    public static final class Served {
        private final Map<Key, ResourceInfo> byKey = new LinkedHashMap<>();
        private final Map<String, ResourceInfo> byKind = new LinkedHashMap<>();
        private final List<ResourceInfo> ordered;

        private Served(List<ResourceInfo> builtIn, List<? extends ResourceInfo> custom) {
            ordered = Stream.concat(builtIn.stream(), custom.stream().sorted(CUSTOM_ORDER)).toList();
            ordered.forEach(r -> {
                byKey.put(Key.of(r), r);
                byKind.putIfAbsent(r.type().apiVersion() + " " + r.type().kind(), r);
            });
        }
    }
}
