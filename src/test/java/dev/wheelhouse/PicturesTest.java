package dev.wheelhouse;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;

import dev.wheelhouse.Terminal.Shell;
import dev.wheelhouse.TypedPage.Typed;
import dev.wheelhouse.console.Chromium;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The pictures of the README. {@code -Dpictures.write=true} makes them from the running product. */
@Tag("processes")
@Timeout(900)
class PicturesTest {
    private static final Path PICTURES = Path.of("docs/pictures");
    private static final Path FIRST_MINUTE = PICTURES.resolve("first-minute.svg");
    private static final Pattern REFERENCE = Pattern.compile("(?:=\"|\\]\\()(docs/pictures/[^\")]+)[\")]");
    private static final int MOST_BYTES = 300_000;
    private static final Duration SOON = Duration.ofMinutes(3);
    /** Three objects that are not well: an image, a program that ends, a class of volumes. */
    private static final String BROKEN = """
            kubectl apply -f examples/guestbook -f examples/shop
            kubectl -n shop wait --for=condition=Available deployment --all --timeout=200s
            kubectl create namespace mail
            kubectl -n mail create deployment newsletter --image=newsletter:1.161 --replicas=2
            kubectl apply -f - <<'END'
            apiVersion: batch/v1
            kind: Job
            metadata: {name: import-orders, namespace: shop}
            spec:
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  containers: [{name: import, image: "import:3", command: [sh, -c, "sleep 1; exit 3"]}]
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: archive, namespace: mail}
            spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
            END
            """;
    private static final String ROLLOUT = """
            kubectl create namespace fleet
            kubectl apply -f - <<'END'
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: fleet}
            spec:
              replicas: 8
              strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}, annotations: {hollow.wheelhouse.dev/ready-delay: 6s}}
                spec: {containers: [{name: nginx, image: "nginx:1.27"}]}
            END
            kubectl -n fleet rollout status deployment/web --timeout=200s
            kubectl -n fleet set image deployment/web nginx=nginx:1.28
            """;

    @TempDir
    private Path directory;

    @Test
    void theReadmeShowsPicturesThatAreThereAndSmall() throws IOException {
        Set<Path> shown = REFERENCE.matcher(Files.readString(Path.of("README.md"))).results()
                .map(found -> Path.of(found.group(1))).collect(Collectors.toCollection(TreeSet::new));
        try (Stream<Path> files = Files.list(PICTURES)) {
            List<Path> there = files.sorted().toList();
            assertThat(there).hasSize(5).containsExactlyElementsOf(shown);
            assertThat(there.stream().mapToLong(file -> file.toFile().length()).sum()).isLessThan(MOST_BYTES);
        }
    }

    /** The picture is made anew when the README's first commands are others. */
    @Test
    void theFirstMinuteIsTheReadmesAndRunsNoScript() throws IOException {
        String picture = Files.readString(FIRST_MINUTE);
        assertThat(picture).doesNotContain("<script", "href", "foreignObject");
        assertThat(Pattern.compile("<tspan class=\"c\">([^<]*)<").matcher(picture).results()
                .map((MatchResult found) -> FirstMinute.plain(found.group(1))).toList())
                .isEqualTo(firstLines().stream().map(FirstMinute::cut).toList());
    }

    /** The lines of the README's first two blocks, down to the second empty one. */
    private static List<String> firstLines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (TypedPage.Block block : TypedPage.Block.of(Files.readString(Path.of("README.md"))).subList(0, 2)) {
            lines.addAll(block.lines());
        }
        return lines.subList(0, lines.indexOf("kubectl rollout undo deployment/web") + 1).stream()
                .filter(line -> !line.isEmpty()).toList();
    }

    @Test
    @EnabledIfSystemProperty(named = "pictures.write", matches = "true")
    void theFirstMinuteIsWritten() throws IOException {
        Kubectl.orSkip(directory, directory);
        List<Typed> typed;
        try (TypedPage page = new TypedPage(Shell.BASH, directory)) {
            List<TypedPage.Block> first = TypedPage.Block.of(Files.readString(Path.of("README.md"))).subList(0, 2);
            page.type(Files.readString(Path.of("README.md")), first::contains);
            typed = page.transcript();
        }
        Files.createDirectories(PICTURES);
        Files.writeString(FIRST_MINUTE, FirstMinute.svg(typed, firstLines(), directory.resolve("wheelhouse")));
    }

    @Test
    @EnabledIfSystemProperty(named = "pictures.write", matches = "true")
    void theConsoleIsPhotographed() throws IOException {
        Chromium.requireOrSkip();
        Files.createDirectories(PICTURES);
        try (RunningService service = RunningService.start(directory)) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), directory);
            ChromeDriver chromium = Chromium.start(directory.resolve("profile"), "--hide-scrollbars");
            try {
                chromium.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                        Map.of("width", 1200, "height", 760, "deviceScaleFactor", 1.5, "mobile", false));
                String home = URI.create(service.actuator()).resolve("/").toString();
                kubectl.shell(BROKEN).succeeded();
                chromium.get(home + "#/problems");
                shows(chromium, "newsletter", "import-orders", "archive");
                photograph(chromium, "problems");

                kubectl.shell(ROLLOUT).succeeded();
                chromium.get(home + "#/object?type=deployments.apps&namespace=fleet&name=web");
                shows(chromium, "revision 2");
                eventually("half of the pods of the rollout are new", SOON, () -> kubectl.run("-n", "fleet", "get",
                        "deployment", "web", "-o", "jsonpath={.status.observedGeneration} {.status.updatedReplicas}")
                        .output().matches("2 [567]"));
                photograph(chromium, "rollout");
            } finally {
                chromium.quit();
            }
        }
    }

    private static void shows(ChromeDriver chromium, String... texts) {
        for (String text : texts) {
            eventually("the page shows " + text, SOON,
                    () -> chromium.findElement(By.tagName("main")).getText().contains(text));
        }
    }

    private static void photograph(ChromeDriver chromium, String name) throws IOException {
        for (String scheme : List.of("light", "dark")) {
            chromium.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features",
                    List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
            Map<String, Object> picture = chromium.executeCdpCommand("Page.captureScreenshot",
                    Map.of("format", "webp", "quality", 60));
            Files.write(PICTURES.resolve(name + "-" + scheme + ".webp"),
                    Base64.getDecoder().decode(String.valueOf(picture.get("data"))));
        }
    }
}
