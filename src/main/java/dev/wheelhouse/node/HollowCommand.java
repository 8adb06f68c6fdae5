package dev.wheelhouse.node;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;

/**
 * The run time and the exit code that a container's command plainly states: {@code true}, {@code false},
 * {@code exit 3}, {@code sleep 2m}, {@code echo}, {@code pause}, and {@code sh -c} or {@code bash -c} of sequences of
 * these with {@code ;}, {@code &&} and {@code ||}. The command is {@code command} followed by {@code args}, as on a
 * kubelet for an image without an entry point. Pure functions.
 *
 * @param runFor null if the command never ends by itself
 */
record HollowCommand(@Nullable Duration runFor, int exitCode) {
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

    /**
     * The plain meaning of a container's command; null if there is no command, or one that is not plain. An image named
     * {@code pause} without a command pauses.
     */
    static @Nullable HollowCommand of(V1Container container) {
        List<String> words = Stream.of(container.getCommand(), container.getArgs())
                .flatMap(part -> part == null ? Stream.empty() : part.stream()).toList();
        return words.isEmpty() && HollowImages.isPause(container.getImage()) ? PAUSE : of(words);
    }

    /** The plain meaning of a program and its arguments; null if it is not plain. */
    static @Nullable HollowCommand of(@Nullable List<String> words) {
        if (words == null || words.isEmpty()) {
            return null;
        }
        return SHELLS.contains(program(words)) && words.size() > 2 && words.get(1).equals("-c")
                ? script(words.get(2))
                : run(List.of(words), List.of());
    }

    private static String program(List<String> words) {
        String path = words.getFirst();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static @Nullable HollowCommand script(String script) {
        List<List<String>> commands = new ArrayList<>();
        List<String> separators = new ArrayList<>();
        List<String> command = new ArrayList<>();
        String text = script.strip();
        if (text.length() > LONGEST_SCRIPT) {
            return null;
        }
        Matcher token = TOKEN.matcher(text);
        for (int at = 0; at < text.length(); at = token.end()) {
            if (!token.region(at, text.length()).lookingAt()) {
                return null;
            }
            if (token.group("word") != null) {
                command.add(token.group("word").replaceAll("[\"']", ""));
            } else if (token.group("separator") != null) {
                if (!command.isEmpty()) {
                    commands.add(command);
                    separators.add(token.group("separator"));
                    command = new ArrayList<>();
                } else if (!token.group("separator").equals("\n")) {
                    return null;
                }
            }
        }
        if (!command.isEmpty()) {
            commands.add(command);
        }
        return run(commands, separators);
    }

    /** @param separators the separator after each command; the last command may have none */
    private static @Nullable HollowCommand run(List<List<String>> commands, List<String> separators) {
        Duration elapsed = Duration.ZERO;
        int code = 0;
        for (int i = 0; i < commands.size(); i++) {
            String before = i == 0 ? ";" : separators.get(i - 1);
            if (before.equals("&&") && code != 0 || before.equals("||") && code == 0) {
                continue;
            }
            List<String> words = commands.get(i);
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
            code = program.equals("false") ? 1 : 0;
        }
        return new HollowCommand(elapsed, code);
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
