package dev.wheelhouse.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Scenarios that a grammar and a seed determine: users, nodes and kubelets act in any order, also in vain. {@code
 * docs/internals/recording.md} describes the grammars in {@code src/test/resources/random}.
 */
final class RandomScenarios {
    private static final Path GRAMMARS = Path.of("src/test/resources/random");
    private static final Pattern WEIGHT = Pattern.compile("(\\d+)x (.*)");
    private static final Pattern RANGE = Pattern.compile("(\\d+)\\.\\.(\\d+)");
    private static final Pattern BINDING = Pattern.compile("([a-z]+)=(.*)");

    private final String namespace;
    private final Random random;
    private final Map<String, List<String>> rules = new HashMap<>();
    private final Map<String, String> bound = new HashMap<>();
    private final List<String> steps = new ArrayList<>();
    private int last;

    private RandomScenarios(String kind, long seed) {
        namespace = kind + "-random-" + seed;
        random = new Random(seed);
    }

    /** The text of a scenario. */
    static String of(String kind, long seed) throws IOException {
        Map<String, Object> grammar = new Yaml(new SafeConstructor(new LoaderOptions())).load(
                Files.readString(GRAMMARS.resolve(kind + ".yaml")));
        RandomScenarios scenario = new RandomScenarios(kind, seed);
        if (grammar.get("rules") instanceof Map<?, ?> rules) {
            rules.forEach((name, lines) -> scenario.rules.put((String) name, alternatives((String) lines)));
        }
        String head = scenario.expand((String) grammar.getOrDefault("head", ""));
        scenario.all(grammar, "first");
        List<String> any = alternatives((String) grammar.get("any"));
        for (int count = Integer.parseInt(scenario.expand("<" + grammar.get("times") + ">")); count > 0; count--) {
            scenario.add(any.get(scenario.random.nextInt(any.size())));
        }
        scenario.all(grammar, "last");
        return "doc: Random steps of the seed " + seed + ".\n" + head + "steps:\n- "
                + String.join("\n- ", scenario.steps) + "\n";
    }

    /** The kinds that have a grammar. */
    static List<String> kinds() throws IOException {
        try (Stream<Path> files = Files.list(GRAMMARS)) {
            return files.map(file -> file.getFileName().toString().replace(".yaml", "")).sorted().toList();
        }
    }

    /** One alternative a line. One that begins with {@code 3x} counts as three, one that is indented goes on. */
    private static List<String> alternatives(String lines) {
        return lines.replaceAll("\n +", " ").lines().flatMap(line -> {
            Matcher weight = WEIGHT.matcher(line);
            return weight.matches()
                    ? Stream.generate(() -> weight.group(2)).limit(Long.parseLong(weight.group(1)))
                    : Stream.of(line);
        }).toList();
    }

    private void all(Map<String, Object> grammar, String part) {
        alternatives((String) grammar.getOrDefault(part, "")).forEach(this::add);
    }

    private void add(String step) {
        bound.clear();
        Stream.of(expand(step).split(" && ", -1)).filter(each -> !each.isBlank()).forEach(steps::add);
    }

    private String expand(String text) {
        StringBuilder expanded = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            int end = c == '<' ? end(text, at) : at;
            expanded.append(c == '<' ? choose(text.substring(at + 1, end)) : c);
            at = end + 1;
        }
        return expanded.toString();
    }

    private static int end(String text, int begin) {
        int depth = 0;
        for (int i = begin; i < text.length(); i++) {
            depth += text.charAt(i) == '<' ? 1 : text.charAt(i) == '>' ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw new IllegalArgumentException(text.substring(begin) + " has no end");
    }

    private String choose(String content) {
        Matcher range = RANGE.matcher(content);
        Matcher binding = BINDING.matcher(content);
        if (range.matches()) {
            int first = Integer.parseInt(range.group(1));
            return first + random.nextInt(Integer.parseInt(range.group(2)) - first + 1) + "";
        } else if (binding.matches()) {
            String value = choose(binding.group(2));
            bound.put(binding.group(1), value);
            return value;
        } else if (content.equals("new")) {
            return ++last + "";
        } else if (content.equals("old")) {
            return random.nextInt(last + 1) + "";
        } else if (content.equals("namespace")) {
            return namespace;
        } else if (bound.containsKey(content)) {
            return bound.get(content);
        }
        List<String> choices = rules.containsKey(content) ? rules.get(content) : parts(content);
        return expand(choices.get(random.nextInt(choices.size())));
    }

    /** The texts between the bars that are not within another choice. */
    private static List<String> parts(String content) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < content.length(); i++) {
            char c = content.charAt(i);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c == '|' && depth == 0) {
                parts.add(content.substring(begin, i));
                begin = i + 1;
            }
        }
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("<" + content + "> is neither a rule nor a choice");
        }
        parts.add(content.substring(begin));
        return parts;
    }
}
