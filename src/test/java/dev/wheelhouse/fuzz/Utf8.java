package dev.wheelhouse.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Bytes as text. */
public final class Utf8 {
    private Utf8() {}

    /** Whether bytes are text. Jackson takes {@code "effe\xff\xffct"} for the name {@code "effect"}. */
    public static boolean isValid(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
