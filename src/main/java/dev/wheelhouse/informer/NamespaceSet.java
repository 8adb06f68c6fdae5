package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The namespaces of one user's informers, which may change while these run. A namespace comes in two steps: its lists
 * and watches begin; when every informer holds what the server has, its objects appear in all of them, the informers
 * that were made first last. It leaves at once, in the order in which the informers were made. So whoever sees an
 * object in the first informer sees everything else in its namespace, too. One thread at a time may change the set; any
 * thread may ask.
 */
public final class NamespaceSet {
    /** The most namespaces that open at the same time: each needs a list and a watch of every type. */
    static final int MOST_OPENING = 10;

    private final List<NamespacesInformer<?>> informers = new ArrayList<>();
    /** The informers that each namespace still waits for. */
    private final Map<String, Set<NamespacesInformer<?>>> opening = new ConcurrentHashMap<>();
    private volatile Map<String, Object> open = Map.of();
    private volatile boolean complete = true;

    /** A set that is empty, for now. */
    public NamespaceSet() {}

    /** The set of these namespaces. Informers that are made with it wait for all that the server does not forbid. */
    public static NamespaceSet of(Set<String> names) {
        NamespaceSet set = new NamespaceSet();
        Map<String, Object> all = new HashMap<>();
        names.forEach(name -> all.put(name, new Object()));
        set.open = all;
        return set;
    }

    /**
     * The namespaces that all informers hold, each with a mark. A namespace that left and came back has another one.
     */
    public Map<String, Object> open() {
        return open;
    }

    /** The namespaces that are not open yet, except those that the server forbids. */
    public Set<String> opening() {
        Set<String> names = new TreeSet<>();
        opening.forEach((name, waiting) -> {
            if (waiting.stream().noneMatch(informer -> informer.isForbidden(name))) {
                names.add(name);
            }
        });
        return names;
    }

    /** Whether every namespace of the last change is open or opening; the others wait for room. */
    public boolean isComplete() {
        return complete;
    }

    void attach(NamespacesInformer<?> informer) {
        informers.add(informer);
        open.keySet().stream().sorted().forEach(name -> {
            informer.stage(name);
            informer.open(name);
        });
    }

    /**
     * Closes the namespaces that are not among these, begins with those that are new, and opens those of which every
     * informer is fresh. The informers' owner starts those that were made.
     *
     * @param since the time of the clock of which the caches of a new namespace must at least be
     * @param ready called when another call may open a namespace; must not block
     * @return whether a namespace came or left, or is about to come
     */
    public boolean change(Collection<String> names, long since, Runnable ready) {
        boolean changed = false;
        for (String name : List.copyOf(open.keySet())) {
            if (!names.contains(name)) {
                mark(name, false);
                informers.forEach(informer -> informer.drop(name));
                changed = true;
            }
        }
        for (String name : List.copyOf(opening.keySet())) {
            Set<NamespacesInformer<?>> waiting = opening.getOrDefault(name, Set.of());
            if (!names.contains(name)) {
                opening.remove(name);
                informers.forEach(informer -> informer.drop(name));
            } else if (waiting.isEmpty()) {
                opening.remove(name);
                informers.reversed().forEach(informer -> informer.open(name));
                mark(name, true);
                changed = true;
            }
        }
        int room = MOST_OPENING - opening().size();
        complete = true;
        for (String name : new TreeSet<>(names)) {
            if (!open.containsKey(name) && !opening.containsKey(name)) {
                if (room-- <= 0) {
                    complete = false;
                    break;
                }
                Set<NamespacesInformer<?>> waiting = ConcurrentHashMap.newKeySet();
                waiting.addAll(informers);
                opening.put(name, waiting);
                informers.forEach(informer -> informer.stage(name).whenFresh(since, () -> {
                    waiting.remove(informer);
                    ready.run();
                }));
                changed = true;
            }
        }
        return changed;
    }

    private void mark(String name, boolean isOpen) {
        Map<String, Object> next = new TreeMap<>(open);
        if (isOpen) {
            next.put(name, new Object());
        } else {
            next.remove(name);
        }
        open = next;
    }
}
