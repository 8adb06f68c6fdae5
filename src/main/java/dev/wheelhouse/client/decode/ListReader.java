package dev.wheelhouse.client.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;

/** Reads one list as it arrives: decodes each item as soon as its bytes are there. Made for one list. */
final class ListReader<T extends KubernetesObject> {
    /** Bytes to buffer before an item is read, so that most items are complete and need no search for their end. */
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

    /** @throws IOException if the stream breaks, or the answer is not a list */
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
            throw new IOException("the answer is not a list: it has neither items nor metadata");
        }
        return new ListPage<>(items, resourceVersion, continueToken, skipped, scanner.bytesRead());
    }

    /** Refuses another kind: a Status, for example, has metadata too, and would be taken for an empty list. */
    private static void requireList(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        String kind = new String(scanner.buffer(), ByteScanner.from(span),
                ByteScanner.to(span) - ByteScanner.from(span),
                StandardCharsets.UTF_8);
        if (!kind.endsWith("List\"") && !kind.equals("\"\"") && !kind.equals("null")) {
            throw new IOException("the answer is not a list: it is of kind "
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
            JsonCursor ahead = scanner.ahead(largest);
            int from = ahead.at;
            T item = decoder.decodeRegular(ahead);
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

    /** Reads an item of any form. Finds the item's end first, so that a failure concerns this item alone. */
    private void item(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        T item = decoder.decode(scanner.buffer(), ByteScanner.from(span), ByteScanner.to(span), skipped::add);
        if (item != null) {
            items.add(item);
        } else {
            AnswerLimits.requireFew(skipped);
        }
    }

    private void metadata(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        int from = ByteScanner.from(span);
        int to = ByteScanner.to(span);
        try {
            metadata(new JsonCursor(scanner.buffer(), from, to));
        } catch (JsonCursor.Irregular e) {
            irregularMetadata(scanner.buffer(), from, to);
        }
    }

    /**
     * Reads the metadata without a parser of trees, whose loading costs a quarter of a second of CPU time in a new
     * process.
     */
    private void metadata(JsonCursor in) {
        String version = "";
        String token = "";
        in.expect('{');
        do {
            String name = in.string();
            in.expect(':');
            switch (name) {
                case "resourceVersion" -> version = in.string();
                case "continue" -> token = in.string();
                default -> in.skip();
            }
        } while (!in.endOrComma('}'));
        continueFrom(version, token);
    }

    private void irregularMetadata(byte[] bytes, int from, int to) throws IOException {
        JsonNode meta;
        try {
            meta = ModelJson.tree(bytes, from, to);
        } catch (JacksonException e) {
            throw new IOException("the list's metadata does not parse: " + e.getOriginalMessage(), e);
        }
        if (!meta.isObject() && !meta.isNull()) {
            throw new IOException("the list's metadata is not an object");
        }
        continueFrom(meta.path("resourceVersion").asString(""), meta.path("continue").asString(""));
    }

    private void continueFrom(String version, String token) {
        resourceVersion = version;
        continueToken = token.isEmpty() ? null : token;
    }
}
