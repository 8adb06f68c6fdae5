package dev.wheelhouse.runtime;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Writes values of JSON as YAML that every reader takes for the same values. Texts that some reader takes for another
 * type are quoted: times, numbers, and the booleans and base-60 numbers of YAML 1.1, as upstream does. A text of
 * several lines becomes a block. The program writes all YAML by this class.
 */
public final class YamlWriter {
    private static final Pattern NO_TEXT = Pattern.compile("\\d{4}-\\d{1,2}-\\d{1,2}"
            + "([Tt]\\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)"
            + "| \\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d+)?)?|[-+]?\\d[\\d_]*(:[0-5]?\\d)+(\\.[\\d_]*)?|[yYnN]");

    private YamlWriter() {}

    /** One document. @param value a map, list, text, number, boolean or null */
    public static String write(@Nullable Object value) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(4096);
        options.setSplitLines(false);
        return new Yaml(new Texts(options), options).dump(value);
    }

    private static final class Texts extends Representer {
        Texts(DumperOptions options) {
            super(options);
            representers.put(String.class, value -> {
                String text = (String) value;
                return representScalar(Tag.STR, text, text.indexOf('\n') >= 0
                        ? ScalarStyle.LITERAL
                        : isNoText(text) ? ScalarStyle.DOUBLE_QUOTED : ScalarStyle.PLAIN);
            });
        }

        private static boolean isNoText(String text) {
            return NO_TEXT.matcher(text).matches() || !SafeYaml.isText(text);
        }
    }
}
