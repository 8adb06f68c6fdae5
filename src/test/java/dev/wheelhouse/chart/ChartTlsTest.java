package dev.wheelhouse.chart;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The service with the chart's options for a certificate, and a Secret as the kubelet mounts it. */
@Timeout(900)
class ChartTlsTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private final SigningAuthority authority = SigningAuthority.create("authority", Keys.newPair(), Instant.now());

    @Test
    void healthIsServedByHttpsAndARenewedCertificateIsUsedWithoutARestart() throws Exception {
        mount("first");
        for (String file : List.of("tls.crt", "tls.key")) {
            Files.createSymbolicLink(directory.resolve(file), Path.of("..data", file));
        }
        String[] options = Chart.of(Chart.render(directory, "tls: {secretName: s}"), "Deployment")
                .at("/spec/template/spec/containers/0/args").valueStream().map(each -> each.asString())
                .filter(each -> each.contains("ssl")).map(each -> each.replace("=/tls/", "=" + directory + "/"))
                .toArray(String[]::new);

        try (RunningService service = RunningService.start(directory, options)) {
            assertThat(certificate(service.port())).isEqualTo("CN=first");
            mount("second");
            eventually("the renewed certificate is used", SOON,
                    () -> certificate(service.port()).equals("CN=second"));
        }
    }

    /** Replaces the contents of the Secret at once: {@code ..data} is a link to a directory with all files. */
    private void mount(String name) throws Exception {
        KeyPair keys = Keys.newPair();
        X509Certificate certificate = authority.serving(name, keys.getPublic(), List.of("127.0.0.1"),
                Duration.ofDays(1), Instant.now());
        Path version = Files.createDirectory(directory.resolve(".." + name));
        Files.writeString(version.resolve("tls.crt"), Pem.of(List.of(certificate)));
        Files.writeString(version.resolve("tls.key"), Pem.of(keys.getPrivate()));
        Path link = Files.createSymbolicLink(directory.resolve("..tmp"), version.getFileName());
        Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The name of the certificate of a new connection, which trusts the authority alone. */
    private String certificate(int port) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", authority.certificate());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (HttpClient http = HttpClient.newBuilder().sslContext(context).connectTimeout(SOON).build()) {
            HttpResponse<String> answer = http.send(HttpRequest
                    .newBuilder(URI.create("https://127.0.0.1:" + port + "/actuator/health/readiness"))
                    .timeout(SOON).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            X509Certificate used = (X509Certificate) answer.sslSession().orElseThrow().getPeerCertificates()[0];
            return used.getSubjectX500Principal().getName();
        }
    }
}
