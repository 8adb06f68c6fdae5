package dev.wheelhouse.console;

import java.nio.file.Path;
import java.time.Duration;

import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.opentest4j.TestAbortedException;

import dev.wheelhouse.Kubectl;

/** A Chromium without a window, driven by chromedriver. Both must be on the PATH. */
public final class Chromium {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Chromium() {}

    public static void requireOrSkip() {
        onPathOrSkip("chromium");
        onPathOrSkip("chromedriver");
    }

    /** @param profile a directory of its own */
    public static ChromeDriver start(Path profile, String... arguments) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(onPathOrSkip("chromium").toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--user-data-dir=" + profile);
        options.addArguments(arguments);
        ChromeDriver chromium = new ChromeDriver(new ChromeDriverService.Builder()
                .usingDriverExecutable(onPathOrSkip("chromedriver").toFile()).usingAnyFreePort().withSilent(true)
                .build(), options);
        chromium.manage().timeouts().scriptTimeout(PATIENCE).pageLoadTimeout(PATIENCE);
        return chromium;
    }

    private static Path onPathOrSkip(String program) {
        return Kubectl.onPath(program).orElseThrow(() -> {
            System.out.println("SKIPPED, because " + program + " is not on the PATH");
            return new TestAbortedException(program + " is not on the PATH");
        });
    }
}
