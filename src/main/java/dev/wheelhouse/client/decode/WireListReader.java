package dev.wheelhouse.client.decode;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListPage;

/**
 * Reads one list in protobuf as it arrives: decodes each item as soon as its bytes are there. The lists of all types
 * have their metadata in the first field and their items in the second. Made for one list.
 */
final class WireListReader<T extends KubernetesObject> {
    private static final int METADATA = 1;
    private static final int ITEMS = 2;
    private static final int RESOURCE_VERSION = 2;
    private static final int CONTINUE = 3;

    private final ObjectDecoder<T> decoder;
    private final WireStream stream;
    private final List<T> items = new ArrayList<>();
    private final List<DecodeFailure> skipped = new ArrayList<>();
    private String resourceVersion = "";
    private @Nullable String continueToken;

    WireListReader(ObjectDecoder<T> decoder, InputStream body) {
        this.decoder = decoder;
        this.stream = new WireStream(body, () -> {});
    }

    /** @throws IOException if the stream breaks, or the answer is not a list */
    ListPage<T> read() throws IOException {
        try {
            WireCursor magic = stream.take(WireEnvelope.MAGIC.length);
            if (!WireEnvelope.begins(magic.bytes, magic.at, magic.end)) {
                throw new IOException("the answer is not a list: it does not begin as a Kubernetes protobuf object");
            }
            boolean list = false;
            while (stream.has(1)) {
                long tag = stream.varint();
                if (tag == (WireEnvelope.TYPE_META << 3 | WireCursor.DELIMITED)) {
                    requireList(stream.take(stream.varint()));
                } else if (tag == (WireEnvelope.RAW << 3 | WireCursor.DELIMITED)) {
                    list = true;
                    list(stream.varint());
                } else {
                    skip(tag);
                }
            }
            if (!list) {
                throw new IOException("the answer is not a list: it has no object");
            }
        } catch (WireException e) {
            throw new IOException("the answer is not a list in protobuf: " + e.problem(), e);
        }
        return new ListPage<>(items, resourceVersion, continueToken, skipped, stream.bytesRead());
    }

    /** Refuses another kind: a Status, for example, has metadata too, and would be taken for an empty list. */
    private static void requireList(WireCursor in) throws IOException {
        String kind = new WireEnvelope("", "", 0, 0).typed(in, in.end).kind();
        if (!kind.endsWith("List") && !kind.isEmpty()) {
            throw new IOException("the answer is not a list: it is of kind "
                    + (kind.length() > 100 ? kind.substring(0, 100) + "…" : kind));
        }
    }

    private void list(long length) throws IOException {
        long end = stream.position() + length;
        while (stream.position() < end) {
            long tag = stream.varint();
            if (tag == (ITEMS << 3 | WireCursor.DELIMITED)) {
                WireCursor item = stream.take(stream.varint());
                T object = decoder.decodeWire(item, skipped::add);
                if (object != null) {
                    items.add(object);
                } else {
                    AnswerLimits.requireFew(skipped);
                }
            } else if (tag == (METADATA << 3 | WireCursor.DELIMITED)) {
                metadata(stream.take(stream.varint()));
            } else {
                skip(tag);
            }
        }
        if (stream.position() > end) {
            throw new EOFException("the list ends within an item");
        }
    }

    private void metadata(WireCursor in) {
        while (in.at < in.end) {
            int tag = in.tag(in.end);
            switch (tag >>> 3) {
                case RESOURCE_VERSION -> resourceVersion = in.text(in.delimited(tag, in.end));
                case CONTINUE -> continueToken = in.text(in.delimited(tag, in.end));
                default -> in.skip(tag, in.end);
            }
        }
        continueToken = continueToken == null || continueToken.isEmpty() ? null : continueToken;
    }

    private void skip(long tag) throws IOException {
        switch ((int) tag & 7) {
            case WireCursor.VARINT -> stream.varint();
            case WireCursor.FIXED64 -> stream.take(Long.BYTES);
            case WireCursor.DELIMITED -> stream.take(stream.varint());
            default -> throw new WireException("a field has the wire type " + (tag & 7));
        }
    }
}
