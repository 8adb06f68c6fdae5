package dev.wheelhouse.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Empty collections that can be changed, for copies. The copy of a collection has the collection's own class, if this
 * has a public constructor without parameters. Else, as for the collections of {@code List.of}, it has the usual class
 * of the collection's interface.
 */
final class ModelCollections {
    private static final ClassValue<Maker> MAKERS = new ClassValue<>() {
        @Override
        protected Maker computeValue(Class<?> type) {
            return new Maker(type);
        }
    };

    private ModelCollections() {}

    /** A constructor that need not be there. */
    private static final class Maker {
        private final @Nullable Constructor<?> constructor;

        Maker(Class<?> type) {
            Constructor<?> found = null;
            try {
                found = type.getDeclaredConstructor();
                if (type.getName().startsWith("java.")
                        ? !Modifier.isPublic(type.getModifiers()) || !Modifier.isPublic(found.getModifiers())
                        : !found.trySetAccessible()) {
                    found = null;
                }
            } catch (NoSuchMethodException | InaccessibleObjectException e) {
                found = null;
            }
            constructor = found;
        }

        @SuppressWarnings("unchecked")
        <C> C make(Supplier<C> usual) {
            try {
                return constructor == null ? usual.get() : (C) constructor.newInstance();
            } catch (ReflectiveOperationException e) {
                return usual.get();
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Map<Object, @Nullable Object> emptyLike(Map<?, ?> map) {
        return (Map<Object, @Nullable Object>) switch (map) {
            case EnumMap enums -> {
                EnumMap copy = enums.clone();
                copy.clear();
                yield copy;
            }
            case TreeMap sorted when map.getClass() == TreeMap.class -> new TreeMap(sorted.comparator());
            default -> MAKERS.get(map.getClass()).<Map>make(() -> switch (map) {
                case SortedMap sorted -> new TreeMap(sorted.comparator());
                case ConcurrentMap concurrent -> new ConcurrentHashMap();
                default -> LinkedHashMap.newLinkedHashMap(map.size());
            });
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static Collection<@Nullable Object> emptyLike(Collection<?> collection) {
        return (Collection<@Nullable Object>) switch (collection) {
            case ArrayList list when collection.getClass() == ArrayList.class -> new ArrayList<>(list.size());
            case EnumSet enums -> {
                EnumSet copy = enums.clone();
                copy.clear();
                yield copy;
            }
            case TreeSet sorted when collection.getClass() == TreeSet.class -> new TreeSet(sorted.comparator());
            default -> MAKERS.get(collection.getClass()).<Collection>make(() -> switch (collection) {
                case List list -> new ArrayList<>(list.size());
                case SortedSet sorted -> new TreeSet(sorted.comparator());
                case Set set -> LinkedHashSet.newLinkedHashSet(set.size());
                case Queue queue -> new ArrayDeque<>();
                default -> new ArrayList<>(collection.size());
            });
        };
    }
}
