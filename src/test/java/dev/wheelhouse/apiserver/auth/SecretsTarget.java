package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes files of tokens, certificates and keys: each is read, or refused with a message. */
public final class SecretsTarget implements FuzzTarget {
    private final Path file;

    public SecretsTarget() throws IOException {
        file = Files.createTempFile("fuzzed", ".pem");
        file.toFile().deleteOnExit();
    }

    @Override
    public void run(byte[] input) throws IOException {
        Files.write(file, input);
        refusedAtMost(() -> TokenFile.read(file).forEach((token, user) -> {
            assertThat(token).isNotBlank();
            assertThat(user.name()).isNotBlank();
        }));
        refusedAtMost(() -> ServingCertificate.certificates(file));
        refusedAtMost(() -> ServingCertificate.ofFiles(file, file));
    }

    private static void refusedAtMost(Runnable reading) {
        try {
            reading.run();
        } catch (AuthConfigException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }
}
