package dev.wheelhouse.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ListMeta;

import tools.jackson.core.JacksonException;

/**
 * Reads a list answer as it arrives: each item is decoded as soon as its bytes are there, and one that does not decode is
 * skipped and reported. Never holds more bytes than the largest item needs.
 */
final class ListReader<T extends KubernetesObject> {
    /** So many bytes are at hand before an item is read: most are whole then, and need not be looked through for their ends. */
    private static final int FIRST_READ_AHEAD = 16 * 1024;
    private static final int MOST_READ_AHEAD = 256 * 1024;

    private final ObjectDecoder<T> decoder;
    private final List<T> items = new ArrayList<>();
    private final List<DecodeFailure> skipped = new ArrayList<>();
    private String resourceVersion = "";
    private @Nullable String continueToken;

    ListReader(ObjectDecoder<T> decoder) {
        this.decoder = decoder;
    }

    /** @throws IOException if the stream breaks, or the answer is no list */
    ListPage<T> read(InputStream body) throws IOException {
        ByteScanner scanner = new ByteScanner(body);
        boolean list = false;
        scanner.expect('{');
        if (!scanner.accept('}')) {
            do {
                switch (scanner.name()) {
                    case "items" -> {
                        list = true;
                        items(scanner);
                    }
                    case "metadata" -> {
                        list = true;
                        metadata(scanner);
                    }
                    case "kind" -> requireList(scanner);
                    default -> scanner.value();
                }
            } while (scanner.accept(','));
            scanner.expect('}');
        }
        if (!list) {
            throw new IOException("the answer is no list: it has neither items nor metadata");
        }
        return new ListPage<>(items, resourceVersion, continueToken, skipped, scanner.bytesRead());
    }

    /** A Status has metadata as well, and would be a list of nothing. */
    private static void requireList(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        String kind = new String(scanner.buffer(), ByteScanner.from(span),
                ByteScanner.to(span) - ByteScanner.from(span),
                StandardCharsets.UTF_8);
        if (!kind.endsWith("List\"") && !kind.equals("\"\"") && !kind.equals("null")) {
            throw new IOException("the answer is no list: it is of kind "
                    + (kind.length() > 100 ? kind.substring(0, 100) + "…" : kind));
        }
    }

    private void items(ByteScanner scanner) throws IOException {
        if (scanner.peek() != '[') {
            scanner.value();
            return;
        }
        scanner.expect('[');
        if (scanner.accept(']')) {
            return;
        }
        int largest = FIRST_READ_AHEAD;
        do {
            scanner.peek();
            JsonBytes ahead = scanner.ahead(largest);
            int from = ahead.at;
            T item = decoder.decodeItem(ahead);
            if (item != null) {
                items.add(item);
                scanner.consumedTo(ahead);
                largest = Math.max(largest, Math.min(2 * (ahead.at - from), MOST_READ_AHEAD));
            } else {
                item(scanner);
            }
        } while (scanner.accept(','));
        scanner.expect(']');
    }

    /** Any item: its end is found first, so that it may fail by itself. */
    private void item(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        try {
            items.add(decoder.decode(scanner.buffer(), ByteScanner.from(span), ByteScanner.to(span)));
        } catch (UndecodableException e) {
            skipped.add(e.failure());
        }
    }

    private static @Nullable V1ListMeta irregular(ByteScanner scanner, long span) throws IOException {
        try {
            return ModelJson.read(scanner.buffer(), ByteScanner.from(span), ByteScanner.to(span), V1ListMeta.class);
        } catch (JacksonException e) {
            throw new IOException("the list's metadata does not parse: " + e.getOriginalMessage(), e);
        }
    }

    private void metadata(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        JsonBytes in = new JsonBytes(scanner.buffer(), ByteScanner.from(span), ByteScanner.to(span));
        V1ListMeta meta;
        try {
            meta = (V1ListMeta) ModelShape.of(V1ListMeta.class).read(in, 0);
        } catch (JsonBytes.Irregular e) {
            meta = irregular(scanner, span);
        }
        if (meta == null) {
            return;
        }
        resourceVersion = meta.getResourceVersion() == null ? "" : meta.getResourceVersion();
        continueToken = meta.getContinue() == null || meta.getContinue().isEmpty() ? null : meta.getContinue();
    }
}
