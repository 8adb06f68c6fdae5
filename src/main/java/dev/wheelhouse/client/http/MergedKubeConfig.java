package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonProperty;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;

import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.http.KubeConfigs.Connection;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SafeYaml;

import okhttp3.Credentials;
import okhttp3.Headers;
import okhttp3.HttpUrl;

/**
 * Several kubeconfig files as one. If two files have an entry of the same name, or both have a {@code current-context},
 * that of the first file counts. Relative paths are relative to their own file (upstream: client-go
 * {@code tools/clientcmd/loader.go}).
 */
final class MergedKubeConfig {
    private static final int LARGEST_BYTES = 10 * 1024 * 1024;
    private static final String AUTHORITY = "certificate-authority";
    /** Reads the shapes below. */
    private static final JsonMapper STRICT = ModelJson.withoutCoercion(JsonMapper.builder())
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    private static final List<String> PATHS = List.of(AUTHORITY, "client-certificate", "client-key",
            "tokenFile");
    /** The fields by which a kubeconfig reaches out of itself. */
    private static final List<String> FOREIGN = List.of(AUTHORITY, "client-certificate", "client-key", "tokenFile",
            "exec", "auth-provider");

    private final List<Path> files;
    private final Map<String, Entry> contexts = new LinkedHashMap<>();
    private final Map<String, Entry> clusters = new LinkedHashMap<>();
    private final Map<String, Entry> users = new LinkedHashMap<>();
    private String currentContext = "";

    /** A parsed file. */
    record Loaded(Path file, Map<String, Object> content) {}

    /** The fields of a context, and their types. */
    private record ContextShape(String cluster, String user, String namespace) {}

    /** The fields of a cluster, and their types. */
    private record ClusterShape(String server, String tlsServerName, Boolean insecureSkipTlsVerify,
            String certificateAuthority, String certificateAuthorityData, String proxyUrl,
            Boolean disableCompression) {}

    /** The fields of a user, and their types. */
    private record UserShape(String clientCertificate, String clientCertificateData, String clientKey,
            String clientKeyData, String token, @JsonProperty("tokenFile") String file, String as, String asUid,
            List<String> asGroups, Map<String, List<String>> asUserExtra, String username, String password,
            ExecShape exec) {}

    /** The fields of a plugin, and their types. */
    private record ExecShape(String command, List<String> args, List<Map<String, String>> env,
            @JsonProperty("apiVersion") String version, @JsonProperty("installHint") String hint,
            @JsonProperty("provideClusterInfo") Boolean told, @JsonProperty("interactiveMode") String mode) {}

    /** A named context, cluster or user, and its file. */
    private record Entry(Path file, String kind, String name, Map<String, Object> fields) {
        String text(String field) {
            return fields.get(field) instanceof String value ? value : "";
        }

        boolean isTrue(String field) {
            return Boolean.TRUE.equals(fields.get(field));
        }

        KubeConfigException problem(String field, String problem) {
            return new KubeConfigException(where(field) + " " + problem);
        }

        /** The place of the first field that has a value; that of the last one if none has. */
        String where(String... any) {
            String found = Stream.of(any).filter(field -> !Objects.requireNonNullElse(fields.get(field), "").equals(""))
                    .findFirst().orElse(any[any.length - 1]);
            return "the kubeconfig " + file + ": field " + found + " of the " + kind + " \"" + name + "\"";
        }
    }

    private MergedKubeConfig(List<Path> files) {
        this.files = files;
    }

    static Loaded load(Path file) {
        byte[] text;
        try {
            if (Files.isDirectory(file)) {
                throw new KubeConfigException("the kubeconfig " + file + " is a directory: name the file in it");
            }
            if (Files.size(file) > LARGEST_BYTES) {
                throw new KubeConfigException(
                        "the kubeconfig " + file + " is larger than 10 MiB: this is the wrong file");
            }
            text = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new KubeConfigException("cannot read the kubeconfig " + file + ": " + KubeConfigs.reason(e)
                    + "; check the path and its permissions", e);
        }
        return parse(file, text);
    }

