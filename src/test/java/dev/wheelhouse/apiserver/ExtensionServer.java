package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.pki.AnyPeer;

/** A server that extends the API, with fixed answers by path. It wants the certificate of who calls it. */
final class ExtensionServer implements AutoCloseable {
    /** The name in its certificate, by which the Service {@code metrics/monitoring} is called. */
    static final String NAME = "metrics.monitoring.svc";

    record Asked(String head, String body, X509Certificate client) {
        String path() {
            return head.split(" ", 3)[1];
        }

        boolean has(String header) {
            return head.contains("\r\n" + header + "\r\n");
        }
    }

    /** The authority of its certificate, PEM. */
    final String authority;
    /** Requests with other methods or paths than those of the server's own questions. */
    final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    /** Whole answers without the first line's protocol, by path. */
    final Map<String, String> answers = new ConcurrentHashMap<>();
    /** Lets a watch send its second event. */
    final CountDownLatch more = new CountDownLatch(1);
    private final SSLServerSocket socket;

    ExtensionServer() throws Exception {
        ServingCertificate certificate = OwnAuthority.of(ServerKeys.inMemory(), Instant.now())
                .serving(List.of(NAME), Instant.now());
        authority = certificate.trusted();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("own", certificate.key(), new char[0], certificate.chain().toArray(new Certificate[0]));
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), new TrustManager[]{AnyPeer.INSTANCE}, null);
        socket = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 0,
                InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(true);
        // A virtual thread that accepts would keep the port open for a moment after the close.
        Thread.ofPlatform().daemon().start(() -> {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    Thread.ofVirtual().start(() -> serve((SSLSocket) client));
                } catch (IOException e) {
                    // The test has ended.
                }
            }
        });
    }

    int port() {
        return socket.getLocalPort();
    }

    void json(String path, String body) {
        answers.put(path, "200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(body.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + body + "\r\n0\r\n\r\n");
    }

    private void serve(SSLSocket client) {
        try (client) {
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    return;
                }
                head.append((char) next);
            }
            String length = head.toString().replaceFirst("(?s).*Content-Length: (\\d+).*", "$1");
            String body = length.matches("\\d+")
                    ? new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8)
                    : "";
            Asked request = new Asked(head.toString(), body,
                    (X509Certificate) client.getSession().getPeerCertificates()[0]);
            if (!request.has("X-Remote-User: system:kube-aggregator")) {
                asked.add(request);
            }
            String path = request.path().replaceFirst("[?].*", "");
            if (request.head.contains("Upgrade: ")) {
                write(out, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello");
                in.transferTo(out);
            } else if (request.path().contains("watch=")) {
                write(out, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + event("one"));
                more.await();
                write(out, event("two"));
            } else {
                write(out, "HTTP/1.1 " + answers.getOrDefault(path, "404 Not Found\r\n\r\nno " + path));
            }
        } catch (IOException | InterruptedException e) {
            // The client has ended.
        }
    }

    static String event(String name) {
        return "{\"type\":\"ADDED\",\"object\":" + gauge(name) + "}\n";
    }

    static String gauge(String name) {
        return "{\"kind\":\"Gauge\",\"apiVersion\":\"metrics.k8s.io/v1beta1\",\"metadata\":{\"name\":\"" + name
                + "\",\"namespace\":\"default\",\"uid\":\"u-" + name + "\",\"resourceVersion\":\"7\"}}";
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        more.countDown();
        socket.close();
    }
}
