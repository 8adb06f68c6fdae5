package dev.wheelhouse.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

import io.kubernetes.client.openapi.models.V1Deployment;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerMode;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The console in a real Chromium: each view in both themes and at the widths of a desk and of a phone, by mouse and by
 * keyboard. Pictures of the views are in {@code target/console}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(1800)
@Tag("processes")
@Tag("full")
class ConsolePageTest {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final Path PICTURES = Path.of("target/console");
    private static final String BROKEN = """
            apiVersion: v1
            kind: Pod
            metadata: {name: Not_valid}
            spec: {containers: [{name: web, image: nginx}]}
            """;

    @TempDir
    private static Path directory;

    private RunningService service;
    private Workloads shop;
    private @Nullable ChromeDriver chromium;

    @BeforeAll
    void start() throws IOException {
        Chromium.requireOrSkip();
        Path manifests = Files.createDirectories(directory.resolve("manifests"));
        Files.writeString(manifests.resolve("log.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: log}
                spec: {containers: [{name: log, image: fluent-bit:3}]}
                """);
        Files.writeString(manifests.resolve("broken.yaml"), BROKEN);
        service = RunningService.start(directory, "--wheelhouse.node.manifest-directory=" + manifests);
        shop = new Workloads(service.bean(KubeClient.class), "shop");
        shop.deployments().create(shop.newDeployment("web", 4));
        eventually("the Deployment is ready", SOON, () -> Integer.valueOf(4)
                .equals(shop.deployments().get(ObjectKey.of("shop", "web")).getStatus().getReadyReplicas()));
        chromium = Chromium.start(directory.resolve("profile"));
    }

    @AfterAll
    void stop() {
        if (chromium != null) {
            chromium.quit();
        }
        if (service != null) {
            service.close();
        }
    }

    private ChromeDriver browser() {
        return Objects.requireNonNull(chromium);
    }

    private String home() {
        return service.actuator().replace("/actuator", "/");
    }

    private void size(int width, int height) {
        browser().executeCdpCommand("Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", height,
                "deviceScaleFactor", 1, "mobile", false));
    }

    /** Shows a view, and waits for its first state. */
    private void show(String view) {
        browser().get(home());
        browser().executeScript("location.hash = arguments[0]", "#/" + view);
        eventually("the view " + view, SOON, () -> Boolean.TRUE.equals(browser().executeScript(
                "return document.querySelector('main[aria-busy]') === null && document.title.length > 10"
                        + " && document.querySelector('#live').textContent === 'live'")));
    }

    private String text() {
        return browser().findElement(By.tagName("main")).getText();
    }

    private void eventuallyShows(String... texts) {
        for (String text : texts) {
            eventually("the page shows \"" + text + "\"", SOON, () -> text().contains(text));
        }
    }

    private WebElement button(String label) {
        return browser().findElement(By.cssSelector("button[aria-label='" + label + "']"));
    }

    @ParameterizedTest
    @CsvSource({"problems, problems, All is well", "flow, flow, Queues and workers", "objects, objects, shop/web",
            "object, object?type=deployments.apps&namespace=shop&name=web, What would be done now",
            "all, objects?type=all, clusterroles.rbac", "pods, objects?type=pods, Restarts",
            "yaml, object?type=deployments.apps&namespace=shop&name=web&show=yaml, apiVersion: apps/v1",
            "logs, object?type=pods&namespace=default&name=log-node-1&show=logs, no process runs",
            "why, why, decision", "controllers, controllers, deployment-controller",
            "nodes, nodes, refused"})
    void eachViewIsReadableInBothThemesAtEachWidthAndWithoutBarriers(String name, String view, String shows)
            throws Exception {
        String axe = resource("/axe.min.js");
        Files.createDirectories(PICTURES);
        for (Look look : looks()) {
            String theme = look.theme;
            int width = look.width;
            size(width, 900);
            browser().get(home());
            browser().executeScript("localStorage.setItem('wheelhouse-theme', arguments[0])", theme);
            show(view);
            eventuallyShows(shows);
            if (name.equals("controllers")) {
                browser().executeScript(
                        "document.querySelector('[data-key=deployment-controller]').open = true");
            }
            Files.write(PICTURES.resolve(name + "-" + width + "-" + theme + ".png"),
                    browser().getScreenshotAs(OutputType.BYTES));
            assertThat(browser().executeScript("return document.documentElement.scrollWidth"
                    + " <= document.documentElement.clientWidth"))
                    .as("the page of %s fits into %d pixels", name, width).isEqualTo(true);
            browser().executeScript(axe);
            assertThat((List<?>) browser().executeAsyncScript("""
                    const done = arguments[arguments.length - 1];
                    axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations.map(
                        violation => violation.id + ': ' + violation.nodes.map(node => node.html + ' '
                            + node.failureSummary).join(' | '))), failure => done([String(failure)]));
                    """)).as("barriers in %s, %s at %d", name, theme, width).isEmpty();
        }
    }

    private record Look(String theme, int width) {}

    /** Each theme and each width once, or all of both with {@code -Dconsole.all=true}. */
    private static List<Look> looks() {
        List<Look> crossed = List.of(new Look("light", 1400), new Look("dark", 400));
        return Boolean.getBoolean("console.all")
                ? Stream.concat(crossed.stream(), Stream.of(new Look("light", 400), new Look("dark", 1400))).toList()
                : crossed;
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ConsolePageTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void thePageIsSmallAndAsksNobodyElse() throws IOException {
        size(1400, 900);
        for (String view : List.of("problems", "flow", "objects", "why", "controllers", "nodes")) {
            show(view);
        }
        assertThat((List<?>) browser().executeScript(
                "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).origin)"))
                .isNotEmpty().allMatch(origin -> home().startsWith(String.valueOf(origin)));
        Path page = Path.of("src/main/resources/dev/wheelhouse/console/page");
        try (var files = Files.list(page)) {
            assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThan(300_000);
        }
    }

    @Test
    void aRolloutIsMadeStuckByAButtonAndTheTimelineTreeAndWritesShowIt() {
        size(1400, 900);
        shop.deployments().create(shop.newDeployment("shaky", 3));
        show("object?type=deployments.apps&namespace=shop&name=shaky");
        eventuallyShows("3/3 ready", "revision 1");
        button("Make a rollout stuck").click();
        // The sentence stays for six seconds.
        eventually("the page says what the button did", SOON, () -> browser().findElement(By.id("said")).getText()
                .contains("rolls out pods that are stuck"));
        eventuallyShows("revision 2", "not ready", "ScalingReplicaSet", "update of ");
        assertThat(browser().findElements(By.cssSelector(".timeline .area.set1"))).isNotEmpty();

        button("Make a rollout well again").click();
        eventuallyShows("revision 3", "3/3 ready");
        shop.deployments().delete(ObjectKey.of("shop", "shaky"),
                Deletion.unconditional().withPropagation("Background"));
    }

    private void press(CharSequence... keys) {
        browser().switchTo().activeElement().sendKeys(keys);
    }

    private Integer replicas(String name) {
        return shop.deployments().get(ObjectKey.of("shop", name)).getSpec().getReplicas();
    }

    @Test
    void anObjectIsFoundOpenedReadAndChangedByKeysAlone() {
        size(1400, 900);
        shop.deployments().create(shop.newDeployment("keyed", 1));
        show("objects?type=deployments.apps&namespace=shop");
        eventuallyShows("shop/keyed", "shop/web");
        press("/");
        press("keyed", Keys.ESCAPE);
        eventually("only the object is shown", SOON, () -> !text().contains("shop/web"));
        press("j");
        press(Keys.ENTER);
        eventuallyShows("What would be done now", "1/1 ready");
        press("y");
        eventuallyShows("kind: Deployment", "Managed fields");
        assertThat(text()).doesNotContain("manager: ");
        press("e");
        eventuallyShows("ScalingReplicaSet");

        press("s");
        WebElement count = browser().findElement(By.id("ask-count"));
        eventually("a question is asked", SOON, count::isDisplayed);
        count.sendKeys("2", Keys.ENTER);
        eventually("the page says what was done", SOON, () -> browser().findElement(By.id("said")).getText()
                .contains("Deployment shop/keyed is scaled to 2"));
        assertThat(replicas("keyed")).isEqualTo(2);
        press("u");
        browser().findElement(By.id("ask-yes")).click();
        eventually("the page says why not", SOON, () -> browser().findElement(By.id("said")).getText()
                .contains("has no earlier revision"));
        press("p");
        eventuallyShows("paused");
        press(Keys.ESCAPE);
        eventuallyShows("What would be done now");
        press(Keys.BACK_SPACE);
        eventually("the list is shown as before", SOON, () -> browser().getCurrentUrl().endsWith("text=keyed"));
        eventuallyShows("shop/keyed");
        press("?");
        assertThat(browser().findElement(By.id("help")).getText()).contains("pause or resume");
        press(Keys.ESCAPE);
        shop.deployments().delete(ObjectKey.of("shop", "keyed"),
                Deletion.unconditional().withPropagation("Background"));
    }

    @Test
    void aControllerIsPausedGivenWorkersAndResumedByKeyboardAlone() {
        size(1400, 900);
        show("controllers");
        WebElement summary = browser().findElement(By.cssSelector("[data-key=job-controller] > summary"));
        browser().executeScript("arguments[0].focus()", summary);
        summary.sendKeys(Keys.ENTER);
        button("Pause job-controller").sendKeys(Keys.ENTER);
        eventuallyShows("paused");
        assertThat(mode("job-controller")).isEqualTo(ControllerMode.PAUSED);

        WebElement workers = browser().findElement(By.id("workers-job-controller"));
        workers.sendKeys(Keys.chord(Keys.CONTROL, "a"), "7", Keys.ENTER);
        eventuallyShows("0 of 7 workers busy");
        button("Resume job-controller").sendKeys(Keys.ENTER);
        eventually("it runs", SOON, () -> mode("job-controller") == ControllerMode.RUNNING);
    }

    private ControllerMode mode(String controller) {
        return service.bean(ControllerManager.class).live().stream()
                .filter(live -> live.state().name().equals(controller)).findFirst().orElseThrow().mode();
    }

    @Test
    void writesAreFoundByObjectAndByController() {
        size(1400, 900);
        show("why");
        browser().findElement(By.name("object")).sendKeys("shop/web");
        eventually("the address has the object", SOON, () -> browser().getCurrentUrl().contains("shop%2Fweb"));
        browser().findElement(By.cssSelector("option[value=deployment-controller]")).click();
        eventually("only its writes are shown", SOON, () -> List.of("deployment-controller").equals(
                browser().executeScript("return [...new Set([...document.querySelectorAll('.chain-head b')]"
                        + ".map(controller => controller.textContent))]")));
        eventuallyShows("add of deployments.apps");
    }

    @Test
    void theFirstPageNamesTheDeepestCauseAndIsCalmAfterTheRepair() throws IOException {
        size(1400, 900);
        show("problems");
        eventuallyShows("All is well");
        V1Deployment broken = shop.newDeployment("broken", 2);
        broken.getSpec().getTemplate().getSpec().getContainers().getFirst().image("nginx:1.161");
        shop.deployments().create(broken);
        eventuallyShows("1 problem", "shop/broken", "image nginx:1.161 of container",
                "For who names the image", "kubectl describe -n shop pods broken-");
        Files.write(PICTURES.resolve("problems-one-1400-light.png"), browser().getScreenshotAs(OutputType.BYTES));
        shop.deployments().delete(ObjectKey.of("shop", "broken"),
                Deletion.unconditional().withPropagation("Background"));
        eventuallyShows("All is well");
    }

    @Test
    void aServiceThatIsGoneIsGreyWithinThreeSecondsAndComesBack() {
        size(1400, 900);
        show("flow");
        browser().executeScript("""
                window.heard = ReadableStreamDefaultReader.prototype.read;
                ReadableStreamDefaultReader.prototype.read = () => new Promise(() => {});
                """);
        eventually("the page is grey", Duration.ofSeconds(20), () -> Boolean.TRUE.equals(browser().executeScript(
                "return document.querySelector('main.lost') !== null"
                        + " && document.querySelector('#live').textContent.startsWith('no word from the service')")));
        browser().executeScript("ReadableStreamDefaultReader.prototype.read = window.heard");
        eventually("the page is live again", SOON, () -> Boolean.TRUE.equals(browser().executeScript(
                "return document.querySelector('main.lost') === null"
                        + " && document.querySelector('#live').textContent === 'live'")));
    }
}
