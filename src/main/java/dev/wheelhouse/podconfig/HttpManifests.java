package dev.wheelhouse.podconfig;

import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Where manifests are fetched from, and how.
 *
 * @param headers sent with each request to the URL's own host, and to no other
 * @param period between two requests
 * @param timeout of one request, with its redirects and its body
 * @param otherHosts whether a redirect to another scheme, host or port is followed
 */
public record HttpManifests(URI url, Map<String, List<String>> headers, Duration period, Duration timeout,
        boolean otherHosts) {
    public HttpManifests {
        String scheme = url.getScheme() == null ? "" : url.getScheme();
        if (!scheme.equals("http") && !scheme.equals("https") || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "manifest URL \"" + shown(url)
                            + "\": write an absolute http or https URL, such as https://example.com/pods.yaml");
        }
        if (period.isNegative() || period.isZero() || timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException(
                    "manifest URL " + shown(url) + ": period and timeout must be longer than nothing");
        }
        headers = Map.copyOf(headers);
        headers.forEach((name, values) -> values.forEach(value -> check(name, value)));
    }

    private static void check(String name, String value) {
        try {
            HttpRequest.newBuilder().header(name, value);
        } catch (IllegalArgumentException e) {
            // Without the value, which may be a secret.
            throw new IllegalArgumentException(
                    "header \"" + name + "\" cannot be sent: its name or value is not allowed in a request");
        }
    }

    /** The URL for logs and reports. User and query are left out, because they may be secrets. */
    String shownUrl() {
        return shown(url);
    }

    static String shown(URI url) {
        String shown = url.toString().replaceFirst("[?#].*", "");
        return url.getRawUserInfo() == null ? shown : shown.replace(url.getRawUserInfo() + "@", "");
    }

    /** With kubelet's period of 20 s and timeout of 10 s. */
    public static HttpManifests of(URI url) {
        return new HttpManifests(url, Map.of(), Duration.ofSeconds(20), Duration.ofSeconds(10), false);
    }
}
