package dev.wheelhouse.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The inputs of a target that the repository keeps: {@code src/test/resources/fuzz/NAME}. They are seeds, inputs that
 * led into new parts of the code, and those that once failed. In a file whose name begins with {@code long-},
 * <code>{{1000*ab}}</code> stands for a thousand times {@code ab}.
 */
final class Corpus {
    private static final Path ALL = Path.of("src", "test", "resources", "fuzz");

    private static final String LONG = "long-";
    private static final Pattern REPEATED = Pattern.compile("\\{\\{(\\d+)\\*(.*?)}}");

    private Corpus() {}

    private static byte[] repeated(byte[] bytes) {
        return REPEATED.matcher(new String(bytes, StandardCharsets.ISO_8859_1))
                .replaceAll(m -> Matcher.quoteReplacement(m.group(2).repeat(Integer.parseInt(m.group(1)))))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /** One input, and its file's name. */
    record Input(String name, byte[] bytes) {}

    static Path directory(String target) {
        return ALL.resolve(target);
    }

    static List<Input> of(String target) throws IOException {
        try (Stream<Path> files = Files.list(directory(target))) {
            List<Path> sorted = files.sorted().toList();
            List<Input> inputs = new ArrayList<>();
            for (Path file : sorted) {
                String name = file.getFileName().toString();
                byte[] bytes = Files.readAllBytes(file);
                inputs.add(new Input(name, name.startsWith(LONG) ? repeated(bytes) : bytes));
            }
            return inputs;
        }
    }
}
