package dev.wheelhouse.informer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Logged;
import dev.wheelhouse.RunningService;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.store.Storage;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The log of a service whose API server is away for a while. */
@Timeout(900)
@Isolated
class OutageLogTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    @Test
    void anOutageIsOneLineAtItsBeginAndOneAtItsEnd() throws IOException {
        Storage storage = Storage.inDirectory(directory.resolve("data"), 20_000, false);
        ApiServer server = new ApiServer(ApiServerOptions.defaults().withStorage(storage)).start();
        Path kubeconfig = Files.writeString(directory.resolve("other.kubeconfig"), server.kubeconfig());
        try (RunningService service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + kubeconfig,
                "--wheelhouse.nodes.count=2", "--wheelhouse.scheduler=true");
                Logged log = Logged.by("dev.wheelhouse")) {
            int port = server.port();
            eventually("the controllers have done what they do at the start", SOON, isQuiet(server));
            server.close();
            InformerFactory informers = service.bean(InformerFactory.class);
            eventually("every cache has failed", SOON,
                    () -> informers.states().stream().allMatch(state -> state.lastFailure() != null));
            eventually("the outage is logged", SOON, () -> !aboutOutages(log).isEmpty());
            List<String> during = aboutOutages(log);
            assertThat(during).hasSize(1).allMatch(line -> line.contains("cannot be reached"));

            try (ApiServer again = new ApiServer(ApiServerOptions.defaults().withPort(port).withStorage(storage))
                    .start()) {
                eventually("every cache is up to date", SOON,
                        () -> informers.states().stream().allMatch(state -> state.lastFailure() == null));
                eventually("the end is logged", SOON, () -> aboutOutages(log).size() > 1);
                assertThat(aboutOutages(log)).hasSize(2).last().asString().contains("answers again after");
            }
        }
    }

    /** Whether nobody has written for a second. */
    private static Callable<Boolean> isQuiet(ApiServer server) {
        AtomicLong version = new AtomicLong(-1);
        AtomicLong since = new AtomicLong();
        return () -> {
            long now = System.nanoTime();
            if (version.getAndSet(server.store().version()) != server.store().version()) {
                since.set(now);
            }
            return now - since.get() > 1_000_000_000;
        };
    }

    /**
     * All lines but those of the API server, which runs in this process, of its last answers, and of what the
     * controllers do at the start.
     */
    private static List<String> aboutOutages(Logged log) {
        return log.lines().stream().filter(line -> Stream.of("API server listens", "is shutting down",
                "all controllers are running", "the garbage collector follows", "the controller of quotas follows")
                .noneMatch(line::contains)
                && !line.matches("INFO [a-z-]+-controller: (apply|create|patch|update) .*")).toList();
    }
}
