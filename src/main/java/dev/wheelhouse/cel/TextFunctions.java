package dev.wheelhouse.cel;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import static dev.wheelhouse.cel.KubernetesLibrary.INT;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;

/** Functions on texts: regular expressions and URLs (upstream: {@code library/regex.go}, {@code library/urls.go}). */
final class TextFunctions {
    private static final OpaqueType URL = OpaqueType.create("kubernetes.URL");
    private static final KubernetesLibrary.Argument A_URL = new KubernetesLibrary.Argument(URL, URI.class);

    private TextFunctions() {}

    static void addTo(KubernetesLibrary library) {
        ListType strings = ListType.create(SimpleType.STRING);
        library.member("find", "string_find_string", SimpleType.STRING, a -> {
            List<String> found = pattern((String) a[1]).findAll((String) a[0], 1);
            return found.isEmpty() ? "" : found.getFirst();
        }, STRING, STRING);
        library.member("findAll", "string_find_all_string", strings,
                a -> pattern((String) a[1]).findAll((String) a[0], -1), STRING, STRING);
        library.member("findAll", "string_find_all_string_int", strings,
                a -> pattern((String) a[1]).findAll((String) a[0], (Long) a[2]), STRING, STRING, INT);
        library.global("url", "string_to_url", URL, a -> {
            URI url = url((String) a[0]);
            if (url == null) {
                throw new CelEvaluationException("URL parse error during conversion from string: " + a[0]);
            }
            return url;
        }, STRING);
        library.global("isURL", "is_url_string", SimpleType.BOOL, a -> url((String) a[0]) != null, STRING);
        library.member("getScheme", "url_get_scheme", SimpleType.STRING, a -> orEmpty(((URI) a[0]).getScheme()), A_URL);
        library.member("getHost", "url_get_host", SimpleType.STRING, a -> host((URI) a[0]), A_URL);
        library.member("getHostname", "url_get_hostname", SimpleType.STRING,
                a -> orEmpty(((URI) a[0]).getHost()).replaceAll("[\\[\\]]", ""), A_URL);
        library.member("getPort", "url_get_port", SimpleType.STRING,
                a -> ((URI) a[0]).getPort() < 0 ? "" : Integer.toString(((URI) a[0]).getPort()), A_URL);
        library.member("getEscapedPath", "url_get_escaped_path", SimpleType.STRING,
                a -> orEmpty(((URI) a[0]).getRawPath()), A_URL);
        library.member("getQuery", "url_get_query", MapType.create(SimpleType.STRING, strings), a -> query((URI) a[0]),
                A_URL);
    }

    static boolean matches(String text, String expression) throws CelEvaluationException {
        return pattern(expression).isIn(text);
    }

    static UserPattern pattern(String expression) throws CelEvaluationException {
        try {
            return UserPattern.of(expression);
        } catch (UserPattern.PatternException e) {
            throw new CelEvaluationException("Illegal regex: " + e.getMessage());
        }
    }

    /** The URL of an absolute URI or an absolute path; null for any other text. */
    private static @Nullable URI url(String text) {
        try {
            URI url = new URI(text.replace(" ", "%20"));
            boolean absolute = url.getScheme() != null
                    ? url.getRawAuthority() == null || url.parseServerAuthority().getHost() != null
                    : text.startsWith("/");
            return absolute ? url : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static String host(URI url) {
        return orEmpty(url.getHost()) + (url.getPort() < 0 ? "" : ":" + url.getPort());
    }

    private static Map<String, List<String>> query(URI url) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (String pair : orEmpty(url.getRawQuery()).split("&", -1)) {
            int equals = pair.indexOf('=');
            String key = decoded(equals < 0 ? pair : pair.substring(0, equals));
            if (!pair.isEmpty()) {
                values.computeIfAbsent(key, k -> new ArrayList<>())
                        .add(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            }
        }
        return values;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
