package dev.wheelhouse.client.decode;

import java.util.Arrays;

/**
 * The head of an object in protobuf: four magic bytes, then a message with the kind and the bytes of the object
 * (upstream: {@code apimachinery/pkg/runtime/serializer/protobuf}).
 *
 * @param kind the object's kind; empty if the envelope names none
 * @param apiVersion the version of the kind
 * @param from the index of the object's first byte
 * @param to the index after its last byte
 */
record WireEnvelope(String apiVersion, String kind, int from, int to) {
    static final byte[] MAGIC = {'k', '8', 's', 0};
    static final int TYPE_META = 1;
    static final int RAW = 2;
    static final int API_VERSION = 1;
    static final int KIND = 2;

    /** Whether bytes begin as an object in protobuf does. */
    static boolean begins(byte[] bytes, int from, int to) {
        return to - from >= MAGIC.length && Arrays.equals(bytes, from, from + MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /** @throws WireException if the bytes are no envelope */
    static WireEnvelope of(byte[] bytes, int from, int to) {
        if (!begins(bytes, from, to)) {
            throw new WireException("it does not begin as a Kubernetes protobuf object does");
        }
        WireCursor in = new WireCursor(bytes, from + MAGIC.length, to);
        WireEnvelope envelope = new WireEnvelope("", "", to, to);
        while (in.at < to) {
            int tag = in.tag(to);
            int end;
            switch (tag >>> 3) {
                case TYPE_META -> {
                    end = in.delimited(tag, to);
                    envelope = envelope.typed(in, end);
                }
                case RAW -> {
                    end = in.delimited(tag, to);
                    envelope = new WireEnvelope(envelope.apiVersion, envelope.kind, in.at, end);
                    in.at = end;
                }
                default -> in.skip(tag, to);
            }
        }
        return envelope;
    }

    /** A cursor over the object's bytes. */
    WireCursor cursor(byte[] bytes) {
        return new WireCursor(bytes, from, to);
    }

    /** The same bytes with the kind that a message names. */
    WireEnvelope typed(WireCursor in, int end) {
        String version = apiVersion;
        String name = kind;
        while (in.at < end) {
            int tag = in.tag(end);
            switch (tag >>> 3) {
                case API_VERSION -> version = in.text(in.delimited(tag, end));
                case KIND -> name = in.text(in.delimited(tag, end));
                default -> in.skip(tag, end);
            }
        }
        return new WireEnvelope(version, name, from, to);
    }
}
