package dev.wheelhouse.runtime;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Cryptographic hashes that every Java runtime has. */
public final class Hashes {
    private Hashes() {}

    /** @param algorithm {@code SHA-256}, or another one that the platform requires */
    public static byte[] of(String algorithm, byte[] bytes) {
        return digest(algorithm).digest(bytes);
    }

    /** A digest that takes bytes in several parts. */
    public static MessageDigest digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no " + algorithm + ", which every JVM must have", e);
        }
    }

    /** The SHA-256 hash in hexadecimal. */
    public static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(of("SHA-256", bytes));
    }

    /** The SHA-256 hash of a text in UTF-8, in hexadecimal. */
    public static String sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }
}
