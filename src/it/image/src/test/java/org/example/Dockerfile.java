package org.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Builds the file systems of a Dockerfile's stages without a container engine: a directory for each stage, below which
 * absolute paths lie. Programs of the base image are those of this machine. The caller may replace commands.
 */
final class Dockerfile {
    private static final Pattern MOUNT = Pattern
            .compile("--mount=type=bind,from=(\\S+?),source=(\\S+?),target=(\\S+) +(.*)");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");

    private final Path context;
    private final Path work;
    private final Map<String, String> replaced;
    private final Map<String, Path> stages = new HashMap<>();
    private final Map<String, String> arguments = new HashMap<>();
    final List<String> bases = new ArrayList<>();
    final List<String> labels = new ArrayList<>();
    List<String> entryPoint = List.of();
    String user = "0";
    Path root;
    private String directory = "/";

    /** @param replaced commands by a part of their text, and the command to run in the place of each */
    Dockerfile(Path context, Path work, Map<String, String> replaced) {
        this.context = context;
        this.work = work;
        this.replaced = replaced;
    }

    Dockerfile build() throws Exception {
        String text = Files.readString(context.resolve("Dockerfile")).replaceAll("(?m)^#.*\\n", "")
                .replaceAll("\\\\\\n\\s*", "");
        for (String line : text.lines().filter(step -> !step.isBlank()).toList()) {
            String[] step = line.split(" ", 2);
            switch (step[0]) {
                case "ARG" -> arguments.put(step[1].split("=", 2)[0], step[1].split("=", 2)[1]);
                case "FROM" -> from(step[1]);
                case "LABEL" -> labels.addAll(List.of(step[1].split(" +(?=[a-z.]+=)")));
                case "WORKDIR" -> Files.createDirectories(at(directory = step[1]));
                case "COPY" -> copy(step[1].split(" "));
                case "RUN" -> run(step[1]);
                case "USER" -> user = step[1];
                case "EXPOSE" -> {}
                case "ENTRYPOINT" -> entryPoint = QUOTED.matcher(step[1]).results().map(word -> word.group(1)).toList();
                default -> throw new IllegalArgumentException("unknown step: " + line);
            }
        }
        return this;
    }

    private void from(String words) throws IOException {
        Matcher from = Pattern.compile("(\\S+)(?: AS (\\S+))?").matcher(words);
        if (!from.matches()) {
            throw new IllegalArgumentException("FROM " + words);
        }
        String base = from.group(1);
        for (Map.Entry<String, String> argument : arguments.entrySet()) {
            base = base.replace("${" + argument.getKey() + "}", argument.getValue());
        }
        bases.add(base);
        String name = from.group(2) == null ? "last" : from.group(2);
        root = Files.createDirectories(work.resolve(name));
        stages.put(name, root);
        Files.createDirectories(root.resolve("tmp"));
        directory = "/";
        user = "0";
    }

    private Path at(String path) {
        return path.startsWith("/") ? root.resolve(path.substring(1)) : at(directory).resolve(path);
    }

    private void copy(String[] words) throws IOException {
        boolean stage = words[0].startsWith("--from=");
        Path target = at(words[words.length - 1]);
        for (String source : Arrays.copyOfRange(words, stage ? 1 : 0, words.length - 1)) {
            Path from = stage
                    ? stages.get(words[0].substring("--from=".length())).resolve(source.substring(1))
                    : context.resolve(source);
            boolean into = Files.isDirectory(from) || !words[words.length - 1].endsWith("/")
                    && !words[words.length - 1].equals(".");
            copyAll(from, into ? target : target.resolve(from.getFileName()));
        }
    }

    private static void copyAll(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    private void run(String words) throws Exception {
        Matcher mount = MOUNT.matcher(words);
        String command = mount.matches() ? mount.group(4) : words;
        String wanted = replaced.entrySet().stream().filter(each -> command.contains(each.getKey()))
                .map(Map.Entry::getValue).findFirst().orElse(inRoot(command));
        if (mount.matches()) {
            Path source = stages.get(mount.group(1)).resolve(mount.group(2).substring(1));
            wanted = wanted.replaceAll("(?<!\\w)" + Pattern.quote(mount.group(3)) + "(?!\\w)",
                    Matcher.quoteReplacement(source.toString()));
        }
        Process shell = shell(wanted).inheritIO().start();
        if (shell.waitFor() != 0) {
            throw new IllegalStateException("RUN " + wanted + " ended with " + shell.exitValue());
        }
    }

    /** A command in the working directory of the last stage, with this JVM's java. */
    ProcessBuilder shell(String command) {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).directory(at(directory).toFile());
        builder.environment().keySet().removeAll(List.of("KUBECONFIG", "KUBERNETES_SERVICE_HOST"));
        builder.environment().merge("PATH", System.getProperty("java.home") + "/bin",
                (path, java) -> java + ":" + path);
        return builder;
    }

    /** A command of the file, with absolute paths below the stage's directory. */
    String inRoot(String command) {
        return command.replaceAll("(?<![\\w.>/])/(?=app|src|layers|tmp|work)", root + "/");
    }
}
