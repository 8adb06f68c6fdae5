package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.operator.Operators;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.operator.webhook.WebhookServer;
import dev.wheelhouse.operator.webhook.Webhooks;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * The webhook methods of the application's operators: served behind a Service that the options name, and to an embedded
 * API server without one.
 *
 * @param server null if there is nothing to serve
 */
record ServedWebhooks(@Nullable WebhookServer server) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ServedWebhooks.class);

    /**
     * The options {@code wheelhouse.webhooks.*}.
     *
     * @param service the Service by which API servers call the webhooks
     * @param namespace the namespace of that Service; by default that of the connection
     * @param port the port that the Service leads to
     * @param files a directory with tls.crt and tls.key; without it the operator makes its own certificates
     * @param local whether the API server runs on this machine, and calls the webhooks at any free port of 127.0.0.1
     */
    record Options(@Nullable String service, @Nullable String namespace, @DefaultValue("9443") int port,
            @Nullable Path files, @DefaultValue("false") boolean local) {
        Options {
            if (local && service != null) {
                throw new BadOption("wheelhouse.webhooks.local and wheelhouse.webhooks.service exclude each other: "
                        + "leave out local in a cluster");
            }
            if (port < 0 || port > 65535) {
                throw new BadOption("wheelhouse.webhooks.port is " + port + ": it must be a port from 0 to 65535");
            }
        }

        private @Nullable WebhookOptions toOptions(ApiServerConnection connection) {
            if (service == null) {
                return local || connection.embedded() != null ? WebhookOptions.local() : null;
            }
            WebhookOptions options = WebhookOptions.behind(namespace == null ? connection.namespace() : namespace,
                    service).withPort(port);
            return files == null ? options : options.withFiles(files);
        }
    }

    /** @param mayWrite whether this process leads, and does not only observe */
    static ServedWebhooks start(List<? extends Operator<?>> operators, Options wanted, ApiServerConnection connection,
            Clock clock, BooleanSupplier mayWrite, LoopRunner runner) {
        Webhooks webhooks = Operators.webhooks(operators);
        WebhookOptions options = wanted.toOptions(connection);
        if (connection.absent() != null || operators.isEmpty()) {
            return new ServedWebhooks(null);
        }
        if (webhooks.isEmpty() || options == null) {
            if (!webhooks.isEmpty()) {
                log.warn("the webhook methods of {} are not served: name the Service that leads to this process by "
                        + "wheelhouse.webhooks.service, or set wheelhouse.webhooks.local if the API server runs on "
                        + "this machine", webhooks);
            }
            WebhookServer.removeEnded(connection.client(), runner);
            return new ServedWebhooks(null);
        }
        return new ServedWebhooks(
                WebhookServer.start(webhooks, options, connection.client(), clock, mayWrite, runner));
    }

    /** Whether webhook requests are answered. */
    boolean isReady() {
        return server == null || server.isReady();
    }

    /** The given reasons why this process is not ready, and the webhooks' own reason. */
    List<String> waitingFor(List<String> others) {
        return isReady()
                ? others
                : Stream.concat(others.stream(), Stream.of("webhooks wait for a certificate")).toList();
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
