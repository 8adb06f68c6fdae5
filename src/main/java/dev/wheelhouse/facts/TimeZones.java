package dev.wheelhouse.facts;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRulesProvider;
import java.util.Map;

/** Time zones by the names of the IANA database, as Go's {@code time.LoadLocation} knows them. */
public final class TimeZones {
    /** The names that the JDK's copy of the database leaves out. */
    private static final Map<String, ZoneId> OLD_NAMES = Map.of("", ZoneOffset.UTC, "EST", ZoneOffset.ofHours(-5),
            "MST", ZoneOffset.ofHours(-7), "HST", ZoneOffset.ofHours(-10), "GMT+0", ZoneOffset.UTC, "GMT-0",
            ZoneOffset.UTC, "Factory", ZoneOffset.UTC, "ROC", ZoneId.of("Asia/Taipei"));

    private TimeZones() {}

    /**
     * The zone of a name. {@code Local} is the zone of this process; the empty name is UTC.
     *
     * @throws IllegalArgumentException if there is no zone of that name; the message is Go's
     */
    public static ZoneId load(String name) {
        ZoneId old = OLD_NAMES.get(name);
        if (old != null) {
            return old;
        }
        if (name.equals("Local")) {
            return ZoneId.systemDefault();
        }
        if (name.contains("..") || name.startsWith("/") || name.startsWith("\\")) {
            throw new IllegalArgumentException("time: invalid location name");
        }
        // ZoneId.of alone also accepts offsets such as +02:00.
        if (name.startsWith("SystemV/") || !ZoneRulesProvider.getAvailableZoneIds().contains(name)) {
            throw new IllegalArgumentException("unknown time zone " + name);
        }
        return ZoneId.of(name);
    }
}
