package dev.wheelhouse.console;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.journal.Cause;
import dev.wheelhouse.journal.Journal;

/** Shows the writes of the journal, each with the chain of its causes. */
public final class WritesPage {
    /** The most writes of one answer. */
    public static final int MOST = 500;

    private WritesPage() {}

    /**
     * The writes that are wanted.
     *
     * @param controller the name of a controller; empty for all
     * @param object a part of a key or of the name of a written object; empty for all
     * @param verb the beginning of a verb, such as {@code update}, of which {@code update_status} is one; empty for all
     * @param failed only those without success
     * @param from only those since then
     */
    public record Filter(String controller, String object, String verb, boolean failed, Instant from) {
        private boolean accepts(Journal.Entry entry, BiPredicate<ResourceType, String> mayGet) {
            return (controller.isEmpty() || entry.sync().controller().equals(controller))
                    && (object.isEmpty() || concerns(entry, object, mayGet))
                    && (verb.isEmpty() || entry.verb().startsWith(verb)) && (!failed || hasFailed(entry))
                    && !entry.sent().isBefore(from);
        }
    }

    /**
     * The newest writes, newest first. The Events of a sync are shown with its last other write.
     *
     * @param before only writes with a smaller number
     * @param mayGet whether the caller may read the objects of a type in a namespace; others are hidden
     */
    public static Map<String, Object> find(Journal journal, Filter filter, long before, int limit,
            BiPredicate<ResourceType, String> mayGet) {
        return Map.of("journal", journal.state(), "writes",
                folded(journal, entry -> filter.accepts(entry, mayGet), before, Math.clamp(limit, 1, MOST), mayGet));
    }

    private static boolean hasFailed(Journal.Entry entry) {
        return entry.code() >= 400 || entry.code() == 0;
    }

    /**
     * The writes that match and that the caller may read, newest first, without Events that are shown with another
     * write of their sync.
     */
    static List<Map<String, Object>> folded(Journal journal, Predicate<Journal.Entry> matches, long before, int limit,
            BiPredicate<ResourceType, String> asked) {
        Map<ResourceType, Map<String, Boolean>> known = new HashMap<>();
        BiPredicate<ResourceType, String> mayGet = (type, namespace) -> known
                .computeIfAbsent(type, t -> new HashMap<>()).computeIfAbsent(namespace, n -> asked.test(type, n));
        Map<Journal.Sync, Long> lasts = new IdentityHashMap<>();
        Map<Journal.Sync, List<Journal.Entry>> events = new IdentityHashMap<>();
        for (Journal.Entry entry : journal.find(entry -> true, Long.MAX_VALUE, Integer.MAX_VALUE)) {
            if (!mayGet.test(entry.type(), entry.target().namespace())) {
                continue;
            }
            if (!entry.type().equals(ResourceType.EVENTS)) {
                lasts.putIfAbsent(entry.sync(), entry.number());
            } else if (!hasFailed(entry)) {
                events.computeIfAbsent(entry.sync(), sync -> new ArrayList<>()).add(entry);
            }
        }
        return journal.find(entry -> mayGet.test(entry.type(), entry.target().namespace()) && matches.test(entry)
                && (hasFailed(entry) || !lasts.containsKey(entry.sync())
                        || !entry.type().equals(ResourceType.EVENTS)),
                before, limit).stream().map(entry -> {
                    Map<String, Object> write = shown(entry, mayGet);
                    write.put("events", Objects.equals(lasts.get(entry.sync()), entry.number())
                            ? events.getOrDefault(entry.sync(), List.of()).stream().map(Journal.Entry::why).toList()
                            : List.of());
                    return write;
                }).toList();
    }

    private static boolean concerns(Journal.Entry entry, String object, BiPredicate<ResourceType, String> mayGet) {
        Cause cause = entry.sync().origin().cause();
        return entry.target().toString().contains(object) || entry.sync().key().contains(object)
                || (cause.type() != null && (cause.namespace() + "/" + cause.name()).contains(object)
                        && mayGet.test(cause.type(), cause.namespace()));
    }

    /** One write and its causes, in the order of the chain. */
    static Map<String, Object> shown(Journal.Entry entry, BiPredicate<ResourceType, String> mayGet) {
        Cause cause = entry.sync().origin().cause();
        Map<String, Object> write = new LinkedHashMap<>();
        write.put("number", entry.number());
        write.put("at", entry.sent().toString());
        write.put("controller", entry.sync().controller());
        write.put("event", cause.type() == null || mayGet.test(cause.type(), cause.namespace())
                ? cause.toString()
                : cause.what() + " of an object of " + cause.type() + " that you may not read");
        write.put("furtherEvents", entry.sync().origin().further());
        write.put("key", entry.sync().key());
        write.put("waitedMillis", entry.sync().origin().waitedNanos() / 1e6);
        write.put("began", entry.sync().began().toString());
        write.put("why", entry.why());
        write.put("verb", entry.verb());
        write.put("resource", entry.type().groupResource());
        write.put("namespace", entry.target().namespace());
        write.put("name", entry.target().name());
        write.put("code", entry.code());
        write.put("answer", entry.answer());
        write.put("tookMillis", entry.nanos() / 1e6);
        return write;
    }
}
