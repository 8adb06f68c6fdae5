package dev.wheelhouse;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.AnyPeer;

/**
 * One HTTP/1.1 connection on which a test sends any bytes, such as request lines that no library would send. It
 * connects with the first bytes, and again if the server closed the connection after an answer. It trusts every
 * certificate. Not thread safe.
 */
public final class RawHttp implements AutoCloseable {
    private final String host;
    private final int port;
    private final boolean tls;
    private final int timeoutMillis;
    private @Nullable Socket socket;
    private @Nullable InputStream in;

    /**
     * A complete answer.
     *
     * @param head the headers in their order: the name in lower case, and the value
     * @param cut whether the answer had not ended when the time was over
     */
    public record Answer(int code, List<String[]> head, String body, boolean cut) {
        /** The first value of a header; empty if it is missing. */
        public String header(String name) {
            List<String> all = headers(name);
            return all.isEmpty() ? "" : all.getFirst();
        }

        public List<String> headers(String name) {
            return head.stream().filter(h -> h[0].equals(name)).map(h -> h[1]).toList();
        }
    }

    /** @param timeoutMillis the longest wait for the next byte */
    public RawHttp(String host, int port, boolean tls, int timeoutMillis) {
        this.host = host;
        this.port = port;
        this.tls = tls;
        this.timeoutMillis = timeoutMillis;
    }

    /** A plain connection to 127.0.0.1 that is open already. */
    public static RawHttp connect(int port, int timeoutMillis) throws IOException {
        RawHttp connection = new RawHttp("127.0.0.1", port, false, timeoutMillis);
        connection.socket();
        return connection;
    }

    /** The open connection. */
    public Socket socket() throws IOException {
        Socket open = socket;
        if (open == null) {
            open = tls ? trusting().getSocketFactory().createSocket(host, port) : new Socket(host, port);
            open.setSoTimeout(timeoutMillis);
            open.setTcpNoDelay(true);
            socket = open;
            in = new BufferedInputStream(open.getInputStream());
        }
        return open;
    }

    public RawHttp send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawHttp send(byte[] bytes) throws IOException {
        socket().getOutputStream().write(bytes);
        socket().getOutputStream().flush();
        return this;
    }

    /** Reads one complete answer, or up to the end of the connection, as text. */
    public String answer() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        InputStream from = socket().getInputStream();
        byte[] buffer = new byte[8192];
        for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
            read.write(buffer, 0, n);
            if (isComplete(read.toString(StandardCharsets.ISO_8859_1))) {
                break;
            }
        }
        return read.toString(StandardCharsets.ISO_8859_1);
    }

    private static boolean isComplete(String text) {
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return false;
        }
        String head = text.substring(0, end).toLowerCase(Locale.ROOT);
        int length = head.indexOf("\r\ncontent-length: ");
        if (length < 0) {
            return text.endsWith("\r\n0\r\n\r\n");
        }
        String number = head.substring(length + 18).lines().findFirst().orElse("0").trim();
        return text.length() >= end + 4 + Integer.parseInt(number);
    }

    /** The status code of an answer as text; 0 if there was none. */
    public static int code(String answer) {
        return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : 0;
    }

    /**
     * Sends one request, and reads its answer. Sends it again if the server has closed a kept connection.
     *
     * @param method the request's method, which decides whether the answer has a body
     * @param streams whether to read nothing of the body of an answer that announces no length
     */
    public Answer exchange(String method, byte[] request, boolean streams) throws IOException {
        boolean kept = socket != null;
        try {
            return send(request).read(method, streams);
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            close();
            if (!kept) {
                throw e;
            }
            return send(request).read(method, streams);
        }
    }

    private Answer read(String method, boolean streams) throws IOException {
        int code = Integer.parseInt(line().substring(9, 12));
        List<String[]> head = new ArrayList<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            head.add(new String[]{name, line.substring(colon + 1).strip()});
        }
        Answer answer = new Answer(code, head, "", false);
        boolean chunked = answer.header("transfer-encoding").equalsIgnoreCase("chunked");
        String length = answer.header("content-length");
        boolean ends = answer.header("connection").equalsIgnoreCase("close") || !chunked && length.isEmpty()
                || code < 200;
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        boolean cut = false;
        if (streams && code == 200 && length.isEmpty()) {
            ends = true;
        } else if (!method.equals("HEAD") && code != 204 && code != 304 && code >= 200) {
            try {
                readBody(chunked, length, body);
            } catch (SocketTimeoutException e) {
                cut = true;
            }
        }
        if (ends || cut) {
            close();
        }
        return new Answer(code, head, body.toString(StandardCharsets.UTF_8), cut);
    }

    private void readBody(boolean chunked, String length, ByteArrayOutputStream body) throws IOException {
        if (chunked) {
            for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
                body.writeBytes(input().readNBytes(size));
                line();
            }
            line();
        } else {
            body.writeBytes(length.isEmpty() ? input().readAllBytes() : input().readNBytes(Integer.parseInt(length)));
        }
    }

    private InputStream input() throws IOException {
        if (in == null) {
            throw new EOFException("the connection is closed");
        }
        return in;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = input().read(); c != '\n'; c = input().read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection in the middle of an answer");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.UTF_8).strip();
    }

    /** A context for servers on loopback that the tests start themselves. */
    private static SSLContext trusting() {
        try {
            return AnyPeer.context();
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
