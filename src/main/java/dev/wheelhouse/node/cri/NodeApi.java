package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Status;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;

/**
 * The paths of a node's server, with kubelet's names and answers: logs, streams and usage. Each request is authorized
 * first.
 */
record NodeApi(CriRuntime runtime, NodeAuth auth, Streams streams, NodeUsage usage) implements NodeServer.Handler {
    @Override
    public void serve(Exchange exchange, @Nullable X509Certificate peer) throws IOException {
        NodeAuth.Refusal refusal = auth.refusal(exchange, peer);
        if (refusal != null) {
            exchange.answer(refusal.code(), refusal.text());
            return;
        }
        String path = exchange.segment(0);
        int length = exchange.path().size();
        boolean get = exchange.method().equals("GET");
        boolean ofContainer = (get || exchange.method().equals("POST")) && (length == 4 || length == 5);
        if (path.equals("healthz") && length == 1 && get) {
            exchange.answer(200, "ok");
        } else if (path.equals("stats") && exchange.segment(1).equals("summary") && length == 2 && get) {
            exchange.answer(200, "application/json", usage.read().summary());
        } else if (path.equals("metrics") && exchange.segment(1).equals("resource") && length == 2 && get) {
            exchange.answer(200, "text/plain; version=0.0.4; charset=utf-8", usage.read().metrics());
        } else if (path.equals("containerLogs") && length == 4 && get) {
            logs(exchange);
        } else if (path.equals("exec") && ofContainer) {
            stream(exchange, streams::exec);
        } else if (path.equals("attach") && ofContainer) {
            stream(exchange, streams::attach);
        } else if (path.equals("portForward") && (length == 3 || length == 4)) {
            stream(exchange, streams::portForward);
        } else {
            exchange.answer(404, "404 page not found\n");
        }
    }

    private interface Opening {
        void open(Exchange exchange) throws IOException;
    }

    /** Refusals are Statuses: kubectl would read some plain sentences as YAML, and show nothing. */
    private static void stream(Exchange exchange, Opening opening) throws IOException {
        try {
            opening.open(exchange);
        } catch (CriException | IllegalArgumentException e) {
            int code = !(e instanceof CriException cri) ? 400 : cri.code == CriException.NOT_FOUND ? 404 : 500;
            exchange.answer(code, "application/json", ModelJson.write(new V1Status().apiVersion("v1").kind("Status")
                    .status("Failure").code(code).message(e.getMessage())));
        }
    }

    private void logs(Exchange exchange) throws IOException {
        LogQuery query = LogQuery.of(exchange, runtime.clock.now());
        String pod = exchange.segment(2);
        String container = exchange.segment(3);
        ObjectKey key = ObjectKey.of(exchange.segment(1), pod);
        NodeFolders.Log run = runtime.folders().log(key, uid(key), container, query.previous());
        if (run == null) {
            exchange.answer(400, query.previous()
                    ? "previous terminated container \"" + container + "\" in pod \"" + pod + "\" not found"
                    : "container \"" + container + "\" in pod \"" + pod + "\" has not started yet");
            return;
        }
        exchange.begin(200, "text/plain; charset=utf-8");
        if (query.follow()) {
            runtime.run("log-reader", () -> {
                try (exchange) {
                    exchange.in().skip(Long.MAX_VALUE);
                } catch (IOException e) {
                    // The client is gone.
                }
            });
        }
        CriLogs.write(run.file(), query, () -> runtime.hasEnded(container, run), exchange.out(), exchange::isClosed);
    }

    /** The UID of the newest pod of that name; empty if the runtime has none, or does not answer. */
    private String uid(ObjectKey pod) {
        try {
            return runtime.cri.sandboxes(Configs.labels(runtime.node.name(), pod.namespace(), pod.name())).stream()
                    .max(Comparator.comparingLong(PodSandbox::getCreatedAt))
                    .map(sandbox -> sandbox.getLabelsOrDefault(Configs.POD_UID, "")).orElse("");
        } catch (CriException e) {
            return "";
        }
    }
}
