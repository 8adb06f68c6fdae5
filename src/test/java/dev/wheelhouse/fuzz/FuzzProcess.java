package dev.wheelhouse.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A JVM in which Jazzer mutates inputs of a target for a while, guided by what code they reach. It has a directory
 * of its own, {@code target/fuzz/NAME}: the inputs that led to something new in {@code corpus}, those that failed in
 * {@code findings}.
 */
final class FuzzProcess {
    private static final Pattern WORD = Pattern.compile("[A-Za-z$][A-Za-z0-9$_.-]{2,38}");
    private static final int MOST_WORDS = 1000;
    /** One in so many inputs is made long. */
    private static final int STRETCHED = 2000;
    private static final String OWN = "dev.wheelhouse.**";
    private static final String PARSERS = ":tools.jackson.core.**:org.yaml.snakeyaml.**";
    private static final Duration TO_START_AND_END = Duration.ofMinutes(10);

    private final String target;
    private final Path directory;

    FuzzProcess(String target) {
        this.target = target;
        this.directory = Path.of("target", "fuzz", target);
    }

    /**
     * Fuzzes. The parsers' own code and the values that are compared guide it as well, which takes a minute to set up.
     *
     * @param time the most time
     * @return what was found; empty if nothing was
     */
    String run(Duration time) throws IOException, InterruptedException {
        Path corpus = Files.createDirectories(directory.resolve("corpus"));
        Path findings = Files.createDirectories(directory.resolve("findings"));
        Path log = directory.resolve("log");
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx900m", "-XX:+UseSerialGC",
                "-XX:+EnableDynamicAgentLoading",
                "-Djdk.attach.allowAttachSelf=true",
                "--enable-native-access=ALL-UNNAMED", "-Dfuzz.target=" + target,
                "-Dfuzz.stretched=" + STRETCHED, "-cp", System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer", "--target_class=" + JazzerDriver.class.getName(),
                "--instrumentation_includes=" + OWN + PARSERS,
                "--trace=cov,cmp,div,indir", "--custom_hook_includes=" + OWN,
                "--mutator_framework=false",
                // Its work on patterns would count as the target's.
                "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexRoadblocks", "--keep_going=100",
                "--reproducer_path=" + findings,
                "-artifact_prefix=" + findings + "/", "-dict=" + words(), "-seed=1", "-timeout=150", "-rss_limit_mb=0",
                "-max_len=8192", "-max_total_time=" + time.toSeconds(), "-print_final_stats=1",
                corpus.toString(), Corpus.directory(target).toString()));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            if (!process.waitFor(time.plus(TO_START_AND_END).toSeconds(), TimeUnit.SECONDS)) {
                return "no end: " + log;
            }
        } finally {
            process.destroyForcibly();
        }
        return findings(Files.readString(log, StandardCharsets.ISO_8859_1), log, process.exitValue());
    }

    /** How many inputs were tried, for a report. */
    String summary() throws IOException {
        String log = Files.readString(directory.resolve("log"), StandardCharsets.ISO_8859_1);
        Matcher done = Pattern.compile("Done ([0-9]+) runs in ([0-9]+) second").matcher(log);
        Matcher covered = Pattern.compile("DONE +cov: ([0-9]+) ft: ([0-9]+) corp: ([0-9]+)").matcher(log);
        return target + ": "
                + (done.find() ? done.group(1) + " inputs in " + done.group(2) + " s" : "no end")
                + (covered.find() ? ", " + covered.group(1) + " edges, a corpus of " + covered.group(3) : "");
    }

    private static String findings(String log, Path file, int code) {
        StringBuilder found = new StringBuilder();
        Matcher failure = Pattern.compile("(?s)== Java Exception: (.*?)\\nDEDUP_TOKEN.*?Test unit written to (\\S+)")
                .matcher(log);
        while (failure.find()) {
            found.append(failure.group(2)).append(": ").append(failure.group(1)).append('\n');
        }
        Matcher slow = Pattern.compile("Test unit written to (\\S*(?:timeout|oom)-\\S+)").matcher(log);
        while (slow.find()) {
            found.append(slow.group(1)).append(" has no end, or needs too much memory\n");
        }
        if (found.isEmpty() && code != 0) {
            found.append("exit code ").append(code).append(": see ").append(file);
        }
        return found.toString();
    }

    /** A dictionary of the words that the inputs are made of. */
    private Path words() throws IOException {
        TreeSet<String> words = new TreeSet<>();
        for (Corpus.Input input : Corpus.of(target)) {
            Matcher matcher = WORD.matcher(new String(input.bytes(), StandardCharsets.ISO_8859_1));
            while (matcher.find()) {
                words.add(matcher.group());
            }
        }
        try (Stream<String> lines = words.stream().limit(MOST_WORDS).map(word -> '"' + word + '"')) {
            return Files.write(directory.resolve("words"), lines.toList());
        }
    }
}
