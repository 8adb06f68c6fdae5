package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A registry of images that wants a password, in a process of its own, because it has to be in the network of the
 * test's containerd. It serves one image as every name and tag.
 */
final class PrivateRegistry {
    static final String USER = "me";
    static final String PASSWORD = "open:sesame";
    private static final Pattern PATH = Pattern.compile("/v2/.+/(manifests|blobs)/(sha256:)?([a-z0-9]+)");
    private static final Pattern DIGEST = Pattern.compile("sha256:([a-f0-9]{64})");

    private PrivateRegistry() {}

    /** @param args a directory in the layout of OCI */
    public static void main(String[] args) throws IOException {
        Path blobs = Path.of(args[0], "blobs/sha256");
        Matcher manifest = DIGEST.matcher(Files.readString(Path.of(args[0], "index.json")));
        if (!manifest.find()) {
            throw new IOException("the layout has no manifest");
        }
        String expected = "Basic " + Base64.getEncoder()
                .encodeToString((USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
            if (!expected.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"test\"");
                answer(exchange, 401, "x".getBytes(StandardCharsets.UTF_8));
            } else if (!path.matches()) {
                answer(exchange, 404, "x".getBytes(StandardCharsets.UTF_8));
            } else {
                String digest = path.group(2) == null ? manifest.group(1) : path.group(3);
                exchange.getResponseHeaders().set("Docker-Content-Digest", "sha256:" + digest);
                exchange.getResponseHeaders().set("Content-Type", path.group(1).equals("manifests")
                        ? "application/vnd.oci.image.manifest.v1+json"
                        : "application/octet-stream");
                answer(exchange, 200, Files.readAllBytes(blobs.resolve(digest)));
            }
        });
        server.start();
        System.out.println(server.getAddress().getPort());
    }

    private static void answer(HttpExchange exchange, int code, byte[] body) throws IOException {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        if (head) {
            exchange.getResponseHeaders().set("Content-Length", String.valueOf(body.length));
        }
        exchange.sendResponseHeaders(code, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }
}
