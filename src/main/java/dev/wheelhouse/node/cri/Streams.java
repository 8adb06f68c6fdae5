package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.node.cri.proto.Cri;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxState;
import dev.wheelhouse.runtime.HttpHead;
import dev.wheelhouse.runtime.WebSocketFrames;

/**
 * Exec, attach and port-forward: the streams of a client are those of the runtime's streaming server. A client with
 * SPDY talks to that server itself, and this class only passes the bytes on. The channels of a WebSocket become streams
 * of SPDY, and a WebSocket that carries the SPDY of a port-forward is unwrapped (upstream:
 * {@code apiserver/pkg/util/proxy/streamtranslator.go}, {@code streamtunnel.go}). So all WebSockets work with each
 * runtime, whatever versions of them it knows.
 *
 * @param tasks runs a task on a thread of its own
 */
record Streams(CriService cri, String node, BiConsumer<String, Runnable> tasks) {
    private static final String V4 = "v4.channel.k8s.io";
    private static final String V5 = "v5.channel.k8s.io";
    private static final String TUNNEL = "SPDY/3.1+portforward.k8s.io";
    private static final String PORT_FORWARD = "portforward.k8s.io";
    /** The headers that are about the connection to this server, or that show who the client is. */
    private static final Set<String> OWN = Set.of("host", "authorization", "cookie", "proxy-authorization");
    private static final int CLOSE_CHANNEL = 255;
    /** The most bytes of a client's frame. kubectl sends 32 KiB. */
    private static final int MOST_OF_FRAME = 1 << 20;

    /** The channels of a WebSocket, and the types of their streams, by number. */
    private static final List<String> CHANNELS = List.of("stdin", "stdout", "stderr", "error", "resize");
    private static final int ERROR = 3;

    private record Wanted(boolean stdin, boolean stdout, boolean stderr, boolean tty) {
        static Wanted of(Exchange exchange) {
            boolean tty = exchange.flag("tty");
            Wanted wanted = new Wanted(exchange.flag("input"), exchange.flag("output"), exchange.flag("error") && !tty,
                    tty);
            if (!wanted.stdin && !wanted.stdout && !wanted.stderr) {
                throw new IllegalArgumentException("you must specify at least 1 of stdin, stdout, stderr");
            }
            return wanted;
        }

        /** The channels that are used, in the order in which their streams are opened. */
        List<Integer> channels() {
            return Stream.of(ERROR, stdin ? 0 : -1, stdout ? 1 : -1, stderr ? 2 : -1, tty ? 4 : -1)
                    .filter(channel -> channel >= 0).toList();
        }
    }

    void exec(Exchange exchange) throws IOException {
        Wanted wanted = Wanted.of(exchange);
        connect(exchange, wanted, () -> cri.exec(Cri.ExecRequest.newBuilder().setContainerId(container(exchange))
                .addAllCmd(exchange.parameters("command")).setTty(wanted.tty).setStdin(wanted.stdin)
                .setStdout(wanted.stdout).setStderr(wanted.stderr).build()));
    }

    void attach(Exchange exchange) throws IOException {
        Wanted wanted = Wanted.of(exchange);
        connect(exchange, wanted, () -> cri.attach(Cri.AttachRequest.newBuilder().setContainerId(container(exchange))
                .setTty(wanted.tty).setStdin(wanted.stdin).setStdout(wanted.stdout).setStderr(wanted.stderr)
                .build()));
    }

    void portForward(Exchange exchange) throws IOException {
        Cri.PortForwardRequest.Builder request = Cri.PortForwardRequest.newBuilder();
        for (String port : exchange.parameters("port").stream().flatMap(each -> Stream.of(each.split(","))).toList()) {
            if (!port.matches("[1-9]\\d{0,4}")) {
                throw new IllegalArgumentException("unable to parse \"" + port + "\" as a port");
            }
            request.addPort(Integer.parseInt(port));
        }
        connect(exchange, null, () -> {
            PodSandbox sandbox = cri.sandboxes(labels(exchange, "")).stream()
                    .filter(each -> each.getState() == PodSandboxState.SANDBOX_READY)
                    .max(Comparator.comparingLong(PodSandbox::getCreatedAt)).orElse(null);
            if (sandbox == null) {
                throw new CriException("PortForward", CriException.NOT_FOUND, "pod does not exist");
            }
            return cri.portForward(request.setPodSandboxId(sandbox.getId()).build());
        });
    }

    private Map<String, String> labels(Exchange exchange, String container) {
        Map<String, String> labels = new HashMap<>(
                Configs.labels(node, exchange.segment(1), exchange.segment(2)));
        if (!container.isEmpty()) {
            labels.put(Configs.CONTAINER_NAME, container);
        }
        return labels;
    }

    /** The ID of the container of a path; the UID of its pod may be in the path as well. */
    private String container(Exchange exchange) {
        String name = exchange.path().getLast();
        return cri.containers(labels(exchange, name)).stream().max(Comparator
                .comparing((Container each) -> each.getState() == ContainerState.CONTAINER_RUNNING)
                .thenComparingLong(Container::getCreatedAt)).map(Container::getId)
                .orElseThrow(() -> new CriException("Exec", CriException.NOT_FOUND,
                        "container not found (\"" + name + "\")"));
    }

    /** The runtime's answer to a request for a stream. */
    private interface Asked {
        String url();
    }

