package dev.wheelhouse.client.http;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.RetryAfter;
import dev.wheelhouse.client.decode.Statuses;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers that are not objects. The first line of the input has Retry-After headers and a Date, separated by bars; the
 * rest is the Status of a server, or the ExecCredential of a plugin. An error always has a wait that is not negative; a
 * token can always be sent.
 */
public final class AnswersTarget implements FuzzTarget {
    private final ExecPlugin plugin = ExecPlugin.of(Path.of("/kubeconfig"), "user",
            Map.of("command", "plugin", "apiVersion", "client.authentication.k8s.io/v1beta1"), Map::of, Clock.system(),
            HttpMetrics.NONE);

    @Override
    public void run(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        int line = text.indexOf('\n');
        List<String> headers = line < 0 ? List.of() : List.of(text.substring(0, line).split("\\|"));
        String body = text.substring(line + 1);
        KubeApiException error = Statuses.error("test", 503,
                RetryAfter.of(headers, headers.isEmpty() ? null : headers.getLast()),
                body.getBytes(StandardCharsets.UTF_8));
        assertThat(error.getMessage()).isNotBlank();
        Duration wait = error.retryAfter();
        if (wait != null) {
            assertThat(wait).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        }
        TokenRefresher.Token token;
        try {
            token = plugin.token(body);
        } catch (KubeConfigException e) {
            return;
        }
        assertThat(token.validFor().isNegative()).isFalse();
        new okhttp3.Request.Builder().url("http://localhost").header("Authorization", "Bearer " + token.value())
                .build();
    }
}
