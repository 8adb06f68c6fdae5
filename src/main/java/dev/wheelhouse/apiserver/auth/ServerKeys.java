package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.runtime.PrivateFiles;

/**
 * The server's own secrets. Each is created when it is first needed. With a directory, secrets are stored there as
 * files that only their owner can read, so tokens and certificates stay valid over a restart. Files are written
 * atomically, and by one process at a time. An empty {@code admin.token} is replaced, as nobody can use it. An
 * unreadable key is an error, because a new key would invalidate everything that the old one signed. Thread safe.
 */
public final class ServerKeys {
    private static final Logger log = LoggerFactory.getLogger(ServerKeys.class);
    private static final List<String> FILES = List.of("admin.token", "service-account.key", "ca.key", "ca.crt");
    /** Locked while a secret is created. */
    private static final String LOCK = "lock";
    /** A process that closes a file loses its locks on it, so that its threads take turns. */
    private static final Object IN_THIS_PROCESS = new Object();
    /** Any of the files has a few kilobytes. */
    private static final int MOST_BYTES = 1024 * 1024;
    private static final int TOKEN_BYTES = 32;
    /** 96 bits in base64. A shorter token is a fragment that a crash or an editor left. */
    private static final int MIN_TOKEN_LENGTH = 16;

    private final @Nullable Path directory;
    private @Nullable KeyPair signingKeys;
    private @Nullable String adminToken;

    private ServerKeys(@Nullable Path directory) {
        this.directory = directory;
    }

    /** Secrets that are lost with the process. */
    public static ServerKeys inMemory() {
        return new ServerKeys(null);
    }

    /**
     * Secrets in a directory, which is created with the first of them. Access of other users to existing files is
     * removed.
     *
     * @throws AuthConfigException if a file belongs to another user
     */
    public static ServerKeys inDirectory(Path directory) {
        ServerKeys keys = new ServerKeys(directory);
        if (Files.isDirectory(directory)) {
            secure(directory);
            FILES.stream().map(directory::resolve).filter(Files::exists).forEach(ServerKeys::secureFile);
        }
        return keys;
    }

    private static void secureFile(Path file) {
        try {
            PrivateFiles.requireFile(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        secure(file);
    }

    private static void secure(Path path) {
        try {
            if (PrivateFiles.secure(path)) {
                log.warn("other users had access to {}, which is now removed; if anybody may have read it, "
                        + "delete the keys and tokens in it, and the server creates new ones", path);
            }
        } catch (IOException e) {
            throw new AuthConfigException(path + " cannot be used (" + AuthConfigException.why(e)
                    + "): give it to the user who runs the server, or delete it, and the server creates a new one", e);
        }
    }

    /** The keys for tokens of service accounts. If the file cannot be used, {@link AuthConfigException}. */
    public synchronized KeyPair signingKeys() {
        KeyPair keys = signingKeys;
        if (keys == null) {
            keys = keyPair("service-account.key");
            signingKeys = keys;
        }
        return keys;
    }

    /** The administrator's token. If the file cannot be used, {@link AuthConfigException}. */
    public synchronized String adminToken() {
        String token = adminToken;
        if (token == null) {
            token = readOrCreate("admin.token", kept -> !kept.isBlank(), ServerKeys::newToken).strip();
            requireValid(token);
            adminToken = token;
        }
        return token;
    }

    private void requireValid(String token) {
        if (token.length() < MIN_TOKEN_LENGTH || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new AuthConfigException(directory + "/admin.token is not a valid token: it must have at least "
                    + MIN_TOKEN_LENGTH + " printable characters and no spaces; delete it, and the server creates a "
                    + "new one", null);
        }
    }

    private static String newToken() {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The key pair in a file. If the file is missing, a new pair is created and stored. */
    KeyPair keyPair(String file) {
        return directory == null
                ? Keys.newPair()
                : parse(directory + "/" + file, readOrCreate(file, kept -> true, () -> {
                    KeyPair made = Keys.newPair();
                    return Pem.of(made.getPrivate()) + Pem.of(made.getPublic());
                }));
    }

    /** The text of a file if it is usable; otherwise a new text, which is stored. */
    String readOrCreate(String file, Predicate<String> usable, Supplier<String> creation) {
        String kept = read(file);
        return kept != null && usable.test(kept) ? kept : alone(() -> {
            String now = read(file);
            if (now != null && usable.test(now)) {
                return now;
            }
            if (now != null) {
                log.warn("{}/{} cannot be used any more; the server creates a new one", directory, file);
            }
            String created = creation.get();
            write(file, created);
            return created;
        });
    }

    /**
     * Runs the creation of a secret while no other process creates one in this directory. The other process would
     * otherwise replace the file, and what this process signs would be void after its next start. The other process is
     * not waited for, because it locks the data directory next.
     */
    private String alone(Supplier<String> creation) {
        if (directory == null) {
            return creation.get();
        }
        Path file = directory.resolve(LOCK);
        synchronized (IN_THIS_PROCESS) {
            try {
                PrivateFiles.createDirectories(directory);
                PrivateFiles.createIfMissing(file);
                PrivateFiles.requireFile(file);
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                        FileLock lock = channel.tryLock()) {
                    if (lock != null) {
                        return creation.get();
                    }
                } catch (OverlappingFileLockException e) {
                    // Other code of this process has the lock.
                }
            } catch (IOException e) {
                throw unwritable(file, e);
            }
        }
        throw new AuthConfigException("another process creates keys in " + directory + " at this moment: end one of "
                + "the two, or give it another directory with --wheelhouse.apiserver.data-dir=DIR", null);
    }

    private static KeyPair parse(String file, String pem) {
        try {
            PrivateKey privateKey = Pem.first(pem, PrivateKey.class);
            PublicKey publicKey = Pem.first(pem, PublicKey.class);
            if (privateKey != null && publicKey != null && Keys.isPair(privateKey, publicKey)) {
                return new KeyPair(publicKey, privateKey);
            }
        } catch (IllegalArgumentException e) {
            throw unusable(file, e);
        }
        throw unusable(file, null);
    }

    private static AuthConfigException unusable(String file, @Nullable Exception e) {
        return new AuthConfigException(file + " does not hold a private key and its public key" + (e == null
                ? ""
                : " (" + e.getMessage() + ")")
                + ": delete it, and the server creates a new one; everything that the old key signed is then "
                + "invalid", e);
    }

    /** The content of a file; null if the file does not exist or secrets are not stored. */
    @Nullable
    String read(String file) {
        if (directory == null) {
            return null;
        }
        Path path = directory.resolve(file);
        try {
            if (Files.size(path) > MOST_BYTES) {
                throw new IOException("it has more than " + MOST_BYTES + " bytes");
            }
            PrivateFiles.requireFile(path);
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static AuthConfigException unreadable(Path file, IOException e) {
        return new AuthConfigException(file + " cannot be read (" + AuthConfigException.why(e)
                + "): see to its permissions, or delete it", e);
    }

    private void write(String file, String text) {
        if (directory == null) {
            return;
        }
        Path path = directory.resolve(file);
        try {
            PrivateFiles.write(path, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unwritable(path, e);
        }
    }

    private static AuthConfigException unwritable(Path file, IOException e) {
        return new AuthConfigException(file + " cannot be written (" + AuthConfigException.why(e)
                + "): see to the directory's permissions", e);
    }
}
