package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.PrivateFiles;

/**
 * Lets the owner of this process into the console without a token of the API server. The console's address with a
 * random token is in a file that only the owner may read. Whoever reads it could read the process's credentials as
 * well. The token holds for this process, and on this machine only. Thread safe.
 */
final class OwnerToken implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OwnerToken.class);
    private static final int BYTES = 32;

    private final String token;
    private volatile @Nullable Path file;

    OwnerToken() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        token = HexFormat.of().formatHex(bytes);
    }

    /** Writes the file. @return its path; null if it cannot be written, so that the token is of no use */
    @Nullable
    Path write(String console) {
        try {
            Path target = Files.createTempDirectory("wheelhouse-console").resolve("address");
            PrivateFiles.write(target, (console + "#/problems?token=" + token + "\n")
                    .getBytes(StandardCharsets.UTF_8));
            file = target;
        } catch (IOException e) {
            log.info("the console's address for the owner of this process cannot be written ({}): sign in by a token",
                    e.toString());
        }
        return file;
    }

    boolean is(String given) {
        return file != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8),
                token.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        Path written = file;
        if (written != null) {
            Files.deleteIfExists(written);
            Files.deleteIfExists(written.toAbsolutePath().getParent());
        }
    }
}
