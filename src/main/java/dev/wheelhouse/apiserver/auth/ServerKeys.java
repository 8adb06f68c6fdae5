package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.PrivateFiles;

/**
 * The server's own secrets: made when they are first asked for and, where there is a directory, kept there as files that only
 * their owner may read, so that tokens and certificates outlive a restart. A file is written as a whole or not at all. An
 * empty {@code admin.token} is made anew, as nobody can hold a token that is empty; a key that cannot be read is refused, as a
 * new one would void what the old one signed.
 */
public final class ServerKeys {
    private static final Logger log = LoggerFactory.getLogger(ServerKeys.class);
    private static final List<String> FILES = List.of("admin.token", "service-account.key", "ca.key", "ca.crt");
    private static final int TOKEN_BYTES = 32;
    /** 96 bits. A shorter token is what a crash or an editor left of one. */
    private static final int SHORTEST_TOKEN = 16;

    private final @Nullable Path directory;
    private @Nullable KeyPair signingKeys;
    private @Nullable String adminToken;

    private ServerKeys(@Nullable Path directory) {
        this.directory = directory;
    }

    public static ServerKeys inMemory() {
        return new ServerKeys(null);
    }

    /**
     * Kept in a directory, which is made when the first is. Rights of other users to its files are taken away.
     *
     * @throws AuthConfigException if a file is another user's
     */
    public static ServerKeys inDirectory(Path directory) {
        ServerKeys keys = new ServerKeys(directory);
        if (Files.isDirectory(directory)) {
            secure(directory);
            FILES.stream().map(directory::resolve).filter(Files::exists).forEach(ServerKeys::secure);
        }
        return keys;
    }

    private static void secure(Path path) {
        try {
            if (PrivateFiles.secure(path)) {
                log.warn("other users had rights to {}, which are taken away: "
                        + "delete its keys and tokens if anybody may have read them, and new ones are made", path);
            }
        } catch (IOException e) {
            throw new AuthConfigException(path + " cannot be used (" + AuthConfigException.why(e)
                    + "): give it to the user who runs the server, or delete it, and a new one is made", e);
        }
    }

    /** For the tokens of service accounts. @throws AuthConfigException if they can be neither read nor kept */
    public synchronized KeyPair signingKeys() {
        KeyPair keys = signingKeys;
        if (keys == null) {
            keys = keyPair("service-account.key");
            signingKeys = keys;
        }
        return keys;
    }

    /** The administrator's. @throws AuthConfigException if it can be neither read nor kept */
    public synchronized String adminToken() {
        String token = adminToken;
        if (token == null) {
            String kept = read("admin.token");
            token = kept == null ? "" : kept.strip();
            if (token.isEmpty()) {
                if (kept != null) {
                    log.warn("{}/admin.token was empty: a new token is made", directory);
                }
                token = newToken();
                write("admin.token", token);
            }
            requireWhole(token);
            adminToken = token;
        }
        return token;
    }

    private void requireWhole(String token) {
        if (token.length() < SHORTEST_TOKEN || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new AuthConfigException(directory + "/admin.token is no whole token: it must be of at least "
                    + SHORTEST_TOKEN + " printable characters without spaces; delete it, and a new one is made", null);
        }
    }

    private static String newToken() {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The key pair of that file; a new one where there is no such file. */
    KeyPair keyPair(String file) {
        String kept = read(file);
        if (kept != null) {
            return parse(directory + "/" + file, kept);
        }
        KeyPair made = newKeyPair();
        write(file, pem(made.getPrivate()) + pem(made.getPublic()));
        return made;
    }

    static KeyPair newKeyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has the curve P-256", e);
        }
    }

    private static KeyPair parse(String file, String pem) {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
            if (parser.readObject() instanceof PrivateKeyInfo privateKey
                    && parser.readObject() instanceof SubjectPublicKeyInfo publicKey) {
                KeyPair pair = new KeyPair(converter.getPublicKey(publicKey), converter.getPrivateKey(privateKey));
                if (ServingCertificate.belongs(pair.getPrivate(), pair.getPublic())) {
                    return pair;
                }
            }
        } catch (IOException | RuntimeException e) {
            throw unusable(file, e);
        }
        throw unusable(file, null);
    }

    private static AuthConfigException unusable(String file, @Nullable Exception e) {
        return new AuthConfigException(file + " is no private key with its public one" + (e == null
                ? ""
                : " (" + e.getMessage() + ")")
                + ": delete it, and a new one is made; what the old one signed is then void", e);
    }

    /** An object of the Java security API as PEM. */
    static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object instanceof PrivateKey key ? new JcaPKCS8Generator(key, null) : object);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }

    /** A kept file's text; null if nothing is kept, or not that. */
    @Nullable
    String read(String file) {
        if (directory == null) {
            return null;
        }
        try {
            return Files.readString(directory.resolve(file));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new AuthConfigException(directory.resolve(file) + " cannot be read (" + AuthConfigException.why(e)
                    + "): see to its permissions, or delete it", e);
        }
    }

    void write(String file, String text) {
        if (directory == null) {
            return;
        }
        Path path = directory.resolve(file);
        try {
            PrivateFiles.createDirectories(directory);
            PrivateFiles.write(path, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AuthConfigException(
                    path + " cannot be written (" + AuthConfigException.why(e)
                            + "): see to the directory's permissions",
                    e);
        }
    }
}
