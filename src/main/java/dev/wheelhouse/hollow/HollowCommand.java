package dev.wheelhouse.hollow;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The run time, the exit code and the output that a container's command plainly states: {@code true}, {@code false},
 * {@code exit 3}, {@code sleep 2m}, {@code echo}, {@code pause}, and {@code sh -c} or {@code bash -c} of sequences of
 * these with {@code ;}, {@code &&} and {@code ||}. The command is {@code command} followed by {@code args}, as on a
 * kubelet for an image without an entry point. Of the environment, the values that the container itself states are
 * known. Pure functions.
 *
 * @param runFor null if the command never ends by itself
 */
public record HollowCommand(@Nullable Duration runFor, int exitCode) {
    private static final HollowCommand PAUSE = new HollowCommand(null, 0);
    private static final Set<String> SHELLS = Set.of("sh", "bash", "ash", "dash");
    private static final Set<String> SUCCESSES = Set.of("true", ":", "echo", "printf");
    private static final Pattern SLEEP = Pattern.compile("(\\d{1,9}(?:\\.\\d{0,9})?|\\.\\d{1,9})([smhd]?)");
    /** The longest script that is read, in characters. Longer ones do more than these commands. */
    private static final int LONGEST_SCRIPT = 1000;
    /** A token of a script: a separator, a redirection of output with its target, or a word with quoted parts. */
    private static final Pattern TOKEN = Pattern.compile("[ \\t]*(?:(?<separator>;|\\n|&&|\\|\\|)"
            + "|[12]?>>?(?:&[12]|[ \\t]*[\\w./-]+)"
            + "|(?<word>(?:\"[^\"`]*\"|'[^']*'|[^\\s;&|<>()`\"'\\\\]++)++))");

    /** A redirection of what {@code echo} prints to a place that is not the log. */
    private static final Pattern AWAY = Pattern.compile("1?>>?[ \\t]*(?!/dev/std|/proc/1/fd/)[\\w./-]+");
    /** A part of a word: in single quotes, in double quotes, or without any. */
    private static final Pattern PART = Pattern.compile("'([^']*)'|\"([^\"]*)\"|([^'\"]+)");
    /** The parts of a word that a shell replaces: an escaped character, a variable, or something else. */
    private static final Pattern SHELL = Pattern.compile("\\\\([\\\\$])|\\$(?:\\w+|\\{\\w+}|\\S)");
    /** The parts of a word that a kubelet replaces (upstream: {@code third_party/forked/golang/expansion}). */
    private static final Pattern KUBELET = Pattern.compile("\\$(\\$)|\\$\\(([^()]+)\\)");
    private static final Pattern ESCAPE = Pattern.compile("\\\\([nt\\\\])");
    private static final Pattern CONVERSION = Pattern.compile("%(.?)");
    private static final Predicate<String> OPTION = Pattern.compile("-[neE]+").asMatchPredicate();
    /** Stands for output that is not known. The values of environments do not contain it. */
    private static final String UNKNOWN = "\0";
    /** The most characters of a value or of the output. What is longer is left as it is, or is not printed. */
    private static final int LONGEST_OUTPUT = 16 * 1024;

    /** @param after the time from the start of the container */
    public record Printed(Duration after, String text) {}

    /**
     * A command of a script.
     *
     * @param before the separator before it
     * @param words as they are written, without quotes
     * @param texts the words as the program sees them, and {@link #UNKNOWN} if the log does not show its output
     */
    private record Command(String before, List<String> words, List<String> texts) {}

    /**
     * The plain meaning of a container's command; null if there is no command, or one that is not plain. An image named
     * {@code pause} without a command pauses.
     */
    public static @Nullable HollowCommand of(V1Container container) {
        return read(container, new ArrayList<>());
    }

    /** The output of {@code echo} and {@code printf}, up to the first command that is not plain. */
    public static List<Printed> output(V1Container container) {
        List<Printed> output = new ArrayList<>();
        read(container, output);
        return output;
    }

