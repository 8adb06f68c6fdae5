package dev.wheelhouse.scheduler;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.wheelhouse.scheduler.SchedulerConfig.PluginName;
import dev.wheelhouse.scheduler.SchedulerConfig.PluginSet;

/**
 * The plugins of a profile at each extension point (upstream: {@code mergePlugins} in
 * {@code apis/config/v1/default_plugins.go}, {@code expandMultiPointPlugins} in {@code framework/runtime}). The
 * plugins of one point count before those of {@code multiPoint}. The order of the plugins is always upstream's.
 */
final class PluginSelection {
    private static final String MULTI_POINT = "multiPoint";

    private final String path;
    private final Map<String, PluginSet> sets;
    private final ConfigErrors errors;
    private final Map<String, Map<Plugin, Integer>> enabled = new HashMap<>();

    PluginSelection(String path, Map<String, PluginSet> sets, ConfigErrors errors) {
        this.path = path + ".plugins";
        this.sets = sets;
        this.errors = errors;
    }

    Profile profile(String name, int percentage, Profile.Args args) {
        sets.keySet().forEach(point -> errors.add(!point.equals(MULTI_POINT) && !Plugin.POINTS.contains(point),
                path, "strict decoding error: unknown field \"" + path + "." + point + "\""));
        Map<Plugin, Integer> multiPoint = at(MULTI_POINT,
                Arrays.stream(Plugin.values()).collect(Collectors.toMap(each -> each, each -> each.weight)));
        Plugin.POINTS.forEach(point -> enabled.put(point, at(point, multiPoint)));
        Set<Plugin> filters = EnumSet.noneOf(Plugin.class);
        Map<Plugin, Integer> weights = new EnumMap<>(Plugin.class);
        for (Plugin plugin : Plugin.values()) {
            if (has("filter", plugin)) {
                filters.add(plugin);
            }
            if (has("score", plugin)) {
                weights.put(plugin, Math.max(1, enabled.getOrDefault("score", Map.of()).getOrDefault(plugin, 1)));
            }
            for (String point : List.of("preFilter", "preScore", "reserve", "preBind")) {
                String main = point.equals("preScore") ? "score" : "filter";
                errors.invalid(plugin.points.contains(point) && has(main, plugin) && !has(point, plugin),
                        path + "." + point, plugin.title, "it cannot be disabled without its " + main);
            }
        }
        String quoted = ConfigErrors.quoted(name);
        errors.add(!has("queueSort", Plugin.PRIORITY_SORT), path + ".queueSort",
                "only one queue sort plugin required for profile with scheduler name " + quoted + ", but got 0");
        errors.add(!has("bind", Plugin.DEFAULT_BINDER), path + ".bind",
                "at least one bind plugin is needed for profile with scheduler name " + quoted);
        return new Profile(name, filters, weights, has("preEnqueue", Plugin.SCHEDULING_GATES),
                has("postFilter", Plugin.DEFAULT_PREEMPTION), percentage, args);
    }

    private boolean has(String point, Plugin plugin) {
        return enabled.getOrDefault(point, Map.of()).containsKey(plugin);
    }

    /**
     * The plugins that are enabled at a point, or at all points, with their weights.
     *
     * @param defaults what is enabled unless the set says otherwise
     */
    private Map<Plugin, Integer> at(String point, Map<Plugin, Integer> defaults) {
        PluginSet set = sets.getOrDefault(point, PluginSet.NONE);
        Map<Plugin, Integer> plugins = named(set, point);
        defaults.forEach((plugin, weight) -> {
            if ((point.equals(MULTI_POINT) || plugin.points.contains(point)) && !set.disables(plugin.title)) {
                plugins.putIfAbsent(plugin, weight);
            }
        });
        return plugins;
    }

    private Map<Plugin, Integer> named(PluginSet set, String point) {
        Map<Plugin, Integer> plugins = new LinkedHashMap<>();
        String type = point.equals(MULTI_POINT)
                ? "PreFilterPlugin"
                : Character.toUpperCase(point.charAt(0)) + point.substring(1) + "Plugin";
        for (int i = 0; i < set.enabled().size(); i++) {
            PluginName each = set.enabled().get(i);
            Plugin plugin = Plugin.named(each.name());
            String at = path + "." + point + ".enabled[" + i + "]";
            String quoted = ConfigErrors.quoted(each.name());
            errors.add(plugin == null, at, type + " " + quoted + " does not exist");
            if (plugin != null) {
                errors.add(!point.equals(MULTI_POINT) && !plugin.points.contains(point), at,
                        "plugin " + quoted + " does not extend " + type + " plugin");
                errors.invalid(each.weight() < 0, at + ".weight", each.weight(), "must not be negative");
                errors.add(plugins.put(plugin, each.weight()) != null, at,
                        "plugin " + quoted + " already registered as " + ConfigErrors.quoted(type));
            }
        }
        return plugins;
    }
}