    /** @param file names the kubeconfig in messages, and is not read */
    static Loaded parse(Path file, byte[] text) {
        Object parsed;
        try {
            parsed = SafeYaml.load(text);
        } catch (SafeYaml.MalformedException e) {
            throw new KubeConfigException("the kubeconfig " + file + " is no YAML: " + e.problem()
                    + (e.line() > 0 ? ", line " + e.line() : "") + "; correct it there", e);
        }
        if (parsed == null) {
            return new Loaded(file, Map.of());
        }
        return new Loaded(file, object(file, "the file", parsed));
    }

    static MergedKubeConfig of(List<Loaded> loaded) {
        MergedKubeConfig merged = new MergedKubeConfig(loaded.stream().map(Loaded::file).toList());
        for (Loaded each : loaded) {
            add(each, "context", ContextShape.class, merged.contexts);
            add(each, "cluster", ClusterShape.class, merged.clusters);
            add(each, "user", UserShape.class, merged.users);
            Object current = each.content().get("current-context");
            if (current != null && !(current instanceof String)) {
                throw wrong(each.file(), "current-context", String.class);
            }
            if (merged.currentContext.isEmpty() && current instanceof String name) {
                merged.currentContext = name;
            }
        }
        return merged;
    }

    private static void add(Loaded from, String kind, Class<?> shape, Map<String, Entry> into) {
        String list = kind + "s";
        // kubectl writes an empty list as null.
        if (!(Objects.requireNonNullElse(from.content().get(list), List.of()) instanceof List<?> each)) {
            throw problem(from.file(), list + " is no list; correct it");
        }
        int i = 0;
        Set<String> names = new HashSet<>();
        for (Object item : each) {
            String where = list + "[" + i++ + "]";
            Map<String, Object> entry = object(from.file(), where, item);
            Object name = entry.get("name");
            if (name == null) {
                throw problem(from.file(), where + " has no name; give it one");
            }
            if (!(name instanceof String text)) {
                throw wrong(from.file(), where + ".name", String.class);
            }
            if (!names.add(text)) {
                throw problem(from.file(), list + " has two entries \"" + text + "\"; remove one");
            }
            Object value = entry.get(kind);
            Map<String, Object> fields = value == null ? Map.of() : object(from.file(), where + "." + kind, value);
            checkTypes(from.file(), kind + " \"" + text + "\"", fields, shape);
            into.putIfAbsent(text, new Entry(from.file(), kind, text, resolved(from.file(), fields)));
        }
    }

    /**
     * Checks the types of the fields, as all kubectl commands do, for entries that are not used, too. The message does
     * not contain the value, which may be a secret.
     */
    private static void checkTypes(Path file, String entry, Map<String, Object> fields, Class<?> shape) {
        try {
            STRICT.convertValue(fields, shape);
        } catch (DatabindException e) {
            String field = e.getPath().stream().map(step -> step.getPropertyName() == null
                    ? "[" + step.getIndex() + "]"
                    : step.getPropertyName()).collect(Collectors.joining("."));
            throw wrong(file, "field " + field + " of the " + entry,
                    e instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null);
        }
    }

    private static KubeConfigException wrong(Path file, String where, @Nullable Class<?> expected) {
        return problem(file, where + (expected == String.class
                ? " is no text; put it in quotes"
                : expected == Boolean.class
                        ? " is neither true nor false; correct it"
                        : " has another form; correct it"));
    }

    private static KubeConfigException problem(Path file, String problem) {
        return new KubeConfigException("the kubeconfig " + file + ": " + problem);
    }

    private static Map<String, Object> object(Path file, String where, Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw problem(file, where + " is no mapping of fields; is this a kubeconfig?");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        map.forEach((k, v) -> fields.put(String.valueOf(k), v));
        return fields;
    }

