package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Logged;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated
class FileSourceTest {
    private static final Duration PERIOD = Duration.ofSeconds(20);

    @TempDir
    Path parent;

    private final ManualClock clock = new ManualClock();
    private final List<String> rejected = new ArrayList<>();
    private final PodChannel channel = new PodChannel("file", () -> {});
    private Path directory = Path.of("");
    private FileSource source = source(Path.of("unused"));

    @BeforeEach
    void start() throws IOException {
        directory = Files.createDirectory(parent.resolve("manifests"));
        restart(directory);
    }

    @AfterEach
    void stop() {
        source.close();
    }

    private FileSource source(Path path) {
        return new FileSource(path, "node-1", PERIOD, channel, (from, pod, why) -> rejected.add(why),
                Meters.NONE, clock);
    }

    private void restart(Path path) {
        source.close();
        source = source(path);
    }

    private static String pod(String name, String image) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{name: c, image: '"
                + image
                + "'}]}\n";
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text);
    }

    /** Moves the clock by the period, and returns what the source sends; null if it sends nothing. */
    private @Nullable List<String> read() {
        clock.advance(PERIOD);
        for (int i = 0; i < 3; i++) {
            source.step();
            clock.advance(FileSource.SETTLE);
        }
        PodUpdate update = channel.peek();
        if (update == null) {
            return null;
        }
        channel.remove(update);
        return update.pods().stream().map(FileSourceTest::summary).toList();
    }

    private static String summary(V1Pod pod) {
        return pod.getMetadata().getName() + " " + pod.getSpec().getContainers().get(0).getImage();
    }

    @Test
    void aMissingPathIsAnEmptySetUntilItAppears() throws IOException {
        Path later = parent.resolve("later");
        restart(later);
        assertThat(read()).isEmpty();
        assertThat(read()).isNull();

        Files.createDirectory(later);
        Files.writeString(later.resolve("a.yaml"), pod("a", "nginx:1"));
        assertThat(read()).containsExactly("a-node-1 nginx:1");
    }

    @Test
    void filesAboveTheMostAreLeftOutInOneSentenceThatIsSaidOnce() throws IOException {
        try (Logged log = Logged.by("dev.wheelhouse.podconfig")) {
            for (int i = 1000; i < 1000 + FileSource.MAX_FILES + 50; i++) {
                write(i + ".yaml", pod("p" + i, "nginx:1"));
            }
            assertThat(read()).hasSize(FileSource.MAX_FILES);
            assertThat(read()).isNull();
            assertThat(source.refusals()).singleElement().hasToString(directory
                    + ": the directory has more than 1000 files, and those after 1999.yaml are left out: remove some");
            assertThat(log.lines()).hasSizeLessThan(3);

            for (int i = 2000; i < 2050; i++) {
                Files.delete(directory.resolve(i + ".yaml"));
            }
            assertThat(read()).isNull();
            assertThat(source.refusals()).isEmpty();
        }
    }

    @Test
    void filesThatAreSkippedAreSaidOnceHoweverManyTheyAre() throws IOException {
        for (int i = 0; i < FileSource.MAX_FILES + 50; i++) {
            write(i + ".yaml~", "");
        }
        read();
        try (Logged log = Logged.by("dev.wheelhouse.podconfig")) {
            read();
            read();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void aPathThatIsNeitherFileNorDirectoryIsRefusedBecauseOpeningAPipeNeverEnds() throws Exception {
        Path pipe = parent.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        restart(pipe);
        assertThat(read()).isEmpty();
        assertThat(source.refusals()).singleElement()
                .hasToString(pipe + ": it is neither a regular file nor a directory");
    }

    @Test
    void filesAreReadInNameOrderAndDotFilesBackupsAndDirectoriesAreSkipped() throws IOException {
        write("b.yaml", pod("b", "nginx:1"));
        write("a.json", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},"
                + "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"nginx:1\"}]}}");
        for (String skipped : List.of(".hidden", ".#a.yaml", "a.yaml~", "a.swp", "a.bak", "#a#")) {
            write(skipped, pod("skipped", "nginx:1"));
        }
        Files.createDirectory(directory.resolve("sub"));
        Files.writeString(directory.resolve("sub/c.yaml"), pod("c", "nginx:1"));

        assertThat(read()).containsExactly("a-node-1 nginx:1", "b-node-1 nginx:1");
    }

    @Test
    void aFileHoldsSeveralPods() throws IOException {
        write("a.yaml", pod("a", "nginx:1") + "---\n" + pod("b", "nginx:1"));

        assertThat(read()).containsExactly("a-node-1 nginx:1", "b-node-1 nginx:1");
    }

    @Test
    void aSingleFileIsASourceAsWell() throws IOException {
        write("a.yaml", pod("a", "nginx:1"));
        write("b.yaml", pod("b", "nginx:1"));
        restart(directory.resolve("a.yaml"));

        assertThat(read()).containsExactly("a-node-1 nginx:1");
    }

    @Test
    void anUnchangedDirectoryIsNotSentAgain() throws IOException {
        write("a.yaml", pod("a", "nginx:1"));

        assertThat(read()).hasSize(1);
        assertThat(read()).isNull();
    }

    @Test
    void removingAFileRemovesItsPodsAndARenameIsSeen() throws IOException {
        write("a.yaml", pod("a", "nginx:1"));
        write("b.yaml", pod("b", "nginx:1"));
        read();

        Files.delete(directory.resolve("a.yaml"));
        assertThat(read()).containsExactly("b-node-1 nginx:1");
        Files.move(directory.resolve("b.yaml"), directory.resolve("z.yaml"));
        assertThat(read()).containsExactly("b-node-1 nginx:1");
        Files.move(directory.resolve("z.yaml"), directory.resolve(".z.yaml"));
        assertThat(read()).isEmpty();
    }

    @Test
    void aManifestThatStopsParsingKeepsItsLastGoodPodUntilItIsFixedOrGone() throws IOException {
        write("a.yaml", pod("a", "nginx:1"));
        write("b.yaml", pod("b", "nginx:1"));
        read();

        write("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a\n");
        write("b.yaml", pod("b", "nginx:2"));
        assertThat(read()).containsExactly("a-node-1 nginx:1", "b-node-1 nginx:2");
        assertThat(source.refusals()).singleElement()
                .satisfies(r -> assertThat(r.location()).endsWith("a.yaml"));
        assertThat(rejected).singleElement().asString().contains("a.yaml").contains("keeps running unchanged");
        assertThat(read()).isNull();
        assertThat(rejected).as("it is said once").hasSize(1);

        write("a.yaml", pod("a", "nginx:3"));
        assertThat(read()).containsExactly("a-node-1 nginx:3", "b-node-1 nginx:2");
        assertThat(source.refusals()).isEmpty();

        write("a.yaml", "{");
        read();
        Files.delete(directory.resolve("a.yaml"));
        assertThat(read()).containsExactly("b-node-1 nginx:2");
        assertThat(source.refusals()).isEmpty();
    }

    @Test
    void fixingAManifestToWhatItWasBeforeClearsTheRefusal() throws IOException {
        write("a.yaml", pod("a", "nginx:1"));
        read();
        write("a.yaml", "{");
        read();

        write("a.yaml", pod("a", "nginx:1"));
        read();

        assertThat(source.refusals()).isEmpty();
    }

    @Test
    void oneBrokenFileDoesNotHideTheOthers() throws IOException {
        write("a.yaml", "{");
        write("b.yaml", pod("b", "nginx:1"));

        assertThat(read()).containsExactly("b-node-1 nginx:1");
    }

    @Test
    void aFileThatIsTooLargeIsRefused() throws IOException {
        Files.write(directory.resolve("a.yaml"), new byte[YamlDocuments.MAX_BYTES + 1]);

        assertThat(read()).isEmpty();
        assertThat(source.refusals()).singleElement().satisfies(r -> assertThat(r.problem()).contains("10 MiB"));
    }

    @Test
    void linksThatAreSwappedAsMountedConfigMapsAreFollowed() throws IOException {
        for (String version : List.of("1", "2")) {
            Path data = Files.createDirectory(directory.resolve("..data" + version));
            Files.writeString(data.resolve("a.yaml"), pod("a", "nginx:" + version));
        }
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("..data1"));
        Files.createSymbolicLink(directory.resolve("a.yaml"), Path.of("..data/a.yaml"));
        assertThat(read()).containsExactly("a-node-1 nginx:1");

        Files.createSymbolicLink(directory.resolve("..tmp"), Path.of("..data2"));
        Files.move(directory.resolve("..tmp"), directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);

        assertThat(read()).containsExactly("a-node-1 nginx:2");
    }

    @Test
    void aLinkWhoseTargetIsAwayKeepsItsPod() throws IOException {
        Files.writeString(parent.resolve("target.yaml"), pod("a", "nginx:1"));
        Files.createSymbolicLink(directory.resolve("a.yaml"), parent.resolve("target.yaml"));
        read();

        Files.delete(parent.resolve("target.yaml"));
        assertThat(read()).isNull();
        assertThat(source.refusals()).hasSize(1);

        Files.delete(directory.resolve("a.yaml"));
        assertThat(read()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a link", "a link to a link", "a link in the way", "a link with dots", "the path itself",
            "the directory", "a link that leads nowhere yet"})
    void aChangeBehindALinkIsSeenAtOnceThroughTheFileSystemsNotification(String kind) throws IOException {
        Path store = Files.createDirectories(parent.resolve("store/v1"));
        Path target = store.resolve("target.yaml");
        Files.writeString(target, pod("a", "nginx:1"));
        Path manifest = directory.resolve("a.yaml");
        Path watched = kind.startsWith("the ") ? parent.resolve("link") : directory;
        switch (kind) {
            case "a link" -> Files.createSymbolicLink(manifest, target);
            case "a link to a link" -> {
                Files.createSymbolicLink(store.resolve("other.yaml"), Path.of("target.yaml"));
                Files.createSymbolicLink(manifest, store.resolve("other.yaml"));
            }
            case "a link in the way" -> {
                Files.createSymbolicLink(parent.resolve("current"), Path.of("store/v1"));
                Files.createSymbolicLink(manifest, parent.resolve("current/target.yaml"));
            }
            case "a link with dots" -> Files.createSymbolicLink(manifest, Path.of("../store/./v1/target.yaml"));
            case "the path itself" -> Files.createSymbolicLink(watched, target);
            case "the directory" -> Files.createSymbolicLink(watched, store);
            default -> {
                Files.delete(target);
                Files.createSymbolicLink(manifest, target);
            }
        }
        FileSource live = new FileSource(watched, "node-1", Duration.ofHours(1), channel, (s, p, w) -> {},
                Meters.NONE, Clock.system());
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            runner.start("file", live);
            Eventually.eventually("the first set", Duration.ofMinutes(2), () -> kind.startsWith("a link that leads")
                    ? channel.peek() != null
                    : sees("a-node-1 nginx:1"));

            Files.writeString(target, pod("a", "nginx:2"));
            Eventually.eventually("the new content", Duration.ofMinutes(2), () -> sees("a-node-1 nginx:2"));
            if (kind.equals("a link in the way")) {
                Path next = Files.createDirectories(parent.resolve("store/v2"));
                Files.writeString(next.resolve("target.yaml"), pod("a", "nginx:3"));
                Files.createSymbolicLink(parent.resolve("new"), Path.of("store/v2"));
                Files.move(parent.resolve("new"), parent.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
                Eventually.eventually("the other target", Duration.ofMinutes(2), () -> sees("a-node-1 nginx:3"));
            }
        }
    }

    @Test
    void aWriteIsSeenAtOnceThroughTheFileSystemsNotification() throws IOException {
        FileSource live = new FileSource(directory, "node-1", Duration.ofHours(1), channel, (s, p, w) -> {},
                Meters.NONE,
                Clock.system());
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            runner.start("file", live);
            Eventually.eventually("the first set", Duration.ofMinutes(2), () -> channel.peek() != null);

            write("a.yaml", pod("a", "nginx:1"));
            Eventually.eventually("the new file", Duration.ofMinutes(2), () -> sees("a-node-1 nginx:1"));
            Files.writeString(parent.resolve("new"), pod("a", "nginx:2"));
            Files.move(parent.resolve("new"), directory.resolve("a.yaml"), StandardCopyOption.ATOMIC_MOVE);
            Eventually.eventually("the file that was moved over it", Duration.ofMinutes(2),
                    () -> sees("a-node-1 nginx:2"));
            Files.delete(directory.resolve("a.yaml"));
            Eventually.eventually("its removal", Duration.ofMinutes(2), this::sees);
        }
    }

    private boolean sees(String... summaries) {
        PodUpdate update = channel.peek();
        return update != null
                && update.pods().stream().map(FileSourceTest::summary).toList().equals(List.of(summaries));
    }
}
