package dev.wheelhouse.apiserver.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes records of the data directory, with right and wrong checksums. Each is read or refused. A record that was
 * read is the same after it is written and read again.
 */
public final class RecordTarget implements FuzzTarget {
    private static final long VERSION = 7;

    @Override
    public void run(byte[] input) throws IOException {
        read(input);
        if (input.length >= 4) {
            CRC32 sum = new CRC32();
            sum.update(ByteBuffer.allocate(8).putLong(VERSION).array());
            sum.update(input, 4, input.length - 4);
            byte[] right = input.clone();
            ByteBuffer.wrap(right).putInt((int) sum.getValue());
            read(right);
        }
        byte[] json = Arrays.copyOf(input, input.length / 2);
        Storage.Write write = new Storage.Write(VERSION, "pods", "default/web", 3, json);
        assertThat(WriteCodec.decode(VERSION, WriteCodec.encode(write)).json()).isEqualTo(json);
    }

    private static void read(byte[] bytes) {
        Storage.Write write;
        try {
            write = WriteCodec.decode(VERSION, bytes);
        } catch (IOException e) {
            return;
        }
        Storage.Write again;
        try {
            again = WriteCodec.decode(VERSION, WriteCodec.encode(write));
        } catch (IOException e) {
            throw new AssertionError("a record that was written cannot be read", e);
        }
        assertThat(again.resource()).isEqualTo(write.resource());
        assertThat(again.key()).isEqualTo(write.key());
        assertThat(again.previous()).isEqualTo(write.previous());
        assertThat(again.json()).isEqualTo(write.json());
    }
}