    private static Map<String, Object> resolved(Path file, Map<String, Object> fields) {
        Map<String, Object> resolved = new LinkedHashMap<>(fields);
        for (String field : PATHS) {
            resolved.computeIfPresent(field,
                    (f, path) -> path.toString().isEmpty() ? path : absolute(file, path.toString()));
        }
        return resolved;
    }

    private static String absolute(Path file, String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize().toString();
    }

    /** @throws KubeConfigException if a cluster or a user names a file or a program */
    void requireSelfContained() {
        for (Entry entry : Stream.concat(clusters.values().stream(), users.values().stream()).toList()) {
            for (String field : FOREIGN) {
                if (entry.fields().get(field) != null && !"".equals(entry.fields().get(field))) {
                    throw entry.problem(field, "names a file or a program of this machine, which a kubeconfig from "
                            + "elsewhere must not: put the data itself into it, such as "
                            + "certificate-authority-data, client-certificate-data and client-key-data, or token");
                }
            }
        }
    }

    /** @param wanted a context's name, or null for the current one */
    Connection connect(@Nullable String wanted, Map<String, String> environment, Clock clock, HttpMeters meters) {
        String where = String.join(", ", files.stream().map(Path::toString).toList());
        String name = wanted != null ? wanted : currentContext;
        if (name.isEmpty()) {
            throw new KubeConfigException("the kubeconfig " + where
                    + ": current-context is not set; set it (kubectl config use-context NAME) or name a context of "
                    + contexts.keySet());
        }
        Entry context = contexts.get(name);
        if (context == null) {
            throw new KubeConfigException("the kubeconfig " + where + " has no context \"" + name + "\": it has "
                    + contexts.keySet() + "; name one of those");
        }
        Entry cluster = required(clusters, context, "cluster");
        Entry user = context.text("user").isEmpty()
                ? new Entry(context.file(), "user", "", Map.of())
                : required(users, context, "user");
        check(cluster, user);

        String source = where + ", context " + name;
        // As kubectl, which sends no credentials without TLS.
        boolean secure = server(cluster).isHttps();
        TokenRefresher refresher = secure ? refresher(cluster, user, clock, meters) : null;
        boolean isNamed = !user.name().isEmpty();
        Refusals refusals = new Refusals(cluster.where("server"), cluster.where(AUTHORITY + "-data", AUTHORITY),
                isNamed
                        ? user.where("client-certificate-data", "client-certificate", "exec", "client-certificate")
                        : context.where("user"),
                isNamed
                        ? user.where("tokenFile", "token", "username", "exec", "auth-provider", "token")
                        : context.where("user"));
        ApiClient api = api(cluster, user, headers(user, secure), refresher, refusals, source, environment, clock,
                meters);
        Refusals ofNobody = new Refusals(refusals.server(), refusals.authority(), refusals.certificate(), "");
        Entry nobody = new Entry(context.file(), "user", user.name(), Map.of());
        String namespace = context.text("namespace");
        return new Connection(api, source, namespace.isEmpty() ? "default" : namespace, fieldPem(cluster, AUTHORITY),
                () -> api(cluster, nobody, Headers.of(), null, ofNobody, source, environment, clock,
                        meters));
    }

