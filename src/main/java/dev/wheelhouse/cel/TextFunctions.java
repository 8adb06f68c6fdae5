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

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.cel.KubernetesLibrary.BOOL;
import static dev.wheelhouse.cel.KubernetesLibrary.INT;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;

/** Functions on texts: regular expressions and URLs (upstream: {@code library/regex.go}, {@code library/urls.go}). */
final class TextFunctions {
    private static final KubernetesLibrary.Type<URI> URL = KubernetesLibrary.Type.opaque("kubernetes.URL", URI.class);
    @SuppressWarnings("rawtypes")
    private static final KubernetesLibrary.Type<List> STRINGS = new KubernetesLibrary.Type<>(
            ListType.create(SimpleType.STRING), List.class);
    @SuppressWarnings("rawtypes")
    private static final KubernetesLibrary.Type<Map> QUERY = new KubernetesLibrary.Type<>(
            MapType.create(SimpleType.STRING, ListType.create(SimpleType.STRING)), Map.class);

    private TextFunctions() {}

    static void addTo(KubernetesLibrary library) {
        library.member("find", "string_find_string", STRING, STRING, STRING,
                (text, regex) -> String.join("", pattern(regex).findAll(text, 1)));
        library.member("findAll", "string_find_all_string", STRINGS, STRING, STRING,
                (text, regex) -> pattern(regex).findAll(text, -1));
        library.member("findAll", "string_find_all_string_int", STRINGS, STRING, STRING, INT,
                a -> pattern((String) a[1]).findAll((String) a[0], (Long) a[2]));
        library.global("url", "string_to_url", URL, STRING, text -> {
            URI url = url(text);
            if (url == null) {
                throw new CelEvaluationException("URL parse error during conversion from string: " + text);
            }
            return url;
        });
        library.global("isURL", "is_url_string", BOOL, STRING, text -> url(text) != null);
        library.member("getScheme", "url_get_scheme", STRING, URL, url -> orEmpty(url.getScheme()));
        library.member("getHost", "url_get_host", STRING, URL, TextFunctions::host);
        library.member("getHostname", "url_get_hostname", STRING, URL,
                url -> orEmpty(url.getHost()).replaceAll("[\\[\\]]", ""));
        library.member("getPort", "url_get_port", STRING, URL,
                url -> url.getPort() < 0 ? "" : Integer.toString(url.getPort()));
        library.member("getEscapedPath", "url_get_escaped_path", STRING, URL, url -> orEmpty(url.getRawPath()));
        library.member("getQuery", "url_get_query", QUERY, URL, TextFunctions::query);
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
