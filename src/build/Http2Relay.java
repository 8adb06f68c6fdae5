import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.threads.VirtualThreadExecutor;

import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.runtime.Clock;

import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Serves another server's answers over TLS and HTTP/2, as a kube-apiserver does, to one client: {@link Rehearsal} then
 * trains the code that a client of a real cluster runs. It trusts its client, and has no limits.
 */
final class Http2Relay implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int MOST_STREAMS = 1_000;
    /** Headers of one connection, and credentials, which the other server does not take. */
    private static final Set<String> OF_THE_CONNECTION = Set.of("authorization", "connection", "content-length", "host",
            "keep-alive", "transfer-encoding", "upgrade");

    private final Tomcat tomcat = new Tomcat();
    private final OkHttpClient client = new OkHttpClient.Builder().protocols(List.of(Protocol.HTTP_1_1))
            .readTimeout(Duration.ZERO).build();
    private final ServingCertificate serving;
    private final String target;

    /** @param target the other server's address, without a slash at its end */
    Http2Relay(String target) throws LifecycleException {
        this.target = target;
        Instant now = Clock.system().now();
        this.serving = OwnAuthority.of(ServerKeys.inMemory(), now).serving(List.of(HOST), now);
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setConnector(connector());
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "relay", new Relay());
        context.addServletMappingDecoded("/*", "relay");
        tomcat.start();
    }

    private Connector connector() {
        Http11NioProtocol protocol = new Http11NioProtocol();
        protocol.setExecutor(new VirtualThreadExecutor("relay-"));
        SSLHostConfig host = new SSLHostConfig();
        SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host,
                SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setCertificateKeystore(serving.keyStore());
        certificate.setCertificateKeystorePassword(ServingCertificate.PASSWORD);
        certificate.setCertificateKeyPassword(ServingCertificate.PASSWORD);
        host.addCertificate(certificate);
        protocol.setSSLEnabled(true);
        protocol.addSslHostConfig(host);
        Http2Protocol http2 = new Http2Protocol();
        http2.setMaxConcurrentStreams(MOST_STREAMS);
        http2.setMaxConcurrentStreamExecution(MOST_STREAMS);
        http2.setStreamReadTimeout(-1);
        http2.setStreamWriteTimeout(-1);
        http2.setOverheadCountFactor(0);
        http2.setOverheadDataThreshold(0);
        http2.setOverheadWindowUpdateThreshold(0);
        Connector connector = new Connector(protocol);
        connector.addUpgradeProtocol(http2);
        connector.setPort(0);
        connector.setScheme("https");
        connector.setSecure(true);
        connector.setThrowOnFailure(true);
        connector.setEncodedSolidusHandling("passthrough");
        return connector;
    }

    /** Writes a kubeconfig for this relay, with files for the authority and a token, as a pod has them. */
    Path writeKubeconfig(Path directory) throws IOException {
        Path trusted = directory.resolve("relay-ca.crt");
        Path token = directory.resolve("relay-token");
        Files.writeString(trusted, serving.trusted());
        Files.writeString(token, "rehearsal");
        return Files.writeString(directory.resolve("relay.kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: relay
                contexts: [{name: relay, context: {cluster: relay, user: relay}}]
                clusters: [{name: relay, cluster: {server: "https://%s:%d", certificate-authority: %s}}]
                users: [{name: relay, user: {tokenFile: %s}}]
                """.formatted(HOST, tomcat.getConnector().getLocalPort(), trusted.getFileName(),
                token.getFileName()));
    }

    private final class Relay extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest asked, HttpServletResponse answer) throws IOException {
            try (Response response = client.newCall(forwarded(asked)).execute()) {
                answer.setStatus(response.code());
                response.headers().forEach(header -> {
                    if (!OF_THE_CONNECTION.contains(header.getFirst().toLowerCase(Locale.ROOT))) {
                        answer.addHeader(header.getFirst(), header.getSecond());
                    }
                });
                OutputStream out = answer.getOutputStream();
                // A watch's client waits for the headers.
                answer.flushBuffer();
                InputStream in = response.body().byteStream();
                byte[] buffer = new byte[16 * 1024];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    out.write(buffer, 0, n);
                    out.flush();
                }
            }
        }

        private Request forwarded(HttpServletRequest asked) throws IOException {
            String query = asked.getQueryString();
            Request.Builder request = new Request.Builder()
                    .url(target + asked.getRequestURI() + (query == null ? "" : "?" + query));
            asked.getHeaderNames().asIterator().forEachRemaining(name -> {
                if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                    asked.getHeaders(name).asIterator()
                            .forEachRemaining(value -> request.addHeader(name, value));
                }
            });
            byte[] body = asked.getInputStream().readAllBytes();
            String type = asked.getContentType();
            return request.method(asked.getMethod(), body.length == 0 && type == null
                    ? null
                    : RequestBody.create(body, type == null ? null : MediaType.get(type))).build();
        }
    }

    /** Ends all connections and threads. */
    @Override
    public void close() throws LifecycleException {
        client.dispatcher().cancelAll();
        tomcat.stop();
        tomcat.destroy();
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