    private static ApiClient api(Entry cluster, Entry user, Headers headers, @Nullable TokenRefresher refresher,
            Refusals refusals, String source, Map<String, String> environment, Clock clock, HttpMeters meters) {
        HttpUrl server = server(cluster);
        ApiClient api = KubeConfigs.build(new ClientBuilder().setBasePath(server.toString())
                .setVerifyingSsl(!cluster.isTrue("insecure-skip-tls-verify"))
                .setTlsServerName(cluster.text("tls-server-name")).setAuthentication(refresher), source);
        Proxies.use(api, cluster.text("proxy-url"), "the kubeconfig " + cluster.file()
                + ": field proxy-url of the cluster \"" + cluster.name() + "\"", environment);
        if (headers.size() > 0) {
            api.setHttpClient(api.getHttpClient().newBuilder().addInterceptor(chain -> {
                Headers all = chain.request().headers().newBuilder().addAll(headers).build();
                return chain.proceed(chain.request().newBuilder().headers(all).build());
            }).build());
        }
        if (server.isHttps()) {
            RotatingTls.install(new Certificates(cluster, user, refresher, meters), refusals, api, source, clock);
        }
        return api;
    }

    /** The server's URL without its query and fragment, which kubectl does not send, either. */
    private static HttpUrl server(Entry cluster) {
        return Objects.requireNonNull(HttpUrl.parse(cluster.text("server"))).newBuilder().query(null).fragment(null)
                .build();
    }

    /** The headers of a user that never change: credentials, if they may be sent, and whom it acts as. */
    private static Headers headers(Entry user, boolean secure) {
        Headers.Builder headers = new Headers.Builder();
        if (secure && hasPassword(user)) {
            headers.add("Authorization",
                    Credentials.basic(user.text("username"), user.text("password"), StandardCharsets.UTF_8));
        } else if (secure && !user.text("token").isEmpty() && user.text("tokenFile").isEmpty()) {
            headers.add("Authorization", "Bearer " + user.text("token"));
        }
        if (!user.text("as").isEmpty()) {
            impersonate(headers, user, "Impersonate-User", user.text("as"));
            impersonate(headers, user, "Impersonate-Uid", user.text("as-uid"));
            impersonate(headers, user, "Impersonate-Group", user.fields().get("as-groups"));
            if (user.fields().get("as-user-extra") instanceof Map<?, ?> extra) {
                extra.forEach((key, values) -> impersonate(headers, user,
                        "Impersonate-Extra-" + escaped(key.toString()), values));
            }
        }
        return headers.build();
    }

    private static void impersonate(Headers.Builder headers, Entry user, String name, @Nullable Object values) {
        for (Object value : values instanceof List<?> list ? list : List.of(values == null ? "" : values)) {
            if (value.toString().chars().anyMatch(Character::isISOControl)) {
                throw problem(user.file(), "the fields as and as-* of the user \"" + user.name()
                        + "\" hold a control character, which no header can have; remove it");
            }
            if (!value.toString().isEmpty()) {
                headers.addUnsafeNonAscii(name, value.toString());
            }
        }
    }

    /** A key as a part of a header's name (upstream: {@code headerKeyEscape} in client-go's round_trippers.go). */
    private static String escaped(String key) {
        StringBuilder escaped = new StringBuilder();
        for (byte each : key.getBytes(StandardCharsets.UTF_8)) {
            boolean legal = each > ' ' && each < 127 && "\"%(),/:;<=>?@[\\]{}".indexOf(each) < 0;
            escaped.append(legal ? String.valueOf((char) each) : "%%%02X".formatted(each));
        }
        return escaped.toString();
    }

    private static boolean hasPassword(Entry user) {
        return !user.text("username").isEmpty() || !user.text("password").isEmpty();
    }

    private static Entry required(Map<String, Entry> entries, Entry context, String field) {
        String name = context.text(field);
        if (name.isEmpty()) {
            throw problem(context.file(), "context \"" + context.name() + "\" has no field " + field
                    + "; set it to one of " + entries.keySet());
        }
        Entry entry = entries.get(name);
        if (entry == null) {
            throw problem(context.file(), "context \"" + context.name() + "\" names the " + field + " \"" + name
                    + "\", which does not exist: there are " + entries.keySet());
        }
        return entry;
    }

