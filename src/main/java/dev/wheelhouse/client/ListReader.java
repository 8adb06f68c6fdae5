package dev.wheelhouse.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Reads a list answer as it arrives: each item is decoded as soon as its bytes are there, and one that does not decode is
 * skipped and reported. Never holds more bytes than the largest item needs.
 */
final class ListReader<T extends KubernetesObject> {
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

    private void items(ByteScanner scanner) throws IOException {
        if (scanner.peek() != '[') {
            scanner.value();
            return;
        }
        scanner.expect('[');
        if (scanner.accept(']')) {
            return;
        }
        do {
            long span = scanner.value();
            try {
                items.add(decoder.decode(scanner.buffer(), ByteScanner.from(span), ByteScanner.to(span)));
            } catch (UndecodableException e) {
                skipped.add(e.failure());
            }
        } while (scanner.accept(','));
        scanner.expect(']');
    }

    private void metadata(ByteScanner scanner) throws IOException {
        long span = scanner.value();
        ListMeta meta = ModelJson.read(scanner.buffer(), ByteScanner.from(span), ByteScanner.to(span), ListMeta.class);
        if (meta == null) {
            return;
        }
        resourceVersion = meta.resourceVersion == null ? "" : meta.resourceVersion;
        continueToken = meta.continueToken == null || meta.continueToken.isEmpty() ? null : meta.continueToken;
    }

    private static final class ListMeta {
        @Nullable
        String resourceVersion;

        @com.fasterxml.jackson.annotation.JsonProperty("continue")
        @Nullable
        String continueToken;
    }
}
