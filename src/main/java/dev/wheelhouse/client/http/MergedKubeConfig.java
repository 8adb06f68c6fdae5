package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;

import dev.wheelhouse.client.http.KubeConfigs.Connection;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SafeYaml;

import okhttp3.HttpUrl;

/**
 * Several kubeconfig files as one. If two files have an entry of the same name, or both have a {@code current-context},
 * that of the first file counts. Relative paths are relative to their own file (upstream: client-go
 * {@code tools/clientcmd/loader.go}).
 */
final class MergedKubeConfig {
    private static final int LARGEST_BYTES = 10 * 1024 * 1024;
    private static final String AUTHORITY = "certificate-authority";
    private static final List<String> PATHS = List.of(AUTHORITY, "client-certificate", "client-key",
            "tokenFile");

    private final List<Path> files;
    private final Map<String, Entry> contexts = new LinkedHashMap<>();
    private final Map<String, Entry> clusters = new LinkedHashMap<>();
    private final Map<String, Entry> users = new LinkedHashMap<>();
    private String currentContext = "";

    /** A parsed file. */
    record Loaded(Path file, Map<String, Object> content) {}

    /** A named context, cluster or user, and its file. */
    private record Entry(Path file, String name, Map<String, Object> fields) {
        String text(String field) {
            Object value = fields.get(field);
            return value == null ? "" : value.toString();
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
            merged.add(each, "contexts", "context", merged.contexts);
            merged.add(each, "clusters", "cluster", merged.clusters);
            merged.add(each, "users", "user", merged.users);
            Object current = each.content().get("current-context");
            if (merged.currentContext.isEmpty() && current != null) {
                merged.currentContext = current.toString();
            }
        }
        return merged;
    }

    private void add(Loaded from, String list, String field, Map<String, Entry> into) {
        Object entries = from.content().get(list);
        if (entries == null) {
            return;
        }
        if (!(entries instanceof List<?> each)) {
            throw new KubeConfigException("the kubeconfig " + from.file() + ": " + list + " is no list; correct it");
        }
        int i = 0;
        for (Object item : each) {
            String where = list + "[" + i++ + "]";
            Map<String, Object> entry = object(from.file(), where, item);
            Object name = entry.get("name");
            if (name == null) {
                throw new KubeConfigException(
                        "the kubeconfig " + from.file() + ": " + where + " has no name; give it one");
            }
            Object value = entry.get(field);
            Map<String, Object> fields = value == null ? Map.of() : object(from.file(), where + "." + field, value);
            into.putIfAbsent(name.toString(), new Entry(from.file(), name.toString(), resolved(from.file(), fields)));
        }
    }

    private static Map<String, Object> object(Path file, String where, Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new KubeConfigException("the kubeconfig " + file + ": " + where
                    + " is no mapping of fields; is this a kubeconfig?");
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

    /** @param wanted a context's name, or null for the current one */
    Connection connect(@Nullable String wanted, Map<String, String> environment, Clock clock, HttpMetrics metrics) {
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
                ? new Entry(context.file(), "", Map.of())
                : required(users, context, "user");
        check(cluster, user);

        KubeConfig config = new KubeConfig(official("context", contexts), official("cluster", clusters),
                official("user", users));
        config.setFile(user.file().toAbsolutePath().toFile());
        if (!config.setContext(name)) {
            throw new KubeConfigException("the kubeconfig " + where + ": context \"" + name + "\" cannot be used");
        }
        String source = where + ", context " + name;
        TokenRefresher refresher = refresher(config, user, clock, metrics);
        ApiClient api = api(withoutRefreshed(config, cluster, user, name), cluster, user, refresher, source,
                environment, clock, metrics);
        Entry nobody = new Entry(context.file(), user.name(), Map.of());
        String namespace = context.text("namespace");
        return new Connection(api, source, namespace.isEmpty() ? "default" : namespace,
                Certificates.pem(cluster, "certificate-authority"),
                () -> api(single(cluster, nobody, nobody.fields(), name), cluster, nobody, null, source, environment,
                        clock, metrics));
    }

    private static ApiClient api(KubeConfig config, Entry cluster, Entry user, @Nullable TokenRefresher refresher,
            String source, Map<String, String> environment, Clock clock, HttpMetrics metrics) {
        ClientBuilder builder;
        try {
            builder = ClientBuilder.kubeconfig(config);
        } catch (IOException | RuntimeException e) {
            throw new KubeConfigException(source + ": " + e.getMessage(), e);
        }
        if (refresher != null) {
            builder.setAuthentication(refresher);
        }
        ApiClient api = KubeConfigs.build(builder, source);
        Proxies.use(api, cluster.text("proxy-url"), "the kubeconfig " + cluster.file()
                + ": field proxy-url of the cluster \"" + cluster.name() + "\"", environment);
        if (cluster.text("server").startsWith("https://") && rotates(cluster, user)) {
            RotatingTls.install(new Certificates(cluster, user, refresher, metrics), api, source, clock);
        }
        return api;
    }

    private static Entry required(Map<String, Entry> entries, Entry context, String field) {
        String name = context.text(field);
        if (name.isEmpty()) {
            throw new KubeConfigException("the kubeconfig " + context.file() + ": context \"" + context.name()
                    + "\" has no field " + field + "; set it to one of " + entries.keySet());
        }
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new KubeConfigException("the kubeconfig " + context.file() + ": context \"" + context.name()
                    + "\" names the " + field + " \"" + name + "\", which does not exist: there are "
                    + entries.keySet());
        }
        return entry;
    }

