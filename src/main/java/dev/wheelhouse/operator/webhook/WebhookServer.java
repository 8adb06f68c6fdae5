package dev.wheelhouse.operator.webhook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceConversion;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Serves webhooks over TLS, and keeps certificates and configurations current. It runs on every replica, whether or not
 * it leads. The replica that may write makes the certificates, renews them while requests go on, and applies the
 * webhook configurations and the conversions of definitions; all replicas read the certificates from their Secret, or
 * from files, every half minute. Thread safe.
 */
@PublicApi(false)
public final class WebhookServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WebhookServer.class);
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(1);
    /** How often the configurations are applied again, in case somebody has changed or deleted them. */
    private static final Duration REAPPLY = Duration.ofMinutes(5);
    /** The time for one exchange. An API server waits 30 s for a webhook at most. */
    private static final Duration EXCHANGE = Duration.ofSeconds(40);

    private final Webhooks webhooks;
    private final WebhookOptions options;
    private final KubeClient client;
    private final Clock clock;
    private final BooleanSupplier mayWrite;
    private final LogBudget problems;
    private final RotatingKeys keys = new RotatingKeys();
    private final WebhookEndpoint endpoint;
    /** Guarded by this, as the fields below. */
    private @Nullable Certificates current;
    private @Nullable Certificates applied;
    private long appliedUntil;
    /** Whether this server has begun to apply configurations. */
    private volatile boolean mayHaveApplied;

    private WebhookServer(Webhooks webhooks, WebhookOptions options, KubeClient client, Clock clock,
            BooleanSupplier mayWrite) {
        this.webhooks = webhooks;
        this.options = options;
        this.client = client;
        this.clock = clock;
        this.mayWrite = mayWrite;
        this.problems = new LogBudget(clock);
        this.endpoint = new WebhookEndpoint(webhooks, keys, options, EXCHANGE, clock);
    }

    /**
     * Listens, and starts the loop that keeps certificates and configurations current.
     *
     * @param mayWrite whether this process leads, and does not only observe
     * @throws UncheckedIOException if the port is taken
     */
    public static WebhookServer start(Webhooks webhooks, WebhookOptions options, KubeClient client, Clock clock,
            BooleanSupplier mayWrite, LoopRunner runner) {
        WebhookServer server = new WebhookServer(webhooks, options, client, clock, mayWrite);
        try {
            runner.start("webhooks", server.loop());
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }

    /** The port on which this server listens. */
    public int port() {
        return endpoint.port();
    }

    /** Whether there is a certificate to serve with. */
    public boolean isReady() {
        return keys.isReady();
    }

    /**
     * Ends connections and requests. The configurations stay, because other replicas may serve. Those of a server
     * without replicas, which only the API server of its own machine can call, are deleted.
     */
    @Override
    public void close() {
        if (options.isLocal() && mayHaveApplied) {
            LocalConfigurations.removeEnded(client, port());
        }
        endpoint.close();
    }

    /**
     * Deletes, soon, the webhook configurations of development processes on this machine that have ended. For a process
     * that serves no webhooks itself; a server with local options does it by itself.
     */
    public static void removeEnded(KubeClient client, LoopRunner runner) {
        runner.start("webhooks-of-ended", new SignalledLoop() {
            private boolean done;

            @Override
            public long step() {
                if (!done && !isClosed()) {
                    done = true;
                    LocalConfigurations.removeEnded(client, 0);
                }
                return IDLE;
            }
        });
    }

    Loop loop() {
        return new SignalledLoop() {
            private boolean wrote;
            private long due = clock.nanoTime();

            @Override
            public long step() {
                if (isClosed()) {
                    return IDLE;
                }
                boolean writes = mayWrite.getAsBoolean();
                if (clock.nanoTime() - due >= 0 || (writes && !wrote)) {
                    due = clock.deadline(refresh());
                }
                wrote = writes;
                long left = Math.max(due - clock.nanoTime(), 0);
                // A replica that begins to lead applies the configurations soon: writes pass unchecked until then.
                return writes ? left : Math.min(left, SOON.toNanos());
            }
        };
    }

    /**
     * Reads or renews the certificates, and applies the configurations, as the loop does by itself every half minute.
     *
     * @return when to do it again
     */
    public synchronized Duration refresh() {
        try {
            boolean writes = mayWrite.getAsBoolean();
            Certificates certificates = certificates(writes);
            if (certificates == null) {
                return SOON;
            }
            if (!certificates.equals(current)) {
                keys.use(certificates);
                log.info("webhooks are served on port {} with {} certificate", port(),
                        current == null ? "a" : "a new");
                current = certificates;
            }
            if (writes && (!certificates.equals(applied) || clock.nanoTime() - appliedUntil > 0)) {
                if (options.isLocal() && !mayHaveApplied) {
                    LocalConfigurations.removeEnded(client, 0);
                }
                mayHaveApplied = true;
                apply(certificates);
                applied = certificates;
                appliedUntil = clock.deadline(REAPPLY);
            }
            return PERIOD;
        } catch (KubeApiException | IllegalArgumentException | UncheckedIOException e) {
            String line = problems.line(String.valueOf(e.getMessage()));
            if (line != null) {
                log.warn("webhooks: {}; the next attempt is in {} s", line, SOON.toSeconds());
            }
            return SOON;
        }
    }

    private @Nullable Certificates certificates(boolean writes) {
        Path files = options.files();
        if (files != null) {
            return parsed(read(files), "the files in " + files);
        }
        if (options.isLocal()) {
            return renewed(current);
        }
        ResourceClient<V1Secret> secrets = client.resource(ResourceType.SECRETS, V1Secret.class);
        ObjectKey key = ObjectKey.of(options.namespace(), options.secret());
        V1Secret secret = secrets.find(key).orElse(null);
        Certificates known = secret == null || secret.getData() == null
                ? null
                : parsed(secret.getData(), "the Secret " + key + " (delete it to get new certificates)");
        if (!writes) {
            return known;
        }
        Certificates wanted = renewed(known);
        if (!wanted.equals(known)) {
            V1Secret next = secret == null
                    ? new V1Secret().apiVersion("v1").kind("Secret").type("kubernetes.io/tls")
                            .metadata(new V1ObjectMeta().namespace(key.namespace()).name(key.name()))
                    : secret;
            next.setData(wanted.data());
            if (secret == null) {
                secrets.create(next);
            } else {
                secrets.update(next);
            }
        }
        return wanted;
    }

    private static @Nullable Certificates parsed(Map<String, byte[]> data, String where) {
        try {
            return Certificates.of(data);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
    }

    /**
     * Renews the certificates only if API servers were told of the known authorities, so that they trust the next
     * certificate.
     */
    private Certificates renewed(@Nullable Certificates known) {
        if (known == null) {
            return Certificates.create(options.hosts(), clock.now());
        }
        return known.equals(applied) || !known.serves(options.hosts(), clock.now())
                ? known.renewed(options.hosts(), clock.now())
                : known;
    }

    private static Map<String, byte[]> read(Path directory) {
        Map<String, byte[]> files = new HashMap<>();
        for (String name : List.of("tls.crt", "tls.key", "ca.crt")) {
            Path file = directory.resolve(name);
            if (Files.exists(file)) {
                try {
                    files.put(name, Files.readAllBytes(file));
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot read " + file, e);
                }
            }
        }
        return files;
    }

    private void apply(Certificates certificates) {
        for (KubernetesObject wanted : webhooks.configurations(options, port(), certificates.authorities())) {
            boolean validating = "ValidatingWebhookConfiguration".equals(wanted.getKind());
            client.resource(validating ? LocalConfigurations.VALIDATING : LocalConfigurations.MUTATING,
                    Unstructured.class)
                    .apply(ObjectKey.of(wanted), "", LocalConfigurations.FIELD_MANAGER, true, ModelJson.write(wanted));
        }
        for (Map.Entry<String, V1CustomResourceConversion> conversion : webhooks
                .conversions(options, port(), certificates.authorities()).entrySet()) {
            // A patch and not an apply, because an apply would create a definition that is missing.
            String spec = "{\"spec\":{\"conversion\":" + new String(ModelJson.writeBytes(conversion.getValue()),
                    StandardCharsets.UTF_8) + "}}";
            client.resource(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class)
                    .patch(ObjectKey.cluster(conversion.getKey()), "", PatchType.MERGE, spec);
        }
    }
}
