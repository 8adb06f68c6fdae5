package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.Request;

/**
 * A kubeconfig: a connection comes of it, or a sentence that says what is wrong with it. One that names a command or a
 * provider of credentials is only looked through: connecting would run it.
 */
public final class KubeConfigTarget implements FuzzTarget {
    private final Path file;

    public KubeConfigTarget() throws IOException {
        file = Files.createTempFile("fuzzed", ".kubeconfig");
        file.toFile().deleteOnExit();
    }

    @Override
    public void run(byte[] input) throws IOException {
        Files.write(file, input);
        try {
            MergedKubeConfig.Loaded loaded = MergedKubeConfig.load(file);
            MergedKubeConfig merged = MergedKubeConfig.of(List.of(loaded));
            if (!mayRunSomething(loaded.content().get("users"))) {
                ApiClient api = merged
                        .connect(null, Map.of(), Clock.system(), new HttpMeters(Meters.NONE, Clock.system())).api();
                new Request.Builder().url(api.getBasePath() + "/version").build();
            }
        } catch (KubeConfigException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    private boolean mayRunSomething(Object users) {
        boolean found = false;
        if (users instanceof List<?> list) {
            for (Object entry : list) {
                if (entry instanceof Map<?, ?> named && named.get("user") instanceof Map<?, ?> user) {
                    if (user.get("exec") instanceof Map<?, ?> exec) {
                        found = true;
                        ExecPlugin.of(file, "user", exec, Map::of, Clock.system(),
                                new HttpMeters(Meters.NONE, Clock.system()));
                    }
                    found |= user.containsKey("exec") || user.containsKey("auth-provider");
                }
            }
        }
        return found;
    }

    /** SnakeYAML makes a token, an event and a node of each character, in the worst case. */
    @Override
    public long mostAllocated(int length) {
        return (64L << 20) + 4096L * length;
    }
}
