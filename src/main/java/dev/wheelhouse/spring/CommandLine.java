package dev.wheelhouse.spring;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.wheelhouse.facts.Release;
import dev.wheelhouse.runtime.DidYouMean;

/**
 * Answers the command line before the service starts: with the help, the version, or an error about an unknown option.
 */
public final class CommandLine {
    private static final List<String> PREFIXES = List.of("wheelhouse.", "server.", "spring.", "management.", "logging.",
            "debug", "trace",
            "kubernetes.", "info.");

    private CommandLine() {}

    /** The text to print instead of starting, and the exit code. */
    public record Answer(String text, int exitCode) {}

    /** The answer to print instead of starting; empty if the service may start. */
    public static Optional<Answer> check(String... args) {
        for (int i = 0; i < args.length; i++) {
            String arg = args[i];
            if (arg.equals("--help") || arg.equals("-h")) {
                return help(i + 1 < args.length && !args[i + 1].startsWith("--") ? args[i + 1] : "");
            }
            if (arg.equals("--version")) {
                return Optional.of(new Answer(version(), 0));
            }
            if (!arg.startsWith("--")) {
                return refuse("\"" + arg + "\" is no option: options are written --name=value, and --help lists them");
            }
            String name = arg.substring(2).split("=", 2)[0];
            if (PREFIXES.stream().noneMatch(name::startsWith)) {
                return refuse("there is no option --" + name + ": " + UpstreamFlags.instead(name)
                        .orElseGet(() -> didYouMean(name) + "--help lists the options"));
            }
        }
        return Optional.empty();
    }

    private static Optional<Answer> help(String word) {
        String text = switch (word) {
            case "" -> OptionHelp.text();
            case "all" -> OptionHelp.text("") + "\n\nAny other Spring Boot property works as well.";
            default -> OptionHelp.text(word);
        };
        return text.isEmpty()
                ? refuse("no option has \"" + word + "\" in its name or description: --help all shows all options")
                : Optional.of(new Answer(text, 0));
    }

    /** The question whether a similar option was meant; empty if there is none. */
    static String didYouMean(String name) {
        return DidYouMean.ask(name, Stream.concat(Stream.of("server.port"), UnknownOptions.known().stream()).toList());
    }

    private static String version() {
        String built = CommandLine.class.getPackage().getImplementationVersion();
        return "Wheelhouse " + (built == null ? "from its class files" : built) + ", for Kubernetes " + Release.MAJOR
                + "." + Release.MINOR + ", on Java " + Runtime.version();
    }

    private static Optional<Answer> refuse(String problem) {
        return Optional.of(new Answer(OneSentenceReporter.PREFIX + problem, 1));
    }
}
