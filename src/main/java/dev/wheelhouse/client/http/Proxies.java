package dev.wheelhouse.client.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;

import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

/**
 * Chooses the proxy to an API server: that of the kubeconfig, else that of the environment, {@code HTTPS_PROXY} or
 * {@code HTTP_PROXY} by the server's scheme, unless {@code NO_PROXY} lists the server or the server is this machine
 * (upstream: client-go {@code tools/clientcmd/client_config.go}; Go's {@code x/net/http/httpproxy}). The environment
 * may use small letters as well.
 */
final class Proxies {
    private Proxies() {}

    /**
     * Lets a client use the proxy for its server, if there is one.
     *
     * @param configured the proxy of the kubeconfig; empty for none
     * @param where the place of that field, for messages
     */
    static void use(ApiClient api, String configured, String where, Map<String, String> environment) {
        HttpUrl server = HttpUrl.parse(api.getBasePath());
        if (server == null) {
            return;
        }
        URI proxy = configured.isEmpty() ? ofEnvironment(server, environment) : parsed(configured, where);
        if (proxy == null) {
            return;
        }
        boolean socks = proxy.getScheme().startsWith("socks5");
        int port = proxy.getPort() >= 0 ? proxy.getPort() : socks ? 1080 : 80;
        OkHttpClient.Builder client = api.getHttpClient().newBuilder().proxy(new Proxy(
                socks ? Proxy.Type.SOCKS : Proxy.Type.HTTP, InetSocketAddress.createUnresolved(proxy.getHost(), port)));
        String user = proxy.getUserInfo();
        if (user != null) {
            String[] parts = user.split(":", 2);
            String credentials = Credentials.basic(parts[0], parts.length > 1 ? parts[1] : "");
            client.proxyAuthenticator((route, response) -> response.request().header("Proxy-Authorization") != null
                    ? null
                    : response.request().newBuilder().header("Proxy-Authorization", credentials).build());
        }
        api.setHttpClient(client.build());
    }

    private static @Nullable URI ofEnvironment(HttpUrl server, Map<String, String> environment) {
        String name = server.isHttps() ? "HTTPS_PROXY" : "HTTP_PROXY";
        String value = variable(environment, name);
        if (value.isEmpty() || isExcepted(server.host(), server.port(), variable(environment, "NO_PROXY"))) {
            return null;
        }
        return parsed(value.contains("://") ? value : "http://" + value, "the environment variable " + name);
    }

    private static String variable(Map<String, String> environment, String name) {
        String value = environment.getOrDefault(name, "");
        return (value.isEmpty() ? environment.getOrDefault(name.toLowerCase(Locale.ROOT), "") : value).strip();
    }

    private static URI parsed(String text, String where) {
        try {
            URI uri = new URI(text);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean socks = scheme.equals("socks5") || scheme.equals("socks5h");
            if (uri.getHost() != null && (scheme.equals("http") || (socks && uri.getUserInfo() == null))) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // The error below covers this case, too.
        }
        throw new KubeConfigException(where + " is no proxy that can be used: write it as http://HOST:PORT,"
                + " http://USER:PASSWORD@HOST:PORT or socks5://HOST:PORT");
    }

    /** Whether a list as in {@code NO_PROXY} excepts a server. This machine is always excepted. */
    static boolean isExcepted(String host, int port, String list) {
        InetAddress address = literal(host);
        if (host.equals("localhost") || (address != null && address.isLoopbackAddress())) {
            return true;
        }
        for (String item : list.toLowerCase(Locale.ROOT).split(",", -1)) {
            if (!item.isBlank() && matches(item.strip(), host.toLowerCase(Locale.ROOT), port, address)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(String item, String host, int port, @Nullable InetAddress address) {
        if (item.equals("*")) {
            return true;
        }
        int slash = item.indexOf('/');
        if (slash >= 0) {
            return address != null && contains(literal(item.substring(0, slash)), item.substring(slash + 1), address);
        }
        String name = item;
        int colon = item.lastIndexOf(':');
        if (colon >= 0 && (item.indexOf(':') == colon || item.startsWith("["))) {
            if (!item.endsWith("]") && !item.substring(colon + 1).equals(Integer.toString(port))) {
                return false;
            }
            name = item.endsWith("]") ? item : item.substring(0, colon);
        }
        InetAddress excepted = literal(name.replace("[", "").replace("]", ""));
        if (excepted != null) {
            return excepted.equals(address);
        }
        String domain = name.startsWith("*.") ? name.substring(1) : name;
        return domain.startsWith(".") ? host.endsWith(domain) : host.equals(domain) || host.endsWith("." + domain);
    }

    private static boolean contains(@Nullable InetAddress network, String length, InetAddress address) {
        if (network == null || !length.matches("\\d{1,3}")
                || network.getAddress().length != address.getAddress().length) {
            return false;
        }
        int bits = Integer.parseInt(length);
        for (int i = 0; i < bits && i < address.getAddress().length * 8; i++) {
            int mask = 0x80 >> (i % 8);
            if (((network.getAddress()[i / 8] ^ address.getAddress()[i / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    /** The address that a text is; null if it is a name, which is not looked up. */
    private static @Nullable InetAddress literal(String text) {
        if (!text.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
            return null;
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
