package dev.wheelhouse.controller;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The options of controllers, in groups. A controller declares a group with its defaults, which hold if the group is
 * not set. The number of workers is in {@link ControllerContext#workers}.
 */
public final class Options {
    /** The defaults of all groups. */
    public static final Options DEFAULTS = new Options(Map.of());

    /** Options that belong together. */
    public interface Group {}

    private final Map<Class<?>, Group> groups;

    private Options(Map<Class<?>, Group> groups) {
        this.groups = groups;
    }

    /** These options with other groups. */
    public Options with(Group... others) {
        Map<Class<?>, Group> merged = new HashMap<>(groups);
        Stream.of(others).forEach(group -> merged.put(group.getClass(), group));
        return new Options(merged);
    }

    /** A group: the one that was set, else its defaults. */
    @SuppressWarnings("unchecked")
    public <G extends Group> G get(G defaults) {
        return (G) groups.getOrDefault(defaults.getClass(), defaults);
    }
}
