package dev.wheelhouse.spring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import dev.wheelhouse.facts.Release;

/** Finds out whether a taken port is held by another Wheelhouse, whose answer to {@code /version} contains its name. */
final class PortHolder {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private PortHolder() {}

    /** The holder in words. A port that does not answer in time belongs to "another process". */
    static String of(String address, int port) {
        try {
            InetAddress host = InetAddress.getByName(address);
            String name = host.isAnyLocalAddress() ? "127.0.0.1" : host.getHostAddress();
            String authority = (name.contains(":") ? "[" + name + "]" : name) + ":" + port;
            SSLContext anyCertificate = SSLContext.getInstance("TLS");
            anyCertificate.init(null, new TrustManager[]{new TrustsAll()}, null);
            try (HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).sslContext(anyCertificate)
                    .build()) {
                for (String scheme : List.of("http", "https")) {
                    if (answer(client, URI.create(scheme + "://" + authority + "/version")).contains(Release.VERSION)) {
                        return "another Wheelhouse";
                    }
                }
            }
        } catch (IOException | GeneralSecurityException e) {
            // The port stays that of a process that is not known.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "another process";
    }

    private static String answer(HttpClient client, URI uri) throws InterruptedException {
        try {
            return client.send(HttpRequest.newBuilder(uri).timeout(PATIENCE).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        }
    }

    /** The certificate does not matter, because nothing is sent and the answer is not trusted. */
    private static final class TrustsAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
