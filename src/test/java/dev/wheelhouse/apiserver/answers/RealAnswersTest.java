package dev.wheelhouse.apiserver.answers;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.answers.Answer.Aspect;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of requests to a real kube-apiserver and to the embedded server, in the same order within a scene. What
 * differs is in {@code target/answers/differences.txt}, all answers of the real server in
 * {@code target/answers/real.jsonl}.
 *
 * <p>{@code -Dwheelhouse.answers=REGEX} sends the scenes with such a name only.
 */
class RealAnswersTest {
    private static final String SCENES = System.getProperty("wheelhouse.answers", ".*");
    /** Of a thousand requests, so many may get another status code. */
    private static final int MOST_DIFFERENT_CODES = Integer.getInteger("wheelhouse.answers.codes", 25);
    private static final Path OUT = Path.of("target/answers");
    private static final int AT_ONCE = 4;

    private final Comparison comparison = new Comparison();

    @Test
    @Timeout(3600)
    void bothServersAnswerAlike(@TempDir Path directory) throws Exception {
        try (RealApiServer upstream = RealApiServer.startOrSkip(directory);
                ApiServer ours = new ApiServer(ApiServerOptions.defaults()).start();
                ExecutorService scenes = Executors.newFixedThreadPool(AT_ONCE);
                ExecutorService requests = Executors.newCachedThreadPool()) {
            try (HttpWire wire = wireTo(upstream)) {
                eventually("the real server is ready", Duration.ofMinutes(2),
                        () -> wire.send(Probe.get("/readyz")).code() == 200
                                && wire.send(Probe.get("/api/v1/namespaces/default")).code() == 200);
            }
            List<Future<?>> playing = new ArrayList<>();
            for (Scenes.Scene scene : Scenes.all()) {
                if (scene.name().matches(SCENES)) {
                    playing.add(scenes.submit(() -> play(scene, upstream, ours, requests)));
                }
            }
            for (Future<?> scene : playing) {
                scene.get();
            }
        }
        comparison.write(OUT);
        System.out.println(comparison.summary());
        assertThat(comparison.differing(Aspect.CODE) * 1000).as("status codes that differ, see %s", OUT)
                .isLessThanOrEqualTo(comparison.sent() * MOST_DIFFERENT_CODES);
    }

    private static HttpWire wireTo(RealApiServer upstream) {
        return new HttpWire(upstream.port(), true, "wheelhouse-test");
    }

    private Void play(Scenes.Scene scene, RealApiServer upstream, ApiServer ours, ExecutorService requests)
            throws Exception {
        try (HttpWire toUpstream = wireTo(upstream); HttpWire toOurs = new HttpWire(ours.port(), false, "")) {
            int index = 0;
            for (Probe probe : scene.probes()) {
                Future<Answer> wanted = requests.submit(answer(toUpstream, probe));
                Answer found = answer(toOurs, probe).call();
                comparison.add(scene.name(), index++, probe, wanted.get(), found);
            }
        }
        return null;
    }

    static Callable<Answer> answer(HttpWire server, Probe probe) {
        return () -> {
            try {
                return server.send(probe);
            } catch (IOException e) {
                server.close();
                return new Answer(0, "", "", "", e.toString(), List.of(), List.of());
            }
        };
    }
}