    /** @param wanted null for port-forward */
    private void connect(Exchange exchange, @Nullable Wanted wanted, Asked asked) throws IOException {
        String upgrade = exchange.head().header("Upgrade").toLowerCase(Locale.ROOT);
        if (upgrade.isEmpty()) {
            throw new IllegalArgumentException("Upgrade request required");
        }
        if (upgrade.equals("websocket") && exchange.head().header("Sec-WebSocket-Key").isEmpty()) {
            throw new IllegalArgumentException("the request has no Sec-WebSocket-Key");
        }
        String protocol = protocol(exchange.head().header("Sec-WebSocket-Protocol"), wanted == null);
        URI url = URI.create(asked.url());
        Socket runtime;
        SpdyClient spdy = null;
        try {
            runtime = exchange.with(SpdyClient.connect(url));
            if (upgrade.equals("websocket") && !protocol.isEmpty()) {
                spdy = exchange.with(SpdyClient.open(runtime, url, wanted == null ? PORT_FORWARD : V4));
            }
        } catch (IOException e) {
            throw new CriException("stream", CriException.UNAVAILABLE, String.valueOf(e.getMessage()));
        }
        if (spdy == null) {
            pass(exchange, runtime, url);
        } else if (wanted == null) {
            unwrap(exchange, accept(exchange, protocol), spdy);
        } else {
            translate(exchange, accept(exchange, protocol), spdy, wanted, protocol.equals(V5));
        }
    }

    /** The first of a client's protocols that this class translates; empty if there is none. */
    static String protocol(String offered, boolean portForward) {
        List<String> known = portForward ? List.of(TUNNEL) : List.of(V5, V4);
        return Stream.of(offered.split(",")).map(String::strip).filter(known::contains).findFirst().orElse("");
    }

    private static WebSocketFrames accept(Exchange exchange, String protocol) throws IOException {
        String key = exchange.head().header("Sec-WebSocket-Key");
        exchange.out().write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: " + WebSocketFrames.answer(key) + "\r\nSec-WebSocket-Protocol: " + protocol
                + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
        return new WebSocketFrames(exchange.in(), exchange.out(), MOST_OF_FRAME);
    }

    /** Runs a task for the other direction. When either ends, both do. */
    private void beside(Exchange exchange, Copying task) {
        tasks.accept("stream", () -> {
            try (exchange) {
                task.run();
            } catch (IOException e) {
                // One side is gone, so the other one ends, too.
            }
        });
    }

    private interface Copying {
        void run() throws IOException;
    }

    /** Passes a request on as it is, and all bytes after it in both directions. */
    private void pass(Exchange exchange, Socket runtime, URI url) throws IOException {
        StringBuilder head = new StringBuilder(exchange.method()).append(' ').append(url.getRawPath())
                .append(" HTTP/1.1\r\nHost: ").append(url.getAuthority()).append("\r\n");
        exchange.head().headers().filter(line -> !OWN.contains(HttpHead.name(line).toLowerCase(Locale.ROOT)))
                .forEach(line -> head.append(line).append("\r\n"));
        runtime.getOutputStream().write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        beside(exchange, () -> exchange.copy(exchange.in(), runtime.getOutputStream()));
        exchange.copy(runtime.getInputStream(), exchange.out());
    }

    private void unwrap(Exchange exchange, WebSocketFrames client, SpdyClient runtime) throws IOException {
        beside(exchange, () -> {
            for (WebSocketFrames.Frame frame = client.read(); frame != null; frame = client.read()) {
                exchange.moved();
                runtime.out().write(frame.data());
            }
        });
        byte[] buffer = new byte[Exchange.CHUNK];
        for (int read = runtime.in().read(buffer); read >= 0; read = runtime.in().read(buffer)) {
            client.send(WebSocketFrames.BINARY, -1, buffer, read);
        }
        client.close();
    }

    /** @param closes whether the client says when its input ends */
    private void translate(Exchange exchange, WebSocketFrames client, SpdyClient runtime, Wanted wanted, boolean closes)
            throws IOException {
        Map<Integer, Integer> streams = new HashMap<>();
        Map<Integer, Integer> channels = new HashMap<>();
        for (int channel : wanted.channels()) {
            int stream = runtime.stream(CHANNELS.get(channel));
            streams.put(channel, stream);
            channels.put(stream, channel);
        }
        // The runtime would take what a client writes to its own output.
        streams.keySet().removeAll(List.of(1, 2, ERROR));
        beside(exchange, () -> {
            int channel = -1;
            for (WebSocketFrames.Frame frame = client.read(); frame != null; frame = client.read()) {
                exchange.moved();
                byte[] data = frame.data();
                int start = frame.first() ? Math.min(1, data.length) : 0;
                if (!frame.first() && data.length == 0) {
                    runtime.ping();
                }
                channel = !frame.first() ? channel : data.length == 0 ? -1 : data[0] & 0xFF;
                boolean ends = closes && channel == CLOSE_CHANNEL && data.length > start;
                Integer stream = streams.get(ends ? data[start] & 0xFF : channel);
                if (stream != null && (ends || data.length > start)) {
                    runtime.send(stream, data, start, ends ? 0 : data.length - start, ends);
                }
            }
        });
        runtime.receive((stream, data, length) -> {
            Integer channel = channels.get(stream);
            if (channel != null) {
                client.send(WebSocketFrames.BINARY, channel, data, length);
            }
        });
        client.close();
    }
}