    private static void check(Entry cluster, Entry user) {
        String server = cluster.text("server");
        if (server.isEmpty()) {
            throw problem(cluster, "cluster", "server", "is not set; set it to https://HOST:PORT");
        }
        if (!server.matches("https?://.+") || HttpUrl.parse(server) == null) {
            throw problem(cluster, "cluster", "server", "is \"" + server + "\"; write it as https://HOST:PORT");
        }
        Object insecure = cluster.fields().get("insecure-skip-tls-verify");
        if (insecure != null && !(insecure instanceof Boolean)) {
            throw problem(cluster, "cluster", "insecure-skip-tls-verify", "is neither true nor false; correct it");
        }
        readable(cluster, "cluster", AUTHORITY);
        readable(user, "user", "client-certificate");
        readable(user, "user", "client-key");
        readable(user, "user", "tokenFile");
        base64(cluster, "cluster", AUTHORITY + "-data");
        base64(user, "user", "client-certificate-data");
        base64(user, "user", "client-key-data");
        TokenRefresher.requireSendable(user.text("token"),
                "the kubeconfig " + user.file() + ": field token of the user \"" + user.name() + "\"");
        boolean certificate = has(user, "client-certificate");
        if (certificate != has(user, "client-key")) {
            throw problem(user, "user", certificate ? "client-key" : "client-certificate",
                    "is not set, though its counterpart is; set both or neither");
        }
    }

    private static boolean has(Entry entry, String field) {
        return !entry.text(field).isEmpty() || !entry.text(field + "-data").isEmpty();
    }

    private static void readable(Entry entry, String what, String field) {
        String path = entry.text(field);
        if (!path.isEmpty() && entry.text(field + "-data").isEmpty() && !Files.isReadable(Path.of(path))) {
            throw problem(entry, what, field, "names the file " + path + ", which "
                    + (Files.exists(Path.of(path))
                            ? "cannot be read; check its permissions"
                            : "does not exist; correct the path"));
        }
    }

    private static void base64(Entry entry, String what, String field) {
        String data = entry.text(field);
        try {
            Base64.getMimeDecoder().decode(data);
        } catch (IllegalArgumentException e) {
            throw problem(entry, what, field, "is no base64; encode the PEM file by base64 -w0");
        }
    }

    private static KubeConfigException problem(Entry entry, String what, String field, String problem) {
        return new KubeConfigException("the kubeconfig " + entry.file() + ": field " + field + " of the " + what + " \""
                + entry.name() + "\" " + problem);
    }

    private static ArrayList<Object> official(String field, Map<String, Entry> entries) {
        ArrayList<Object> list = new ArrayList<>();
        entries.values().forEach(e -> list.add(Map.of("name", e.name(), field, e.fields())));
        return list;
    }

    /** The fields of a user whose credentials expire. */
    private static final Set<String> REFRESHED = Set.of("exec", "auth-provider", "tokenFile");

