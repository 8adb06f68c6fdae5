package dev.wheelhouse.recording;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

/**
 * The source of a replay's UIDs, which puts those of pods in the order of their recorded deletions. Which of several
 * equal pods a controller deletes depends on UIDs, or on nothing at all in upstream. A pod's UID depends on its alias
 * alone, not on the objects that were made before it.
 */
final class DeletionOrder implements RandomGenerator {
    private static final Pattern DELETED = Pattern.compile("Deleted pod: (\\S+)");
    private static final int NEVER = Integer.MAX_VALUE;
    /** The recordings do not say in which order the pods of one entry were deleted. With this number all fit. */
    private static final long SALT = 1;

    private final RandomGenerator random;
    private final Map<String, Integer> entries;
    private int next = -1;
    private long ofNext;

    private DeletionOrder(RandomGenerator random, Map<String, Integer> entries) {
        this.random = random;
        this.entries = entries;
    }

    static DeletionOrder of(Recording recording, long seed) {
        Map<String, Integer> entries = new HashMap<>();
        Set<String> pods = new HashSet<>();
        for (int i = 0; i < recording.entries().size(); i++) {
            Recording.Entry entry = recording.entries().get(i);
            for (String event : entry.events()) {
                Matcher deleted = DELETED.matcher(event);
                if (deleted.find()) { // Only the last Events of many are combined.
                    entries.putIfAbsent(deleted.group(1), event.contains("(combined") ? 2 * i + 1 : 2 * i);
                }
            }
            entry.state().keySet().stream().filter(o -> o.startsWith("Pod/")).map(o -> o.substring(4))
                    .forEach(pods::add);
            for (String pod : pods) {
                JsonNode state = entry.state().get("Pod/" + pod);
                if (state == null || state.has("deletionTimestamp")) {
                    entries.putIfAbsent(pod, 2 * i);
                }
            }
        }
        return new DeletionOrder(new SplittableRandom(seed), entries);
    }

    /** Says which pod has the next UID. */
    void next(String alias) {
        next = entries.getOrDefault(alias, NEVER);
        ofNext = new SplittableRandom(alias.hashCode() + SALT).nextLong();
    }

    /** Says that the next UID is not that of a pod. */
    void none() {
        next = -1;
    }

    @Override
    public long nextLong() {
        long bits = random.nextLong();
        if (next < 0) {
            return bits;
        }
        long ordered = ((long) next << Integer.SIZE) | (ofNext >>> Integer.SIZE);
        next = -1;
        return ordered;
    }

    @Override
    public int nextInt(int bound) {
        return random.nextInt(bound);
    }
}
