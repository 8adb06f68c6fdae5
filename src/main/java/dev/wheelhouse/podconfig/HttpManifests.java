package dev.wheelhouse.podconfig;

import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The URL of manifests, and how to fetch it.
 *
 * @param url an absolute http or https URL
 * @param headers the headers that are sent to the URL's own origin, and to no other
 * @param period the time between two requests
 * @param timeout the longest duration of one request, including redirects and body
 * @param otherOrigins whether to follow a redirect to another origin, which is another scheme, host or port
 */
public record HttpManifests(URI url, Map<String, List<String>> headers, Duration period, Duration timeout,
        boolean otherOrigins) {
    public HttpManifests {
        String scheme = url.getScheme() == null ? "" : url.getScheme();
        if ((!scheme.equals("http") && !scheme.equals("https")) || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "manifest URL \"" + shown(url)
                            + "\": write an absolute http or https URL, such as https://example.com/pods.yaml");
        }
        if (period.isNegative() || period.isZero() || timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException(
                    "manifest URL " + shown(url) + ": period and timeout must be longer than zero");
        }
        headers = Map.copyOf(headers);
        headers.forEach((name, values) -> values.forEach(value -> check(name, value)));
    }

    private static void check(String name, String value) {
        try {
            HttpRequest.newBuilder().header(name, value);
        } catch (IllegalArgumentException e) {
            // The message omits the value, because it may be a secret.
            throw new IllegalArgumentException(
                    "header \"" + name + "\" cannot be sent: its name or value is not allowed in a request");
        }
    }

    /** The URL for logs and reports. User and query are left out, because they may be secrets. */
    String shownUrl() {
        return shown(url);
    }

    static String shown(URI url) {
        return url.toString().replaceFirst("[?#].*", "").replaceFirst("//[^/]*@", "//");
    }

    /** The options with kubelet's period of 20 s and timeout of 10 s. */
    public static HttpManifests of(URI url) {
        return new HttpManifests(url, Map.of(), Duration.ofSeconds(20), Duration.ofSeconds(10), false);
    }
}