    /** The configuration without these fields, as the official client would read their credentials only once. */
    private static KubeConfig withoutRefreshed(KubeConfig config, Entry cluster, Entry user, String context) {
        if (user.fields().keySet().stream().noneMatch(REFRESHED::contains)) {
            return config;
        }
        Map<String, Object> fields = new LinkedHashMap<>(user.fields());
        fields.keySet().removeAll(REFRESHED);
        return single(cluster, user, fields, context);
    }

    /** A configuration of one context. */
    private static KubeConfig single(Entry cluster, Entry user, Map<String, Object> fields, String context) {
        KubeConfig plain = new KubeConfig(
                new ArrayList<>(List.of(Map.of("name", context, "context",
                        Map.of("cluster", cluster.name(), "user", user.name())))),
                new ArrayList<>(List.of(Map.of("name", cluster.name(), "cluster", cluster.fields()))),
                new ArrayList<>(List.of(Map.of("name", user.name(), "user", fields))));
        plain.setContext(context);
        return plain;
    }

    private static boolean rotates(Entry cluster, Entry user) {
        return user.fields().containsKey("exec")
                || Stream.of(cluster.text(AUTHORITY), user.text("client-certificate"),
                        user.text("client-key")).anyMatch(path -> !path.isEmpty());
    }

    /** The certificates of a cluster and a user, from fields, files and the user's plugin. */
    private static final class Certificates implements RotatingTls.Source {
        private final Function<RotatingTls.Look, String> authority;
        private final Entry user;
        private final @Nullable TokenRefresher plugin;
        private RotatingTls.Pem read = new RotatingTls.Pem("", "", "");
        /** The plugin's last certificate with the authority, and the token that it came with. */
        private RotatingTls.Pem plugged = read;
        private TokenRefresher.@Nullable Token pluggedFrom;

        Certificates(Entry cluster, Entry user, @Nullable TokenRefresher plugin, HttpMetrics metrics) {
            this.user = user;
            this.plugin = plugin;
            this.authority = authority(cluster, metrics);
        }

        private static Function<RotatingTls.Look, String> authority(Entry cluster, HttpMetrics metrics) {
            String path = cluster.text(AUTHORITY);
            return path.isEmpty() || !cluster.text(AUTHORITY + "-data").isEmpty()
                    ? look -> pem(cluster, AUTHORITY)
                    : new AuthorityFile(Path.of(path), "the file of the field " + AUTHORITY, metrics)::pem;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // Each run of the plugin counts as another token.
        public RotatingTls.Pem pem(RotatingTls.Look look, RotatingTls.@Nullable Pem refused) {
            if (look != RotatingTls.Look.KNOWN) {
                read = new RotatingTls.Pem(authority.apply(look), pem(user, "client-certificate"),
                        pem(user, "client-key"));
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
                plugged = new RotatingTls.Pem(read.authority(), token.certificate(), token.key());
                pluggedFrom = token;
            }
            return plugged;
        }

        private static String pem(Entry entry, String field) {
            String data = entry.text(field + "-data");
            if (!data.isEmpty()) {
                return new String(Base64.getMimeDecoder().decode(data), StandardCharsets.UTF_8);
            }
            String path = entry.text(field);
            return path.isEmpty() ? "" : KubeConfigs.text(Path.of(path), "the file of the field " + field);
        }
    }

    private static @Nullable TokenRefresher refresher(KubeConfig config, Entry user, Clock clock,
            HttpMetrics metrics) {
        if (has(user, "client-certificate") || !user.text("token").isEmpty()) {
            return null;
        }
        if (!user.text("tokenFile").isEmpty()) {
            return TokenRefresher.ofFile(Path.of(user.text("tokenFile")), clock);
        }
        if (user.fields().get("exec") instanceof Map<?, ?> exec) {
            return new TokenRefresher(ExecPlugin.of(user.file(), user.name(), exec, clock, metrics), clock);
        }
        if (user.fields().get("auth-provider") != null) {
            return TokenRefresher.ofOfficial(config,
                    user.file() + ", auth-provider of the user \"" + user.name() + "\"", clock);
        }
        return null;
    }
}
