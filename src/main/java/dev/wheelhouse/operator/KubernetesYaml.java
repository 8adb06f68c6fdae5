package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.YamlWriter;

/** Objects as YAML for kubectl and people: no empty fields, whole numbers without a fraction. */
final class KubernetesYaml {
    private KubernetesYaml() {}

    /** Documents, each with a line {@code ---} before it. */
    static String write(Collection<?> objects) {
        return objects.stream()
                .map(object -> "---\n" + YamlWriter.write(plain(ModelJson.read(ModelJson.tree(object), Object.class))))
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
}
