package dev.wheelhouse.client.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.http.TokenRefresher.Token;
import dev.wheelhouse.runtime.Clock;

/**
 * Runs a kubeconfig's credential plugin and reads the token or client certificate that the plugin prints (upstream:
 * client-go {@code plugin/pkg/client/auth/exec/exec.go}). Unlike the official client, it has a deadline, uses a token
 * for as long as the plugin says, and reports the cause of a failure.
 */
final class ExecPlugin implements TokenRefresher.Source {
    /** The longest time that the plugin may run. */
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    /** The time for which a token without an expiry is used. */
    private static final Duration WITHOUT_EXPIRY = Duration.ofMinutes(10);
    /** A token is fetched again this long before it expires. */
    private static final Duration EARLY = Duration.ofSeconds(10);

    private static final String V1 = "client.authentication.k8s.io/v1";

    private final String where;
    private final String command;
    private final List<String> arguments;
    private final Map<String, String> environment;
    private final String apiVersion;
    private final String installHint;
    /** The cluster that the plugin is told of; null if it is not. */
    private final @Nullable Supplier<Map<String, Object>> cluster;
    private final Clock clock;
    private final HttpMeters meters;
    /** The last client certificate that the plugin gave. */
    private volatile @Nullable X509Certificate certificate;

    private ExecPlugin(String where, String command, List<String> arguments, Map<String, String> environment,
            String apiVersion, String installHint, @Nullable Supplier<Map<String, Object>> cluster, Clock clock,
            HttpMeters meters) {
        this.where = where;
        this.command = command;
        this.arguments = arguments;
        this.environment = environment;
        this.apiVersion = apiVersion;
        this.installHint = installHint;
        this.cluster = cluster;
        this.clock = clock;
        this.meters = meters;
    }

    /** @param cluster the cluster, for a plugin that wants to know it */
    static ExecPlugin of(Path file, String user, Map<?, ?> exec, Supplier<Map<String, Object>> cluster, Clock clock,
            HttpMeters meters) {
        String where = "the kubeconfig " + file + ", field exec of the user \"" + user + "\"";
        String command = text(exec, "command");
        if (command.isEmpty()) {
            throw new KubeConfigException(where + ": command is not set; name the credential plugin");
        }
        String apiVersion = text(exec, "apiVersion");
        if (!apiVersion.equals(V1) && !apiVersion.equals("client.authentication.k8s.io/v1beta1")) {
            throw new KubeConfigException(where + ": apiVersion is \"" + apiVersion
                    + "\"; write client.authentication.k8s.io/v1 or v1beta1, as the plugin says");
        }
        String mode = text(exec, "interactiveMode");
        if (!mode.equals("Never") && !mode.equals("IfAvailable") && (!mode.isEmpty() || apiVersion.equals(V1))) {
            throw new KubeConfigException(where + ": interactiveMode is \"" + mode
                    + "\"; write Never or IfAvailable, as the plugin gets no terminal");
        }
        if (command.contains("/")) {
            command = file.toAbsolutePath().resolveSibling(command).normalize().toString();
        }
        List<String> arguments = new ArrayList<>();
        if (exec.get("args") instanceof List<?> list) {
            list.forEach(argument -> arguments.add(String.valueOf(argument)));
        }
        Map<String, String> environment = new LinkedHashMap<>();
        if (exec.get("env") instanceof List<?> list) {
            for (Object variable : list) {
                if (variable instanceof Map<?, ?> map) {
                    environment.put(text(map, "name"), text(map, "value"));
                }
            }
        }
        return new ExecPlugin(where, command, arguments, environment, apiVersion, text(exec, "installHint"),
                Boolean.TRUE.equals(exec.get("provideClusterInfo")) ? cluster : null, clock, meters);
    }

    private static String text(Map<?, ?> map, String field) {
        Object value = map.get(field);
        return value == null ? "" : value.toString();
    }

    private KubeConfigException failed(String problem, @Nullable Throwable cause) {
        return new KubeConfigException(where + ": " + command + " " + problem, cause);
    }

    @Override
    public Token fetch() {
        Token token = token(run());
        count(token.certificate());
        return token;
    }