    private static void check(Entry cluster, Entry user) {
        String server = cluster.text("server");
        if (server.isEmpty()) {
            throw cluster.problem("server", "is not set; set it to https://HOST:PORT");
        }
        HttpUrl url = server.contains(" ") ? null : HttpUrl.parse(server);
        if (url == null) {
            throw cluster.problem("server", "is \"" + server + "\"; write it as https://HOST:PORT");
        }
        if (!url.username().isEmpty() || !url.password().isEmpty()) {
            throw cluster.problem("server",
                    "has a user's name or password; write them as username and password of the user");
        }
        if (cluster.isTrue("insecure-skip-tls-verify") && has(cluster, AUTHORITY)) {
            throw cluster.problem(AUTHORITY, "is set beside insecure-skip-tls-verify; remove one of them");
        }
        readable(cluster, AUTHORITY);
        readable(user, "client-certificate");
        readable(user, "client-key");
        if (user.text("token").isEmpty()) {
            readable(user, "tokenFile");
        }
        base64(cluster, AUTHORITY + "-data");
        base64(user, "client-certificate-data");
        base64(user, "client-key-data");
        TokenRefresher.requireSendable(user.text("token"),
                "the kubeconfig " + user.file() + ": field token of the user \"" + user.name() + "\"");
        if (hasPassword(user) && !(user.text("token") + user.text("tokenFile")).isEmpty()) {
            throw user.problem("username", "is set beside a token; remove one of them");
        }
        if (user.text("as").isEmpty()
                && List.of("as-uid", "as-groups", "as-user-extra").stream().anyMatch(user.fields()::containsKey)) {
            throw user.problem("as", "is not set, though as-uid, as-groups or as-user-extra is; set it, too");
        }
        boolean certificate = has(user, "client-certificate");
        if (certificate != has(user, "client-key")) {
            throw user.problem(certificate ? "client-key" : "client-certificate",
                    "is not set, though its counterpart is; set both or neither");
        }
    }

    private static boolean has(Entry entry, String field) {
        return !entry.text(field).isEmpty() || !entry.text(field + "-data").isEmpty();
    }

    private static void readable(Entry entry, String field) {
        String path = entry.text(field);
        if (!path.isEmpty() && entry.text(field + "-data").isEmpty() && !Files.isReadable(Path.of(path))) {
            throw entry.problem(field, "names the file " + path + ", which "
                    + (Files.exists(Path.of(path))
                            ? "cannot be read; check its permissions"
                            : "does not exist; correct the path"));
        }
    }

    private static void base64(Entry entry, String field) {
        try {
            decoded(entry.text(field));
        } catch (IllegalArgumentException e) {
            throw entry.problem(field, "is no base64; encode the PEM file by base64 -w0");
        }
    }