    private static @Nullable HollowCommand read(V1Container container, List<Printed> output) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (V1EnvVar variable : orEmpty(container.getEnv())) {
            if (variable.getValueFrom() == null && variable.getName() != null) {
                environment.put(variable.getName(), expanded(orEmpty(variable.getValue()), environment));
            }
        }
        List<String> words = Stream.of(orEmpty(container.getCommand()), orEmpty(container.getArgs()))
                .flatMap(List::stream).map(word -> expanded(word, environment)).toList();
        boolean pauses = orEmpty(container.getImage()).matches("(?:.*/)?pause(?:[:@].*)?");
        return words.isEmpty() && pauses ? PAUSE : read(words, environment, output);
    }

    /** The plain meaning of a program and its arguments; null if it is not plain. */
    public static @Nullable HollowCommand of(@Nullable List<String> words) {
        return read(orEmpty(words), Map.of(), new ArrayList<>());
    }

    private static @Nullable HollowCommand read(List<String> words, Map<String, String> environment,
            List<Printed> output) {
        return words.isEmpty()
                ? null
                : SHELLS.contains(program(words)) && words.size() > 2 && words.get(1).equals("-c")
                        ? script(words.get(2), environment, output)
                        : run(List.of(new Command(";", words, words)), output);
    }

    private static String expanded(String text, Map<String, String> environment) {
        return replaced(text, KUBELET, match -> match.group(1) != null
                ? "$"
                : environment.getOrDefault(match.group(2), match.group()));
    }

    /** A text with what a pattern matches replaced; the text as it is if that would be too long. */
    private static String replaced(String text, Pattern pattern, Function<MatchResult, String> replacement) {
        StringBuilder made = new StringBuilder();
        Matcher match = pattern.matcher(text);
        while (match.find()) {
            match.appendReplacement(made, Matcher.quoteReplacement(replacement.apply(match.toMatchResult())));
            if (made.length() > LONGEST_OUTPUT) {
                return text;
            }
        }
        return match.appendTail(made).toString();
    }

    private static String program(List<String> words) {
        String path = words.getFirst();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static @Nullable HollowCommand script(String script, Map<String, String> environment,
            List<Printed> output) {
        List<Command> commands = new ArrayList<>();
        Command command = new Command(";", new ArrayList<>(), new ArrayList<>());
        String text = script.strip();
        if (text.length() > LONGEST_SCRIPT) {
            return null;
        }
        Matcher token = TOKEN.matcher(text);
        for (int at = 0; at < text.length(); at = token.end()) {
            if (!token.region(at, text.length()).lookingAt()) {
                return null;
            }
            String separator = token.group("separator");
            if (token.group("word") != null) {
                command.words.add(token.group("word").replaceAll("[\"']", ""));
                command.texts.add(text(token.group("word"), environment));
            } else if (separator == null && AWAY.matcher(token.group().strip()).matches()) {
                command.texts.add(UNKNOWN);
            } else if (separator != null && !command.words.isEmpty()) {
                commands.add(command);
                command = new Command(separator, new ArrayList<>(), new ArrayList<>());
            } else if (separator != null && !separator.equals("\n")) {
                return null;
            }
        }
        if (!command.words.isEmpty()) {
            commands.add(command);
        }
        return run(commands, output);
    }

    /** A word of a script as a program sees it. */
    private static String text(String token, Map<String, String> environment) {
        return replaced(token, PART, part -> part.group(1) != null
                ? part.group(1)
                : replaced(Objects.requireNonNullElse(part.group(2), part.group(3)), SHELL,
                        match -> match.group(1) != null
                                ? match.group(1)
                                : environment.getOrDefault(match.group().replaceAll("[${}]", ""), UNKNOWN)));
    }

    private static @Nullable HollowCommand run(List<Command> commands, List<Printed> output) {
        Duration elapsed = Duration.ZERO;
        int code = 0;
        for (Command command : commands) {
            if (command.before.equals("&&") && code != 0 || command.before.equals("||") && code == 0) {
                continue;
            }
            List<String> words = command.words;
            String program = program(words);
            if (program.equals("pause") || words.size() == 2 && program.equals("sleep")
                    && words.get(1).equals("infinity")) {
                return PAUSE;
            }
            if (program.equals("exit") && words.size() <= 2) {
                Integer said = words.size() == 1 ? Integer.valueOf(code) : exitCode(words.get(1));
                return said == null ? null : new HollowCommand(elapsed, said);
            }
            Duration sleep = program.equals("sleep") && words.size() == 2 ? seconds(words.get(1)) : null;
            if (sleep != null) {
                elapsed = elapsed.plus(sleep);
            } else if (!SUCCESSES.contains(program) && !program.equals("false")) {
                return null;
            }
            String text = printed(program, command.texts.subList(1, command.texts.size()));
            if (!text.isEmpty() && !text.contains(UNKNOWN) && text.length() <= LONGEST_OUTPUT) {
                output.add(new Printed(elapsed, text));
            }
            code = program.equals("false") ? 1 : 0;
        }
        return new HollowCommand(elapsed, code);
    }

    /** The output of a command; it contains {@link #UNKNOWN} if it is not known. */
    private static String printed(String program, List<String> arguments) {
        if (!program.equals("echo")) {
            return !program.equals("printf") || arguments.isEmpty()
                    ? ""
                    : formatted(unescaped(arguments.getFirst()), arguments.subList(1, arguments.size()));
        }
        String options = arguments.stream().takeWhile(OPTION).collect(Collectors.joining());
        String text = arguments.stream().dropWhile(OPTION).collect(Collectors.joining(" "));
        return (options.contains("e") ? unescaped(text) : text) + (options.contains("n") ? "" : "\n");
    }

    private static String unescaped(String text) {
        return replaced(text, ESCAPE, match -> Map.of("n", "\n", "t", "\t").getOrDefault(match.group(1), "\\"));
    }

    /** The format is used again until no argument is left. */
    private static String formatted(String format, List<String> arguments) {
        Deque<String> left = new ArrayDeque<>(arguments);
        String text = replaced(format, CONVERSION, match -> switch (match.group(1)) {
            case "%" -> "%";
            case "s" -> orEmpty(left.poll());
            case "d" -> Objects.requireNonNullElse(left.poll(), "0");
            default -> UNKNOWN;
        });
        return left.isEmpty() || left.size() == arguments.size() ? text : text + formatted(format, List.copyOf(left));
    }

    private static @Nullable Integer exitCode(String word) {
        return word.matches("\\d{1,9}") ? Integer.valueOf(Integer.parseInt(word) % 256) : null;
    }

    private static @Nullable Duration seconds(String word) {
        Matcher sleep = SLEEP.matcher(word);
        if (!sleep.matches()) {
            return null;
        }
        long unit = switch (sleep.group(2)) {
            case "m" -> 60;
            case "h" -> 3600;
            case "d" -> 86_400;
            default -> 1;
        };
        return Duration.ofNanos(new BigDecimal(sleep.group(1)).multiply(BigDecimal.valueOf(unit * 1_000_000_000))
                .min(BigDecimal.valueOf(Long.MAX_VALUE)).setScale(0, RoundingMode.DOWN).longValue());
    }
}
