package dev.wheelhouse.apiserver.discovery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

import com.google.protobuf.CodedOutputStream;

/** Builds a protobuf message. As in proto3, empty texts and false flags are left out. */
final class ProtoMessage {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CodedOutputStream out = CodedOutputStream.newInstance(bytes, 512);

    ProtoMessage text(int number, String text) {
        return text.isEmpty() ? this : write(() -> out.writeString(number, text));
    }

    ProtoMessage flag(int number, boolean flag) {
        return flag ? write(() -> out.writeBool(number, true)) : this;
    }

    /** Adds a message, even if it is empty, because its presence has a meaning. */
    ProtoMessage message(int number, ProtoMessage message) {
        return write(() -> out.writeByteArray(number, message.bytes()));
    }

    byte[] bytes() {
        write(out::flush);
        return bytes.toByteArray();
    }

    private interface Write {
        void run() throws IOException;
    }

    private ProtoMessage write(Write write) {
        try {
            write.run();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("could not encode a protobuf message in memory", e);
        }
    }
}
