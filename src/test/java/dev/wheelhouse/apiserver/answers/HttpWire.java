package dev.wheelhouse.apiserver.answers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** HTTP/1.1 with any method, path and header, over one connection that is kept while the server keeps it. */
final class HttpWire implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 15_000;
    private static final Pattern PLACE = Pattern.compile("\\$\\{(uid|rv|continue) ([^}]+)}");

    private final int port;
    private final boolean tls;
    private final String token;
    private @Nullable Socket socket;
    private @Nullable InputStream in;

    HttpWire(int port, boolean tls, String token) {
        this.port = port;
        this.tls = tls;
        this.token = token;
    }

    /** @param cut whether the stream was still open when it was given up */
    record Response(int code, List<String[]> head, String body, boolean cut) {
        String header(String name) {
            List<String> all = headers(name);
            return all.isEmpty() ? "" : all.getFirst();
        }

        List<String> headers(String name) {
            return head.stream().filter(h -> h[0].equals(name)).map(h -> h[1]).toList();
        }
    }

    Answer send(Probe probe) throws IOException {
        Probe filled = new Probe(probe.method(), fill(probe.target()), probe.accept(), probe.type(),
                fill(probe.body()));
        return Answer.of(probe, exchange(filled));
    }

    private String fill(String text) throws IOException {
        Matcher matcher = PLACE.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            JsonNode object = Json.read(exchange(Probe.get(matcher.group(2))).body());
            String value = switch (matcher.group(1)) {
                case "uid" -> Json.text(object, "metadata", "uid");
                case "rv" -> Json.text(object, "metadata", "resourceVersion");
                default -> Json.text(object, "metadata", "continue");
            };
            matcher.appendReplacement(filled, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(filled).toString();
    }

    private Response exchange(Probe probe) throws IOException {
        if (socket != null) {
            try {
                return attempt(probe);
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException e) {
                close();
            }
        }
        return attempt(probe);
    }

    private Response attempt(Probe probe) throws IOException {
        Socket open = socket == null ? connect() : socket;
        byte[] body = probe.body().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(probe.method()).append(' ').append(probe.target())
                .append(" HTTP/1.1\r\nHost: 127.0.0.1:").append(port)
                .append("\r\nUser-Agent: probe/1\r\n")
                // The open server takes a body without a type from no web page, and no page can send this header.
                .append("Kubectl-Command: probe\r\n");
        if (!token.isEmpty()) {
            head.append("Authorization: Bearer ").append(token).append("\r\n");
        }
        if (!probe.accept().isEmpty()) {
            head.append("Accept: ").append(probe.accept()).append("\r\n");
        }
        if (!probe.type().isEmpty()) {
            head.append("Content-Type: ").append(probe.type()).append("\r\n");
        }
        if (body.length > 0 || !List.of("GET", "HEAD", "OPTIONS", "TRACE", "DELETE").contains(probe.method())) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        request.writeBytes(body);
        open.getOutputStream().write(request.toByteArray());
        open.getOutputStream().flush();
        return read(probe);
    }

    private Response read(Probe probe) throws IOException {
        String status = line();
        int code = Integer.parseInt(status.substring(9, 12));
        List<String[]> head = new ArrayList<>();
        long length = -1;
        boolean chunked = false;
        boolean ends = false;
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            String value = line.substring(colon + 1).strip();
            head.add(new String[]{name, value});
            switch (name) {
                case "content-length" -> length = Long.parseLong(value);
                case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
                case "connection" -> ends = value.equalsIgnoreCase("close");
                default -> {
                }
            }
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean cut = false;
        InputStream from = java.util.Objects.requireNonNull(in);
        if (!probe.method().equals("HEAD") && code != 204 && code != 304 && code >= 200) {
            try {
                if (chunked) {
                    for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
                        body.writeBytes(from.readNBytes(size));
                        line();
                    }
                    line();
                } else if (length >= 0) {
                    body.writeBytes(from.readNBytes((int) length));
                } else {
                    ends = true;
                    body.writeBytes(from.readAllBytes());
                }
            } catch (SocketTimeoutException e) {
                cut = true;
            }
        }
        if (ends || cut || code < 200) {
            close();
        }
        return new Response(code, head, body.toString(StandardCharsets.UTF_8), cut);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        InputStream from = java.util.Objects.requireNonNull(in);
        for (int c = from.read(); c != '\n'; c = from.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    private Socket connect() throws IOException {
        Socket open;
        if (tls) {
            try {
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(null, new TrustManager[]{new TrustsAll()}, null);
                open = context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
            } catch (GeneralSecurityException e) {
                throw new IOException(e);
            }
        } else {
            open = new Socket(InetAddress.getLoopbackAddress(), port);
        }
        open.setSoTimeout(TIMEOUT_MILLIS);
        open.setTcpNoDelay(true);
        socket = open;
        in = new BufferedInputStream(open.getInputStream());
        return open;
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
        }
        socket = null;
        in = null;
    }

    /** The certificate of a server on loopback that the test has started itself. */
    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
