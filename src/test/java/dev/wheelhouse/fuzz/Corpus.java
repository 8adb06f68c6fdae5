package dev.wheelhouse.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The inputs of a target that the repository keeps: {@code src/test/resources/fuzz/NAME}. They are seeds, inputs that led into new
 * parts of the code, and those that once failed.
 */
final class Corpus {
    private static final Path ALL = Path.of("src", "test", "resources", "fuzz");

    private Corpus() {}

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
                inputs.add(new Input(file.getFileName().toString(), Files.readAllBytes(file)));
            }
            return inputs;
        }
    }
}
