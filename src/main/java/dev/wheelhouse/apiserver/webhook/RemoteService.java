package dev.wheelhouse.apiserver.webhook;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.ServingCertificate;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.runtime.Clock;

import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * A service that a kubeconfig describes: its cluster is the URL of the service, its user is this server. Thread safe; a
 * call blocks its thread.
 */
public record RemoteService(OkHttpClient http, String url) {
    private static final MediaType JSON = MediaType.get("application/json");
    private static final int MOST_BYTES = 1024 * 1024;

    /** @throws dev.wheelhouse.client.http.KubeConfigException if the file does not describe a service */
    public static RemoteService of(Path kubeconfig, Clock clock) {
        ApiClient api = new KubeConfigs(clock).fromFile(kubeconfig, null).api();
        return new RemoteService(api.getHttpClient(), api.getBasePath());
    }

    /**
     * A service whose certificate one of some authorities signed.
     *
     * @param authorities as PEM; null for those that the machine trusts
     */
    public static RemoteService trusting(String url, @Nullable String authorities) {
        OkHttpClient plain = new OkHttpClient();
        return new RemoteService(authorities == null ? plain : trusting(plain, authorities), url);
    }

    /** @throws IllegalArgumentException if there is no certificate */
    static OkHttpClient trusting(OkHttpClient client, String authorities) {
        X509TrustManager manager = trustManager(authorities);
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{manager}, null);
            return client.newBuilder().sslSocketFactory(context.getSocketFactory(), manager).build();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Trusts the authorities of a PEM. @throws IllegalArgumentException if there are none */
    static X509TrustManager trustManager(String authorities) {
        try {
            List<X509Certificate> certificates = Pem.certificates(authorities);
            if (certificates.isEmpty()) {
                throw new IllegalArgumentException("there is no certificate in PEM");
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(ServingCertificate.trustStore(certificates));
            return (X509TrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /**
     * Posts an object to exactly the URL.
     *
     * @param timeout of the whole call
     * @return the object in the answer; an empty one if the answer is no object
     * @throws IOException if there is no answer of success within the time, or a very long one
     */
    public ObjectNode post(byte[] object, Duration timeout) throws IOException {
        try {
            byte[] answer = send(new Request.Builder().url(url).post(RequestBody.create(object, JSON)), timeout);
            return Json.read(answer) instanceof ObjectNode read ? read : Json.object();
        } catch (JacksonException e) {
            return Json.object();
        }
    }

    /** The document at a URL. @throws IOException as {@link #post} */
    public byte[] get(String document, Duration timeout) throws IOException {
        return send(new Request.Builder().url(document), timeout);
    }

    private byte[] send(Request.Builder builder, Duration timeout) throws IOException {
        Request request = builder.header("Accept", "application/json").build();
        try (Response response = http.newBuilder().callTimeout(timeout).build().newCall(request).execute()) {
            if (!response.isSuccessful()) {
                throw new IOException(request.url() + " answered " + response.code());
            }
            return WebhookClient.read(response, MOST_BYTES);
        }
    }
}
