package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.scheduler.SchedulerConfig.PluginName;
import dev.wheelhouse.scheduler.SchedulerConfig.PluginSet;

/**
 * The plugins of a profile at each extension point (upstream: {@code mergePlugins} in
 * {@code apis/config/v1/default_plugins.go}, {@code expandMultiPointPlugins} in {@code framework/runtime}). What a
 * profile enables at a point counts before what it enables at all points of a plugin. The order of the plugins is
 * always upstream's.
 */
final class PluginSelection {
    private static final String MULTI_POINT = "multiPoint";

    private final String path;
    private final Map<String, PluginSet> sets;
    private final ConfigErrors errors;

    PluginSelection(String path, Map<String, PluginSet> sets, ConfigErrors errors) {
        this.path = path + ".plugins";
        this.sets = sets;
        this.errors = errors;
    }

    Profile profile(String name, int percentage, Profile.Args args) {
        sets.keySet().forEach(point -> errors.add(!point.equals(MULTI_POINT) && !Plugin.POINTS.contains(point),
                path, "strict decoding error: unknown field \"" + path + "." + point + "\""));
        Map<Plugin, Integer> multiPoint = multiPoint();
        Map<String, Map<Plugin, Integer>> enabled = new HashMap<>();
        for (String point : Plugin.POINTS) {
            enabled.put(point, at(point, multiPoint));
        }
        Set<Plugin> filters = at(enabled, "filter").isEmpty()
                ? EnumSet.noneOf(Plugin.class)
                : EnumSet.copyOf(at(enabled, "filter").keySet());
        Map<Plugin, Integer> weights = new EnumMap<>(Plugin.class);
        at(enabled, "score").forEach((plugin, weight) -> weights.put(plugin, weight == 0 ? 1 : weight));
        for (String point : List.of("preFilter", "preScore", "reserve", "preBind")) {
            for (Plugin plugin : Plugin.values()) {
                Set<Plugin> main = point.equals("preScore") ? weights.keySet() : filters;
                boolean wrong = plugin.points.contains(point)
                        && at(enabled, point).containsKey(plugin) != main.contains(plugin);
                errors.invalid(wrong, path + "." + point, plugin.title, "this scheduler has it on or off together with "
                        + (point.equals("preScore") ? "score" : "filter"));
            }
        }
        errors.add(!at(enabled, "queueSort").containsKey(Plugin.PRIORITY_SORT), path + ".queueSort",
                "only one queue sort plugin required for profile with scheduler name " + ConfigErrors.quoted(name)
                        + ", but got 0");
        errors.add(!at(enabled, "bind").containsKey(Plugin.DEFAULT_BINDER), path + ".bind",
                "at least one bind plugin is needed for profile with scheduler name " + ConfigErrors.quoted(name));
        return new Profile(name, filters, weights, at(enabled, "preEnqueue").containsKey(Plugin.SCHEDULING_GATES),
                at(enabled, "postFilter").containsKey(Plugin.DEFAULT_PREEMPTION), percentage, args);
    }

    private static Map<Plugin, Integer> at(Map<String, Map<Plugin, Integer>> enabled, String point) {
        return enabled.getOrDefault(point, Map.of());
    }

    /** The plugins that are enabled at all their points, with their weights. */
    private Map<Plugin, Integer> multiPoint() {
        PluginSet set = sets.getOrDefault(MULTI_POINT, PluginSet.NONE);
        Map<Plugin, Integer> plugins = new LinkedHashMap<>();
        for (Plugin plugin : Plugin.values()) {
            if (!set.disables(plugin.title)) {
                plugins.put(plugin, plugin.weight);
            }
        }
        plugins.putAll(named(set, MULTI_POINT));
        return plugins;
    }

    private Map<Plugin, Integer> at(String point, Map<Plugin, Integer> multiPoint) {
        PluginSet set = sets.getOrDefault(point, PluginSet.NONE);
        Map<Plugin, Integer> plugins = named(set, point);
        multiPoint.forEach((plugin, weight) -> {
            if (plugin.points.contains(point) && !set.disables(plugin.title)) {
                plugins.putIfAbsent(plugin, weight);
            }
        });
        return plugins;
    }

    private Map<Plugin, Integer> named(PluginSet set, String point) {
        Map<Plugin, Integer> plugins = new LinkedHashMap<>();
        List<String> seen = new ArrayList<>();
        String type = point.equals(MULTI_POINT)
                ? "PreFilterPlugin"
                : Character.toUpperCase(point.charAt(0)) + point.substring(1) + "Plugin";
        for (int i = 0; i < set.enabled().size(); i++) {
            PluginName each = set.enabled().get(i);
            @Nullable
            Plugin plugin = Plugin.named(each.name());
            String at = path + "." + point + ".enabled[" + i + "]";
            String quoted = ConfigErrors.quoted(each.name());
            errors.add(plugin == null, at, type + " " + quoted + " does not exist");
            errors.add(seen.contains(each.name()), at, "plugin " + quoted + " already registered as "
                    + ConfigErrors.quoted(type));
            seen.add(each.name());
            if (plugin != null) {
                errors.add(!point.equals(MULTI_POINT) && !plugin.points.contains(point), at,
                        "plugin " + quoted + " does not extend " + type + " plugin");
                errors.invalid(each.weight() < 0, at + ".weight", each.weight(), "must not be negative");
                plugins.put(plugin, each.weight());
            }
        }
        return plugins;
    }
}
