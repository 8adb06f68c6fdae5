package dev.wheelhouse.manager;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Resources;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

/** Every built-in controller beside one cluster, on one thread. */
final class AllControllers {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    final Cluster cluster;
    private final Map<String, Controller> controllers = new LinkedHashMap<>();

    AllControllers(Cluster cluster, ControllerContext context) {
        this.cluster = cluster;
        for (ControllerDescriptor descriptor : BuiltInControllers.all()) {
            controllers.put(descriptor.name(), descriptor.factory().apply(context));
        }
    }

    /**
     * Stores the objects of a file as they are, without the checks of a server.
     *
     * @param change replaces the variables in the file's text
     * @return the objects in the file's order
     */
    @CanIgnoreReturnValue
    List<Unstructured> store(String file, UnaryOperator<String> change) {
        String text = Resources.text(AllControllers.class, "/controllers/" + file);
        List<Unstructured> objects = Stream.of(change.apply(text).split("(?m)^---$"))
                .map(document -> Yaml.read(document, Unstructured.class)).toList();
        objects.forEach(object -> cluster.store(type(object), object));
        return objects;
    }

    /** The type of an object, by its version and kind. */
    static ResourceType type(Unstructured object) {
        return BuiltInResource.all().stream().map(BuiltInResource::type)
                .filter(type -> type.apiVersion().equals(object.getApiVersion())
                        && type.kind().equals(object.getKind()))
                .findFirst().orElseThrow();
    }

    private List<Loop> loops() {
        return controllers.values().stream().flatMap(controller -> controller.loops().stream()).toList();
    }

    void settle() {
        cluster.settle(loops(), PATIENCE);
    }

    /** The errors of all keys whose last sync failed, by controller and key. */
    Map<String, String> failures() {
        Map<String, String> failures = new TreeMap<>();
        controllers.forEach((name, controller) -> controller.loops().forEach(loop -> {
            if (loop instanceof Worker<?> worker) {
                worker.outage().failing(100)
                        .forEach(key -> failures.put(name + " " + key.key(), String.valueOf(key)));
            }
        }));
        return failures;
    }

    /**
     * The number of entries of each collection that a controller keeps, by the controller and the path of fields.
     * Caches, which hold what the cluster has, do not count.
     */
    Map<String, Integer> kept() {
        Map<String, Integer> sizes = new TreeMap<>();
        controllers.forEach((name, controller) -> new Walk(sizes).visit(name, controller, 0));
        return sizes;
    }

    /** A walk over all objects of this project that an object refers to. */
    private static final class Walk {
        private static final int DEEPEST = 60;
        private static final List<String> SHARED = List.of("dev.wheelhouse.informer.", "dev.wheelhouse.client.",
                "dev.wheelhouse.apiserver.", "dev.wheelhouse.world.", "dev.wheelhouse.runtime.",
                "dev.wheelhouse.journal.", "dev.wheelhouse.facts.", "dev.wheelhouse.api.", "dev.wheelhouse.testing.",
                "dev.wheelhouse.controller.ControllerContext");
        private final Map<String, Integer> sizes;
        private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

        Walk(Map<String, Integer> sizes) {
            this.sizes = sizes;
        }

        void visit(String path, @Nullable Object object, int depth) {
            if (object == null || depth > DEEPEST || object instanceof Class<?> || object instanceof Enum<?>
                    || !seen.add(object)) {
                return;
            }
            switch (object) {
                case Map<?, ?> map -> {
                    count(path, map.size());
                    for (Map.Entry<?, ?> entry : new ArrayList<>(map.entrySet())) {
                        visit(path + "{}", entry.getKey(), depth + 1);
                        visit(path + "{}", entry.getValue(), depth + 1);
                    }
                }
                case Collection<?> collection -> {
                    count(path, collection.size());
                    new ArrayList<>(collection).forEach(each -> visit(path + "[]", each, depth + 1));
                }
                case BitSet bits -> count(path, bits.cardinality());
                default -> {
                    if (object.getClass().isArray()) {
                        visitArray(path, object, depth);
                    } else if (isOurs(object.getClass())) {
                        visitFields(path, object, depth);
                    }
                }
            }
        }

        private void visitArray(String path, Object array, int depth) {
            if (!array.getClass().getComponentType().isPrimitive()) {
                List<Object> elements = new ArrayList<>();
                for (int i = 0; i < Array.getLength(array); i++) {
                    if (Array.get(array, i) != null) {
                        elements.add(Array.get(array, i));
                    }
                }
                visit(path, elements, depth);
            }
        }

        private void visitFields(String path, Object object, int depth) {
            for (Class<?> type = object.getClass(); isOurs(type); type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                        field.setAccessible(true);
                        try {
                            visit(path + "." + field.getName(), field.get(object), depth + 1);
                        } catch (IllegalAccessException e) {
                            throw new AssertionError(e);
                        }
                    }
                }
            }
        }

        private void count(String path, int size) {
            sizes.merge(path, size, Integer::sum);
        }

        private static boolean isOurs(Class<?> type) {
            return type.getName().startsWith("dev.wheelhouse.")
                    && SHARED.stream().noneMatch(type.getName()::startsWith);
        }
    }
}
