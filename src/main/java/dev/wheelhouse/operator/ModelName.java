package dev.wheelhouse.operator;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The name of one of the official client's model classes, such as {@code V1Deployment}, {@code CoreV1Event} or
 * {@code V2HorizontalPodAutoscaler}.
 *
 * @param group the first part of the group; empty if only one group has the kind in this version
 */
record ModelName(String group, String version, String kind) {
    private static final String MODELS = "io.kubernetes.client.openapi.models.";
    private static final Pattern NAME = Pattern.compile("([A-Z][a-z]+)?(V[0-9]+(?:(?:alpha|beta)[0-9]+)?)([A-Z].*)");

    static boolean isModel(Class<?> type) {
        return type.getName().startsWith(MODELS);
    }

    /** The name of a model class; null for other classes. */
    static @Nullable ModelName of(Class<?> model) {
        Matcher name = NAME.matcher(model.getSimpleName());
        if (!isModel(model) || !name.matches()) {
            return null;
        }
        String group = name.group(1) == null ? "" : name.group(1).toLowerCase(Locale.ROOT);
        return new ModelName(group, name.group(2).toLowerCase(Locale.ROOT), name.group(3));
    }
}
