package dev.wheelhouse.apiserver.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import javax.net.ssl.X509TrustManager;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.runtime.BoundedMap;

import okhttp3.ConnectionPool;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Sends reviews to webhooks (upstream: {@code apiserver/pkg/util/webhook/client.go}). A webhook is named by a URL, or
 * by a Service, which leads where {@link ServiceResolver} says. Redirects are followed as Go's client follows them,
 * within the time of the call; no request has credentials. Thread safe; a call blocks its thread.
 */
public final class WebhookClient {
    private static final MediaType JSON = MediaType.get("application/json");
    /** The problem of a {@code caBundle} that cannot be read, as upstream tells it. */
    public static final String UNREADABLE = "unable to load root certificates: unable to parse bytes as PEM block";
    private static final int MOST_CLIENTS = 200;
    /** The most bytes of an answer, besides three times those of the review. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;
    private static final int TREE_PER_BYTE = 8;
    private static final int LONGEST_EXCERPT = 1_000;
    /** The most requests of one call that redirects lead to, with the first one (upstream: Go's {@code net/http}). */
    private static final int MOST_REQUESTS = 10;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private final ServiceResolver services;
    private final OkHttpClient plain = new OkHttpClient.Builder().protocols(List.of(Protocol.HTTP_1_1))
            .followRedirects(false).followSslRedirects(false).connectTimeout(Duration.ZERO).readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO).connectionPool(new ConnectionPool(16, 10, TimeUnit.SECONDS))
            .build();
    /** By the trusted certificates. Clients of the same ones share connections. Guarded by itself. */
    private final Map<String, OkHttpClient> clients = BoundedMap.byUse(MOST_CLIENTS);

    /** @param store has the Services that webhooks are named by */
    public WebhookClient(ObjectStore store) {
        this.services = new ServiceResolver(store);
    }

    /**
     * Sends a review and returns the answer.
     *
     * @param config the {@code clientConfig} of the webhook
     * @param timeout for the whole call
     * @throws WebhookException if there is no answer of status 200 with a JSON object within the time
     */
    public ObjectNode call(JsonNode config, ObjectNode review, Duration timeout) throws WebhookException {
        String address = address(config);
        HttpUrl base = HttpUrl.parse(address);
        if (base == null || !base.isHttps()) {
            throw new WebhookException("could not get REST client: Unparsable URL: \"" + address + "\"");
        }
        HttpUrl named = base.newBuilder()
                .addQueryParameter("timeout", timeout.plusNanos(999_999_999).toSeconds() + "s").build();
        String shown = address.substring(0, address.indexOf('/', "https://".length())) + named.encodedPath() + "?"
                + named.encodedQuery();
        ServiceResolver.Address leads;
        try {
            leads = services.resolve(base.host(), base.port());
        } catch (UnknownHostException e) {
            throw new WebhookException("Post \"" + shown + "\": " + e.getMessage());
        }
        HttpUrl url = named.newBuilder().port(leads.port()).build();
        AtomicReference<HttpUrl> at = new AtomicReference<>(url);
        byte[] body = Json.bytes(review);
        OkHttpClient client = client(Json.text(config, "caBundle")).newBuilder().callTimeout(timeout)
                .dns(new Leads(base.host(), leads.host()))
                .addInterceptor(chain -> followed(chain, at)).build();
        Request request = new Request.Builder().url(url).header("Accept", "application/json")
                .header("User-Agent", "kube-apiserver-admission").post(RequestBody.create(body, JSON)).build();
        int code;
        byte[] answer;
        String media;
        long most = MOST_BYTES + 3L * body.length;
        try (Response response = client.newCall(request).execute()) {
            code = response.code();
            answer = read(response, (int) Math.min(most, Integer.MAX_VALUE - 16));
            media = response.header("Content-Type", "text/plain");
        } catch (RedirectException e) {
            throw new WebhookException("Post \"" + e.to + "\": " + e.getMessage());
        } catch (IOException e) {
            HttpUrl asked = Objects.requireNonNull(at.get());
            throw new WebhookException("Post \"" + (asked.equals(url) ? shown : asked) + "\": "
                    + GoWords.of(e, asked.host(), asked.port()));
        }
        if (code < 200 || code > 206) {
            throw new WebhookException(
                    refusal(code, media != null && media.startsWith("text/") ? answer : new byte[0]));
        }
        Allowance.take((long) TREE_PER_BYTE * answer.length);
        try {
            if (Json.read(answer) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw new WebhookException("couldn't get version/kind; json parse error: " + e.getOriginalMessage());
        }
        throw new WebhookException("couldn't get version/kind; json parse error: the answer is no JSON object");
    }

    /** A redirect is not followed. */
    private static final class RedirectException extends IOException {
        final String to;

        RedirectException(String to, String why) {
            super(why);
            this.to = to;
        }
    }

    /**
     * Follows redirects: 307 and 308 send the review again, the others lead to a GET. A redirect without a location is
     * an answer.
     *
     * @param at receives the URL of each further request
     */
    private static Response followed(Interceptor.Chain chain, AtomicReference<HttpUrl> at) throws IOException {
        Request request = chain.request();
        for (int sent = 1;; sent++) {
            Response response = chain.proceed(request);
            String location = response.header("Location");
            if (location == null || !REDIRECTS.contains(response.code())) {
                return response;
            }
            response.close();
            HttpUrl next = request.url().resolve(location);
            if (next == null || sent == MOST_REQUESTS) {
                throw new RedirectException(location, next == null
                        ? "failed to parse Location header \"" + location + "\""
                        : "stopped after " + MOST_REQUESTS + " redirects");
            }
            at.set(next);
            Request.Builder builder = request.newBuilder().url(next);
            request = (response.code() < 307 ? builder.get() : builder).build();
        }
    }

    /** The time that is left for a call: at most that of the request which this thread works on. */
    public static Duration within(Duration timeout) {
        Duration left = Deadline.atMost(timeout);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
    }

    static byte[] read(Response response, int most) throws IOException {
        ResponseBody body = response.body();
        try (InputStream in = body.byteStream()) {
            byte[] read = in.readNBytes(most + 1);
            if (read.length > most) {
                throw new IOException("the answer has more than " + most + " bytes");
            }
            return read;
        }
    }

    /** The URL, with a path. */
    private static String address(JsonNode config) {
        JsonNode service = config.get("service");
        String text = service == null
                ? Json.text(config, "url")
                : "https://" + Json.text(service, "name") + "." + Json.text(service, "namespace") + ".svc:"
                        + Json.number(service, 443, "port") + Json.text(service, "path");
        return text.indexOf('/', "https://".length()) < 0 ? text + "/" : text;
    }

    /** The addresses of hosts, one of which leads to another one. Calls share connections if theirs are equal. */
    private record Leads(String host, String to) implements Dns {
        @Override
        public List<InetAddress> lookup(String name) throws UnknownHostException {
            return Arrays.asList(InetAddress.getAllByName(name.equals(host) ? to : name));
        }
    }

    private OkHttpClient client(String bundle) throws WebhookException {
        synchronized (clients) {
            OkHttpClient known = clients.get(bundle);
            if (known == null) {
                known = bundle.isBlank() ? plain : trusting(bundle);
                clients.put(bundle, known);
            }
            return known;
        }
    }

    private OkHttpClient trusting(String bundle) throws WebhookException {
        try {
            return RemoteService.trusting(plain, pem(bundle));
        } catch (IllegalArgumentException e) {
            throw new WebhookException("could not get REST client: " + UNREADABLE);
        }
    }

    /**
     * Trusts the authorities of a {@code caBundle}.
     *
     * @param bundle certificates as PEM, in base64
     * @throws IllegalArgumentException if there are none
     */
    public static X509TrustManager trustManager(String bundle) {
        return RemoteService.trustManager(pem(bundle));
    }

    private static String pem(String bundle) {
        return new String(Base64.getMimeDecoder().decode(bundle), StandardCharsets.UTF_8);
    }

    /** The message of client-go for an answer that is no success (upstream: {@code NewGenericServerResponse}). */
    private static String refusal(int code, byte[] body) {
        String text = new String(body, 0, Math.min(body.length, LONGEST_EXCERPT), StandardCharsets.UTF_8).strip();
        String told = text.isEmpty() ? "unknown" : text;
        return switch (code) {
            case 400 -> "the server rejected our request for an unknown reason";
            case 401 -> "the server has asked for the client to provide credentials";
            case 403, 415 -> told;
            case 404 -> "the server could not find the requested resource";
            case 405 -> "the server does not allow this method on the requested resource";
            case 406 -> text.isEmpty()
                    ? "the server was unable to respond with a content type that the client supports"
                    : text;
            case 409 -> "the server reported a conflict";
            case 422 -> "the server rejected our request due to an error in our request";
            case 429 -> "the server has received too many requests and has asked us to try again later";
            case 503 -> "the server is currently unable to handle the request";
            case 504 -> "the server was unable to return a response in the time allotted, but may still be "
                    + "processing the request";
            default -> code >= 500
                    ? "an error on the server (" + Json.mapper().writeValueAsString(told)
                            + ") has prevented the request from succeeding"
                    : "the server responded with the status code " + code + " but did not return more information";
        };
    }
}
