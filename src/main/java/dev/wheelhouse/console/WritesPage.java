package dev.wheelhouse.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
     * The newest writes, newest first.
     *
     * @param controller the name of a controller; empty for all
     * @param object a part of a key or of the name of a written object; empty for all
     * @param before only writes with a smaller number
     * @param mayGet whether the caller may read the objects of a type in a namespace; others are hidden
     */
    public static Map<String, Object> find(Journal journal, String controller, String object, long before, int limit,
            BiPredicate<ResourceType, String> mayGet) {
        Predicate<Journal.Entry> wanted = entry -> (controller.isEmpty()
                || entry.sync().controller().equals(controller))
                && (object.isEmpty() || concerns(entry, object, mayGet))
                && mayGet.test(entry.type(), entry.target().namespace());
        List<Map<String, Object>> writes = journal.find(wanted, before, Math.clamp(limit, 1, MOST)).stream()
                .map(entry -> shown(entry, mayGet)).toList();
        return Map.of("journal", journal.state(), "writes", writes);
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
