package dev.wheelhouse.health;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.OneLine;

/**
 * How well an object is, by its own spec and status. What kubectl prints is upstream's, and is not made of it.
 *
 * @param text a few words, such as {@code 3/3 ready} or {@code CrashLoopBackOff}; empty if the type has no state
 * @param cause a sentence that says what is wrong, or for what the object waits; empty if that is not known
 * @param since the time from which it is so; null if the object does not tell
 */
public record Health(Level level, String text, String cause, @Nullable Instant since) {
    private static final int LONGEST = 1000;

    /** Bounds what objects say of themselves. */
    public Health {
        text = OneLine.of(text, LONGEST);
        cause = OneLine.of(cause, LONGEST);
    }

    /** How well an object is, in Argo CD's words; the worst level comes first. */
    public enum Level {
        /** Something is wrong that does not pass by waiting. */
        DEGRADED,
        /** Its state cannot be told, such as that of a node that is silent. */
        UNKNOWN,
        /** It is on its way to what is wanted. */
        PROGRESSING,
        /** It is halted by somebody's wish: paused, suspended, cordoned. */
        SUSPENDED, HEALTHY
    }

    public static final Comparator<Health> WORST_FIRST = Comparator.comparing(Health::level);

    /** The health of a cached object. Of an object whose metadata alone is known, it only tells a deletion. */
    public static Health of(KubernetesObject object) {
        return object instanceof PartialObjectMetadata && object.getMetadata().getDeletionTimestamp() == null
                ? healthy("")
                : of(ModelJson.tree(object));
    }

    /**
     * The health of an object.
     *
     * @param object in JSON, with {@code apiVersion} and {@code kind}. Any part may be missing or have another form
     */
    public static Health of(JsonNode object) {
        return new HealthRules(object).health();
    }

    public boolean isWell() {
        return level == Level.HEALTHY || level == Level.SUSPENDED;
    }

    /** A time of an object; null if there is none that can be read: objects of custom types may hold any text. */
    public static @Nullable Instant time(JsonNode object, String field) {
        try {
            return OffsetDateTime.parse(object.path(field).asString("")).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    static Health healthy(String text) {
        return new Health(Level.HEALTHY, text, "", null);
    }

    static Health progressing(String text) {
        return new Health(Level.PROGRESSING, text, "", null);
    }

    static Health suspended(String text) {
        return new Health(Level.SUSPENDED, text, "", null);
    }
}
