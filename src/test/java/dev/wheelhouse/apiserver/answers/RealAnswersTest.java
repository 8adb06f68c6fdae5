package dev.wheelhouse.apiserver.answers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.EmbeddedApiServer;
import dev.wheelhouse.apiserver.answers.Answer.Aspect;
import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of requests to a real kube-apiserver and to the embedded server, in the same order. What differs is in
 * {@code target/answers/differences.txt}, all answers of the real server in {@code target/answers/real.jsonl}.
 *
 * <p>{@code -Dwheelhouse.answers=REGEX} sends the scenes with such a name only.
 */
class RealAnswersTest {
    private static final String SCENES = System.getProperty("wheelhouse.answers", ".*");
    /** The share of requests, of a thousand, whose status codes may differ. */
    private static final int MOST_DIFFERENT_CODES = Integer.getInteger("wheelhouse.answers.codes", 5);
    private static final Path OUT = Path.of("target/answers");

    private final Map<Aspect, Integer> differing = new EnumMap<>(Aspect.class);
    private final Map<String, Integer> codesByScene = new TreeMap<>();
    private final StringBuilder report = new StringBuilder();
    private final StringBuilder real = new StringBuilder();
    private int sent;

    @Test
    @Timeout(3600)
    void bothServersAnswerAlike(@TempDir Path directory) throws Exception {
        try (RealApiServer upstream = RealApiServer.startOrSkip(directory);
                EmbeddedApiServer ours = new EmbeddedApiServer(ApiServerOptions.defaults()).start();
                HttpWire toUpstream = new HttpWire(upstream.port(), true, "wheelhouse-test");
                HttpWire toOurs = new HttpWire(ours.port(), false, "");
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            awaitReady(toUpstream);
            for (Scenes.Scene scene : Scenes.all()) {
                if (scene.name().matches(SCENES)) {
                    play(scene, toUpstream, toOurs, threads);
                }
            }
        }
        StringBuilder summary = new StringBuilder("%d requests sent%n".formatted(sent));
        differing.forEach((aspect, number) -> summary.append(number).append(" differ by ").append(aspect).append('\n'));
        codesByScene.forEach((scene, number) -> summary.append("  codes of ").append(scene).append(": ").append(number).append('\n'));
        Files.createDirectories(OUT);
        Files.writeString(OUT.resolve("differences.txt"), summary + "\n" + report);
        Files.writeString(OUT.resolve("real.jsonl"), real);
        System.out.println(summary);
        assertThat(differing.getOrDefault(Aspect.CODE, 0) * 1000).as("status codes that differ, see %s", OUT)
                .isLessThanOrEqualTo(sent * MOST_DIFFERENT_CODES);
    }

    private static void awaitReady(HttpWire server) throws Exception {
        for (int i = 0; i < 600; i++) {
            if (server.send(Probe.get("/readyz")).code() == 200
                    && server.send(Probe.get("/api/v1/namespaces/default")).code() == 200) {
                return;
            }
            Thread.sleep(200);
        }
        throw new AssertionError("the real server does not get ready");
    }

    private void play(Scenes.Scene scene, HttpWire upstream, HttpWire ours, ExecutorService threads) throws Exception {
        int index = 0;
        for (Probe probe : scene.probes()) {
            Future<Answer> wanted = threads.submit(answer(upstream, probe));
            Answer found = answer(ours, probe).call();
            compare(scene.name(), index++, probe, wanted.get(), found);
        }
    }

    private static Callable<Answer> answer(HttpWire server, Probe probe) {
        return () -> {
            try {
                return server.send(probe);
            } catch (IOException e) {
                server.close();
                return new Answer(0, "", "", "", e.toString(), List.of(), List.of());
            }
        };
    }

    private void compare(String scene, int index, Probe probe, Answer wanted, Answer found) {
        sent++;
        ObjectNode entry = Json.object().put("scene", scene);
        entry.set("request", probe.json());
        entry.set("answer", wanted.json());
        List<Aspect> aspects = wanted.differences(found);
        if (!aspects.isEmpty()) {
            List<String> names = new ArrayList<>();
            for (Aspect aspect : aspects) {
                differing.merge(aspect, 1, Integer::sum);
                names.add(aspect.name());
            }
            entry.put("differs", String.join(" ", names));
            if (aspects.contains(Aspect.CODE)) {
                codesByScene.merge(scene, 1, Integer::sum);
            }
            report.append("## ").append(names).append(' ').append(scene).append(" #").append(index).append('\n').append(probe)
                    .append("\n  real ").append(wanted.json()).append("\n  ours ").append(found.json()).append("\n\n");
        }
        real.append(entry).append('\n');
    }
}
