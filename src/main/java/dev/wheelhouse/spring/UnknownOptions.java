package dev.wheelhouse.spring;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/** The options under {@code wheelhouse} that exist, and the refusal of all others. */
final class UnknownOptions {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("wheelhouse");
    /** Each option, with whether further names may follow its own: the key of a map or the index of a list. */
    private static final Map<ConfigurationPropertyName, Boolean> KNOWN = new TreeMap<>();

    static {
        Stream.of(WheelhouseProperties.class, ControllerManagerFlags.class).forEach(type -> addAll(PREFIX, type));
    }

    private UnknownOptions() {}

    private static void addAll(ConfigurationPropertyName prefix, Class<?> properties) {
        for (RecordComponent component : properties.getRecordComponents()) {
            Class<?> type = component.getType();
            ConfigurationPropertyName name = prefix
                    .append(DataObjectPropertyName.toDashedForm(component.getName()));
            if (type.isRecord()) {
                addAll(name, type);
            } else {
                KNOWN.put(name, Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type));
            }
        }
    }

    /** The names of all options, without {@code --}. */
    static Set<String> known() {
        Set<String> names = new HashSet<>();
        KNOWN.keySet().forEach(name -> names.add(name.toString()));
        return names;
    }

    /**
     * Looks for options that do not exist, in all sources but the environment and the system properties.
     *
     * @param service whether the process is the service, whose help lists the options
     * @throws BadOption if there is one
     */
    static void refuse(Environment environment, boolean service) {
        UnboundElementsSourceFilter checked = new UnboundElementsSourceFilter();
        ConfigurationPropertySources.get(environment).forEach(source -> {
            if (source instanceof IterableConfigurationPropertySource names && checked.apply(source)) {
                names.stream().filter(PREFIX::isAncestorOf).filter(name -> !exists(name)).findFirst()
                        .ifPresent(name -> {
                            throw new BadOption("there is no option " + name + ": " + instead(name, service));
                        });
            }
        });
    }

    private static boolean exists(ConfigurationPropertyName name) {
        return KNOWN.containsKey(name)
                || KNOWN.entrySet().stream().anyMatch(known -> known.getValue() && known.getKey().isAncestorOf(name));
    }

    private static String instead(ConfigurationPropertyName name, boolean service) {
        return UpstreamFlags.instead(name.subName(1).toString()).orElseGet(() -> service
                ? CommandLine.didYouMean(name.toString()) + "--help lists the options"
                : "remove it, or correct its name");
    }
}
