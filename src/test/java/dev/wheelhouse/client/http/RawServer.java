package dev.wheelhouse.client.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ServerSocketFactory;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;

/** An HTTP server on raw sockets, so that a test decides about every byte, and when the connection ends. */
final class RawServer implements AutoCloseable {
    /** Answers one request; the connection is closed afterwards. */
    interface Script {
        void answer(Request request, OutputStream out) throws IOException, InterruptedException;
    }

    /**
     * @param headers the values of a header, in the order in which they came; with TLS {@code :name} is the name that
     *     the client asked for, and {@code :peer} the name of its certificate
     */
    record Request(String method, String target, Map<String, String> headers, String body) {
        String line() {
            return method + " " + target;
        }
    }

    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final ServerSocket socket;
    private final Thread acceptor;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private volatile Script script;

    RawServer(Script script) throws IOException {
        this(script, ServerSocketFactory.getDefault());
    }

    /** A server with TLS, which asks for a client's certificate. */
    RawServer(Script script, SSLContext tls) throws IOException {
        this(script, tls.getServerSocketFactory());
    }

    private RawServer(Script script, ServerSocketFactory sockets) throws IOException {
        this.script = script;
        this.socket = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        if (socket instanceof SSLServerSocket tls) {
            tls.setWantClientAuth(true);
        }
        acceptor = Thread.ofVirtual().name("raw server").start(() -> {
            while (!socket.isClosed()) {
                try {
                    Socket connection = socket.accept();
                    connections.add(connection);
                    Thread.ofVirtual().name("raw server connection").start(() -> serve(connection));
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    void answerWith(Script next) {
        script = next;
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            Request request = read(new BufferedInputStream(connection.getInputStream()));
            if (connection instanceof SSLSocket tls && tls.getSession() instanceof ExtendedSSLSession session) {
                session.getRequestedServerNames().forEach(name -> request.headers().put(":name",
                        new String(name.getEncoded(), StandardCharsets.UTF_8)));
                if (hasPeer(session)) {
                    request.headers().put(":peer", session.getPeerPrincipal().getName());
                }
            }
            requests.add(request);
            script.answer(request, connection.getOutputStream());
            connection.getOutputStream().flush();
        } catch (IOException e) {
            // The client went away.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean hasPeer(ExtendedSSLSession session) {
        try {
            return session.getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    private static Request read(InputStream in) throws IOException {
        String[] start = line(in).split(" ");
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.merge(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip(),
                    (first, next) -> first + ", " + next);
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        return new Request(start[0], start[1], headers, new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    static void json(OutputStream out, int code, String headers, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        out.write(("HTTP/1.1 " + code + " X\r\nContent-Type: application/json\r\nConnection: close\r\n" + headers
                + "Content-Length: " + bytes.length + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        out.write(bytes);
    }

    /** Sends an answer that is not JSON. */
    static void send(OutputStream out, int code, String contentType, byte[] body) throws IOException {
        out.write(("HTTP/1.1 " + code + " X\r\nContent-Type: " + contentType + "\r\nConnection: close\r\n"
                + "Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        out.write(body);
    }

    static Script always(int code, String body) {
        return (request, out) -> json(out, code, "", body);
    }

    static void startChunked(OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                .getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    static void chunk(OutputStream out, byte[] bytes, int from, int to) throws IOException {
        out.write((Integer.toHexString(to - from) + "\r\n").getBytes(StandardCharsets.UTF_8));
        out.write(bytes, from, to - from);
        out.write("\r\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    static void endChunked(OutputStream out) throws IOException {
        out.write("0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    String url() {
        return (socket instanceof SSLServerSocket ? "https" : "http") + "://127.0.0.1:" + socket.getLocalPort();
    }

    ApiClient api() {
        return new ClientBuilder().setBasePath(url()).build();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        try {
            // The port listens until the thread that accepts has left the call.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket connection : connections) {
            connection.close();
        }
    }
}
