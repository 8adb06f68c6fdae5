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
 * A JVM in which Jazzer mutates inputs of some targets for a while, guided by what code they reach. It has a directory
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

    private final List<String> targets;
    private final Path directory;

    /** @param targets several share the time, and have a byte before each input that says whose it is */
    FuzzProcess(List<String> targets) {
        this.targets = targets;
        this.directory = Path.of("target", "fuzz",
                targets.size() == 1 ? targets.getFirst() : "of-" + targets.getFirst());
    }

    /**
     * Fuzzes.
     *
     * @param thorough whether the parsers' own code and the values that are compared guide it as well, which takes a
     *     minute to set up, and whether some inputs are made long
     * @param runs the most inputs that are tried
     * @param time the most time
     * @return what was found; empty if nothing was
     */
    String run(boolean thorough, long runs, Duration time) throws IOException, InterruptedException {
        Path corpus = Files.createDirectories(directory.resolve("corpus"));
        Path findings = Files.createDirectories(directory.resolve("findings"));
        Path seeds = seeds();
        Path log = directory.resolve("log");
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx900m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + (thorough ? 4 : 1), "-XX:+EnableDynamicAgentLoading",
                "-Djdk.attach.allowAttachSelf=true",
                "--enable-native-access=ALL-UNNAMED", "-Dfuzz.targets=" + String.join(",", targets),
                "-Dfuzz.stretched=" + (thorough ? STRETCHED : 0), "-cp", System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer", "--target_class=" + JazzerDriver.class.getName(),
                "--instrumentation_includes=" + OWN + (thorough ? PARSERS : ""),
                "--trace=" + (thorough ? "cov,cmp,div,indir" : "cov"), "--custom_hook_includes=" + OWN,
                "--mutator_framework=false",
                // Its work on patterns would count as the target's.
                "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexRoadblocks", "--keep_going=100",
                "--reproducer_path=" + findings,
                "-artifact_prefix=" + findings + "/", "-dict=" + words(), "-seed=1", "-timeout=150", "-rss_limit_mb=0",
                "-max_len=8192", "-max_total_time=" + time.toSeconds(), "-runs=" + runs, "-print_final_stats=1",
                corpus.toString(), seeds.toString()));
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
        return String.join(", ", targets) + ": "
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

    /** The directory of the repository's inputs; for several targets a copy, each input with its byte. */
    private Path seeds() throws IOException {
        if (targets.size() == 1) {
            return Corpus.directory(targets.getFirst());
        }
        Path all = Files.createDirectories(directory.resolve("seeds"));
        for (int i = 0; i < targets.size(); i++) {
            for (Corpus.Input input : Corpus.of(targets.get(i))) {
                byte[] bytes = new byte[input.bytes().length + 1];
                bytes[0] = (byte) i;
                System.arraycopy(input.bytes(), 0, bytes, 1, input.bytes().length);
                Files.write(all.resolve(targets.get(i) + "-" + input.name()), bytes);
            }
        }
        return all;
    }

    /** A dictionary of the words that the inputs are made of. */
    private Path words() throws IOException {
        TreeSet<String> words = new TreeSet<>();
        for (String target : targets) {
            for (Corpus.Input input : Corpus.of(target)) {
                Matcher matcher = WORD.matcher(new String(input.bytes(), StandardCharsets.ISO_8859_1));
                while (matcher.find()) {
                    words.add(matcher.group());
                }
            }
        }
        try (Stream<String> lines = words.stream().limit(MOST_WORDS).map(word -> '"' + word + '"')) {
            return Files.write(directory.resolve("words"), lines.toList());
        }
    }
}
