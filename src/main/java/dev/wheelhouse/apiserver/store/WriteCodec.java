package dev.wheelhouse.apiserver.store;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** Encodes writes as bytes with a checksum. */
final class WriteCodec {
    private static final int CHECKSUM = 4;

    private WriteCodec() {}

    static byte[] encode(Storage.Write write) {
        byte[] json = write.json();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 + (json == null ? 0 : json.length));
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(0);
            out.writeLong(write.previous());
            out.writeUTF(write.resource());
            out.writeUTF(write.key());
            out.writeBoolean(json != null);
            if (json != null) {
                out.write(json);
            }
        } catch (IOException e) {
            throw new IllegalStateException("an array in memory refused bytes", e);
        }
        byte[] encoded = bytes.toByteArray();
        ByteBuffer.wrap(encoded).putInt(checksum(write.version(), encoded));
        return encoded;
    }

    private static int checksum(long version, byte[] encoded) {
        CRC32 crc = new CRC32();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(version).flip());
        crc.update(encoded, CHECKSUM, encoded.length - CHECKSUM);
        return (int) crc.getValue();
    }

    /** @throws IOException if the bytes do not encode a write of this version */
    static Storage.Write decode(long version, byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            if (in.readInt() != checksum(version, encoded)) {
                throw new IOException("the checksum of version " + version + " is wrong");
            }
            long previous = in.readLong();
            String resource = in.readUTF();
            String key = in.readUTF();
            return new Storage.Write(version, resource, key, previous, in.readBoolean() ? in.readAllBytes() : null);
        }
    }
}