    /** Base64 as Go reads it: with padding and, at most, line ends. */
    private static String decoded(String base64) {
        String text = base64.replaceAll("[\r\n]", "");
        if (text.length() % 4 != 0) {
            throw new IllegalArgumentException("not padded");
        }
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private static String fieldPem(Entry entry, String field) {
        String data = entry.text(field + "-data");
        if (!data.isEmpty()) {
            return decoded(data);
        }
        String path = entry.text(field);
        return path.isEmpty() ? "" : KubeConfigs.text(Path.of(path), "the file of the field " + field);
    }

    /** The user's configuration for the official client. */
    private static KubeConfig official(Entry user) {
        KubeConfig official = new KubeConfig(
                new ArrayList<>(List.of(Map.of("name", "", "context", Map.of("cluster", "", "user", user.name())))),
                new ArrayList<>(List.of(Map.of("name", "", "cluster", Map.of()))),
                new ArrayList<>(List.of(Map.of("name", user.name(), "user", user.fields()))));
        official.setFile(user.file().toAbsolutePath().toFile());
        official.setContext("");
        return official;
    }

    /** The certificates of a cluster and a user, from fields, files and the user's plugin. */
    private static final class Certificates implements RotatingTls.Source {
        private final Function<RotatingTls.Reread, String> authority;
        private final Entry user;
        private final @Nullable TokenRefresher plugin;
        private RotatingTls.TlsData read = new RotatingTls.TlsData("", "", "");
        /** The plugin's last certificate with the authority, and the token that it came with. */
        private RotatingTls.TlsData plugged = read;
        private TokenRefresher.@Nullable Token pluggedFrom;

        Certificates(Entry cluster, Entry user, @Nullable TokenRefresher plugin, HttpMeters meters) {
            this.user = user;
            this.plugin = plugin;
            this.authority = authority(cluster, meters);
        }

        private static Function<RotatingTls.Reread, String> authority(Entry cluster, HttpMeters meters) {
            String path = cluster.text(AUTHORITY);
            return path.isEmpty() || !cluster.text(AUTHORITY + "-data").isEmpty()
                    ? reread -> fieldPem(cluster, AUTHORITY)
                    : new AuthorityFile(Path.of(path), "the file of the field " + AUTHORITY, meters)::pem;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // Each run of the plugin counts as another token.
        public RotatingTls.TlsData pem(RotatingTls.Reread reread, RotatingTls.@Nullable TlsData refused) {
            if (reread != RotatingTls.Reread.KNOWN) {
                read = new RotatingTls.TlsData(authority.apply(reread), fieldPem(user, "client-certificate"),
                        fieldPem(user, "client-key"));
            }
            if (plugin == null) {
                return read;
            }
            TokenRefresher.Token token = plugin.current();
            if (token == pluggedFrom && refused == plugged && !token.certificate().isEmpty()) {
                token = plugin.instead(token);
            }
            if (token.certificate().isEmpty()) {
                return read;
            }
            if (token != pluggedFrom || !plugged.authority().equals(read.authority())) {
                plugged = new RotatingTls.TlsData(read.authority(), token.certificate(), token.key());
                pluggedFrom = token;
            }
            return plugged;
        }
    }

    private static @Nullable TokenRefresher refresher(Entry cluster, Entry user, Clock clock, HttpMeters meters) {
        if (!user.text("tokenFile").isEmpty()) {
            return TokenRefresher.ofFile(Path.of(user.text("tokenFile")), user.text("token"), clock);
        }
        if (has(user, "client-certificate") || !user.text("token").isEmpty() || hasPassword(user)) {
            return null;
        }
        if (user.fields().get("exec") instanceof Map<?, ?> exec) {
            return new TokenRefresher(ExecPlugin.of(user.file(), user.name(), exec, () -> clusterInfo(cluster), clock,
                    meters), clock);
        }
        if (user.fields().get("auth-provider") != null) {
            return TokenRefresher.ofOfficial(official(user),
                    user.file() + ", auth-provider of the user \"" + user.name() + "\"", clock);
        }
        return null;
    }

    /** The cluster as a plugin is told of it (upstream: {@code ConfigToExecCluster} in client-go's rest/exec.go). */
    private static Map<String, Object> clusterInfo(Entry cluster) {
        Map<String, Object> info = new LinkedHashMap<>();
        for (String field : List.of("server", "tls-server-name", "proxy-url")) {
            if (!cluster.text(field).isEmpty()) {
                info.put(field, cluster.text(field));
            }
        }
        for (String field : List.of("insecure-skip-tls-verify", "disable-compression")) {
            if (cluster.isTrue(field)) {
                info.put(field, true);
            }
        }
        String authority = fieldPem(cluster, AUTHORITY);
        if (!authority.isEmpty()) {
            info.put(AUTHORITY + "-data",
                    Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8)));
        }
        for (Object each : cluster.fields().get("extensions") instanceof List<?> list ? list : List.of()) {
            if (each instanceof Map<?, ?> extension && "client.authentication.k8s.io/exec".equals(extension.get("name"))
                    && extension.get("extension") != null) {
                info.put("config", extension.get("extension"));
            }
        }
        return info;
    }
}
