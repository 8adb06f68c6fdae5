package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

import dev.wheelhouse.client.ModelJson;

/** Objects as YAML for kubectl and people: no empty fields, long texts as blocks, whole numbers without a fraction. */
final class KubernetesYaml {
    /** Texts that another reader of YAML, such as kubectl, could take for a number or a boolean. */
    private static final Pattern AMBIGUOUS = Pattern.compile("[-+.]?[0-9].*|[yYnN]");

    private KubernetesYaml() {}

    /** Documents, each with a line {@code ---} before it. */
    static String write(Collection<?> objects) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        Yaml yaml = new Yaml(new Texts(options), options);
        return objects.stream()
                .map(object -> "---\n" + yaml.dump(plain(ModelJson.read(ModelJson.tree(object), Object.class))))
                .collect(Collectors.joining());
    }

    private static Object plain(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                Map<Object, Object> plain = new LinkedHashMap<>();
                map.forEach((key, element) -> plain.put(key, plain(element)));
                yield plain;
            }
            case List<?> list -> new ArrayList<>(list.stream().map(KubernetesYaml::plain).toList());
            case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 -> number.longValue();
            default -> value;
        };
    }

    private static final class Texts extends Representer {
        Texts(DumperOptions options) {
            super(options);
            representers.put(String.class, data -> {
                String text = (String) data;
                ScalarStyle style = text.strip().contains("\n")
                        ? ScalarStyle.LITERAL
                        : AMBIGUOUS.matcher(text).matches() ? ScalarStyle.SINGLE_QUOTED : ScalarStyle.PLAIN;
                return representScalar(Tag.STR, text, style);
            });
        }
    }
}
