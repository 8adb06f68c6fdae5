package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.jspecify.annotations.Nullable;

/**
 * The server's own secrets: made when they are first asked for and, where there is a directory, kept there as files that only
 * their owner may read, so that tokens and certificates outlive a restart.
 */
public final class ServerKeys {
    private static final int TOKEN_BYTES = 32;

    private final @Nullable Path directory;
    private @Nullable KeyPair signingKeys;
    private @Nullable String adminToken;

    private ServerKeys(@Nullable Path directory) {
        this.directory = directory;
    }

    public static ServerKeys inMemory() {
        return new ServerKeys(null);
    }

    public static ServerKeys inDirectory(Path directory) {
        return new ServerKeys(directory);
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
            token = kept == null ? newToken() : kept.strip();
            if (kept == null) {
                write("admin.token", token);
            }
            adminToken = token;
        }
        return token;
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
                return new KeyPair(converter.getPublicKey(publicKey), converter.getPrivateKey(privateKey));
            }
        } catch (IOException e) {
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
            Files.createDirectories(directory);
            Files.deleteIfExists(path);
            if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.createFile(path,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.write(path, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AuthConfigException(
                    path + " cannot be written (" + AuthConfigException.why(e)
                            + "): see to the directory's permissions",
                    e);
        }
    }
}
