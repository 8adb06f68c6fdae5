package dev.wheelhouse.apiserver.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;

import io.kubernetes.client.openapi.ApiClient;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.http.KubeConfigs;
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
     * Posts an object to exactly the URL.
     *
     * @param timeout of the whole call
     * @return the object in the answer; an empty one if the answer is no object
     * @throws IOException if there is no answer of success within the time, or a very long one
     */
    public ObjectNode post(byte[] object, Duration timeout) throws IOException {
        Request request = new Request.Builder().url(url).header("Accept", "application/json")
                .post(RequestBody.create(object, JSON)).build();
        try (Response response = http.newBuilder().callTimeout(timeout).build().newCall(request).execute();
                InputStream body = response.body().byteStream()) {
            byte[] read = body.readNBytes(MOST_BYTES + 1);
            if (!response.isSuccessful() || read.length > MOST_BYTES) {
                throw new IOException(url + " answered " + response.code()
                        + (read.length > MOST_BYTES ? " with more than " + MOST_BYTES + " bytes" : ""));
            }
            return Json.read(read) instanceof ObjectNode answer ? answer : Json.object();
        } catch (JacksonException e) {
            return Json.object();
        }
    }
}
