package dev.wheelhouse.spring;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.facts.Release;

import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Finds out whether a taken port is held by another Wheelhouse, whose answer to {@code /version} contains its name. */
final class PortHolder {
    /** The time for one whole answer, its body included. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int MOST_BYTES = 4096;

    private PortHolder() {}

    /** The holder in words. A port that does not answer in time belongs to "another process". */
    static String of(String address, int port) {
        try {
            InetAddress host = InetAddress.getByName(address);
            String name = host.isAnyLocalAddress() ? "127.0.0.1" : host.getHostAddress();
            String authority = (name.contains(":") ? "[" + name + "]" : name) + ":" + port;
            for (String scheme : List.of("http", "https")) {
                if (answer(scheme + "://" + authority).contains(Release.VERSION)) {
                    return "another Wheelhouse";
                }
            }
        } catch (IOException e) {
            // The holder of the port stays unknown.
        }
        return "another process";
    }

    /** The beginning of the answer; empty without one. The certificate is not checked, because no secret is sent. */
    private static String answer(String server) throws IOException {
        OkHttpClient client = new ClientBuilder().setBasePath(server).setVerifyingSsl(false).build().getHttpClient()
                .newBuilder().callTimeout(PATIENCE).followRedirects(false).build();
        try (Response response = client.newCall(new Request.Builder().url(server + "/version").build()).execute()) {
            return response.peekBody(MOST_BYTES).string();
        } catch (IOException e) {
            return "";
        } finally {
            client.connectionPool().evictAll();
        }
    }
}