    /** @param pem the client certificate that the plugin printed; empty if it printed none */
    private void count(String pem) {
        X509Certificate last = certificate;
        if (pem.isEmpty()) {
            return;
        }
        try {
            X509Certificate now = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
            if (!now.equals(last)) {
                certificate = now;
                meters.pluginCertificate(now.getNotAfter().toInstant(),
                        last == null ? null : last.getNotBefore().toInstant());
            }
        } catch (CertificateException e) {
            // The TLS settings refuse such a certificate, and say why.
        }
    }

    /**
     * The token of an ExecCredential.
     *
     * @param output the plugin's standard output
     * @throws KubeConfigException if the output has neither a token nor a certificate
     */
    Token token(String output) {
        JsonNode credential;
        try {
            credential = ModelJson.read(output, JsonNode.class);
        } catch (JacksonException e) {
            throw failed("did not print an ExecCredential in JSON", e);
        }
        String printed = credential.path("apiVersion").asString("");
        if (!printed.equals(apiVersion)) {
            throw failed("printed apiVersion \"" + printed + "\", though apiVersion is " + apiVersion
                    + "; write the one that the plugin prints", null);
        }
        JsonNode status = credential.path("status");
        String token = status.path("token").asString("");
        String certificate = status.path("clientCertificateData").asString("");
        String key = status.path("clientKeyData").asString("");
        if (certificate.isEmpty() != key.isEmpty()) {
            throw failed("printed only one of status.clientCertificateData and status.clientKeyData; "
                    + "run it by hand to see why", null);
        }
        if (token.isEmpty() && certificate.isEmpty()) {
            throw failed("printed neither status.token nor status.clientCertificateData; run it by hand to see why",
                    null);
        }
        TokenRefresher.requireSendable(token, where + ": the status.token that " + command + " printed");
        return new Token(token, certificate, key, validFor(status.path("expirationTimestamp").asString(null)));
    }

    private Duration validFor(@Nullable String expiration) {
        if (expiration == null) {
            return WITHOUT_EXPIRY;
        }
        try {
            Duration left = Duration.between(clock.now(), OffsetDateTime.parse(expiration).toInstant())
                    .minus(EARLY);
            return left.isNegative() ? Duration.ZERO : left;
        } catch (DateTimeParseException e) {
            return WITHOUT_EXPIRY;
        }
    }

    private Process start() {
        List<String> line = new ArrayList<>();
        line.add(command);
        line.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Map<String, Object> spec = new LinkedHashMap<>();
        if (cluster != null) {
            spec.put("cluster", cluster.get());
        }
        spec.put("interactive", false);
        builder.environment().put("KUBERNETES_EXEC_INFO",
                ModelJson.write(Map.of("kind", "ExecCredential", "apiVersion", apiVersion, "spec", spec)));
        try {
            return builder.start();
        } catch (IOException e) {
            meters.pluginCalled(1, "plugin_not_found_error");
            throw failed("could not be run: " + e.getMessage()
                    + (installHint.isEmpty() ? "; install it, or correct the path" : "; " + installHint.strip()), e);
        }
    }

    private String run() {
        Process process = start();
        try {
            process.getOutputStream().close();
            StringBuilder output = new StringBuilder();
            Thread reader = Thread.ofVirtual().name("exec plugin").start(() -> {
                try {
                    output.append(new String(process.getInputStream().readNBytes(1024 * 1024), StandardCharsets.UTF_8));
                } catch (IOException e) {
                    // The exit code tells more.
                }
            });
            if (!process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                meters.pluginCalled(1, "client_internal_error");
                throw failed("did not end within " + DEADLINE.toSeconds()
                        + " s; it must not ask for input, as there is no terminal", null);
            }
            reader.join(Duration.ofSeconds(5));
            if (process.exitValue() != 0) {
                meters.pluginCalled(process.exitValue(), "plugin_execution_error");
                throw failed("failed with exit code " + process.exitValue() + "; its own messages say why", null);
            }
            meters.pluginCalled(0, "no_error");
            return output.toString();
        } catch (IOException e) {
            meters.pluginCalled(1, "client_internal_error");
            throw failed("could not be talked to: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KubeConfigException(where + ": interrupted while " + command + " ran", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
