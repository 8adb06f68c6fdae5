package dev.wheelhouse;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on one kept connection to 127.0.0.1, with request lines that no library would send. Trusts every
 * certificate. Not
 * for several threads.
 */
final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final int port;
    private final boolean tls;
    private @Nullable Socket socket;
    private @Nullable InputStream in;

    RawClient(int port, boolean tls) {
        this.port = port;
        this.tls = tls;
    }

    record Answer(int code, String body) {}

    /** @param isStream whether an answer of 200 may be without an end; then only its head is read */
    Answer send(String method, String target, Map<String, List<String>> headers, byte[] body, boolean isStream)
            throws IOException {
        StringBuilder head = new StringBuilder(method).append(' ').append(target)
                .append(" HTTP/1.1\r\nHost: 127.0.0.1:")
                .append(port).append("\r\n");
        headers.forEach((name, values) -> values
                .forEach(value -> head.append(name).append(": ").append(value).append("\r\n")));
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(head.toString().getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(body);
        boolean kept = socket != null;
        try {
            return exchange(request.toByteArray(), method, isStream);
        } catch (IOException e) {
            close();
            if (!kept) {
                throw e;
            }
            // The server may have closed the connection after its last answer.
            return exchange(request.toByteArray(), method, isStream);
        }
    }

    private Answer exchange(byte[] request, String method, boolean isStream) throws IOException {
        Socket open = open();
        open.getOutputStream().write(request);
        open.getOutputStream().flush();
        String status = line();
        Map<String, String> headers = new HashMap<>();
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            headers.put(header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
        }
        int code = Integer.parseInt(status.substring(9, 12));
        boolean chunked = "chunked".equalsIgnoreCase(headers.get("transfer-encoding"));
        if (isStream && code == 200 && !headers.containsKey("content-length")) {
            close();
            return new Answer(code, "");
        }
        byte[] body = method.equals("HEAD") || code == 204 || code == 304
                ? new byte[0]
                : chunked ? chunks() : bytes(headers.get("content-length"));
        if ("close".equalsIgnoreCase(headers.get("connection"))) {
            close();
        }
        return new Answer(code, new String(body, StandardCharsets.UTF_8));
    }

    private byte[] bytes(@Nullable String length) throws IOException {
        return length == null ? input().readAllBytes() : input().readNBytes(Integer.parseInt(length));
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int length = Integer.parseInt(line(), 16); length > 0; length = Integer.parseInt(line(), 16)) {
            body.writeBytes(input().readNBytes(length));
            line();
        }
        line();
        return body.toByteArray();
    }

    private InputStream input() throws IOException {
        if (in == null) {
            throw new EOFException("the connection is closed");
        }
        return in;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = input().read(); c != '\n'; c = input().read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection in the middle of an answer");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private Socket open() throws IOException {
        Socket open = socket;
        if (open == null) {
            open = tls
                    ? trusting().getSocketFactory().createSocket("127.0.0.1", port)
                    : new Socket("127.0.0.1", port);
            open.setSoTimeout(TIMEOUT_MILLIS);
            open.setTcpNoDelay(true);
            socket = open;
            in = new BufferedInputStream(open.getInputStream());
        }
        return open;
    }

    private static SSLContext trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{new X509TrustManager() {
                @Override
                public void checkClientTrusted(X509Certificate[] chain, String type) {
                    // Everybody is trusted.
                }

                @Override
                public void checkServerTrusted(X509Certificate[] chain, String type) {
                    // Everybody is trusted.
                }

                @Override
                public X509Certificate[] getAcceptedIssuers() {
                    return new X509Certificate[0];
                }
            }}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has TLS", e);
        }
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
        }
        socket = null;
        in = null;
    }
}
