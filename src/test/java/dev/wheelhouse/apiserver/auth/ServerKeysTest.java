package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Secrets in a directory, in states that a crash, another user or an older version can leave behind. */
class ServerKeysTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    private Path pki() {
        return directory.resolve("pki");
    }

    private ServerKeys keys() {
        return ServerKeys.inDirectory(pki());
    }

    private Path put(String file, String content) throws IOException {
        Files.createDirectories(pki());
        return Files.writeString(pki().resolve(file), content);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "  \n"})
    void anEmptyTokenIsMadeAnewSoThatThereIsAnAdministrator(String left) throws IOException {
        Path file = put("admin.token", left);

        Security security = Security.of(AuthorizationMode.RBAC, Map.of(), keys());

        assertThat(security.adminToken()).hasSizeGreaterThan(40).isEqualTo(Files.readString(file).strip());
        assertThat(keys().adminToken()).isEqualTo(security.adminToken());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Zm9v", "fifteen-letters", "a token that is of several words", "nul-nul-nul-nul-nul\0\0\0"})
    void aTokenThatIsNoWholeOneIsRefusedByItsFile(String left) throws IOException {
        put("admin.token", left);

        assertThatThrownBy(() -> keys().adminToken()).isInstanceOf(AuthConfigException.class)
                .hasMessageContaining("pki/admin.token is not a valid token").hasMessageContaining("delete it")
                .hasMessageNotContaining(left);
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin.token", "service-account.key"})
    void aPipeOrALongFileIsRefusedBeforeItIsRead(String name) throws Exception {
        Path file = put(name, "x".repeat(2_000_000));
        assertThatThrownBy(() -> keys().read(name)).isInstanceOf(AuthConfigException.class)
                .hasMessage(file + " cannot be read (it has more than 1048576 bytes): see to its permissions, or "
                        + "delete it");
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        assertThatThrownBy(this::keys).isInstanceOf(AuthConfigException.class).hasMessage(
                file + " cannot be read (it is not a regular file): see to its permissions, or delete it");
    }

    @Test
    void anEmptyTruncatedOrMixedKeyIsRefusedByItsFileAsANewOneWouldVoidWhatItSigned() throws IOException {
        keys().signingKeys();
        Path file = pki().resolve("service-account.key");
        String whole = Files.readString(file);
        keys().keyPair("other.key");
        String other = Files.readString(pki().resolve("other.key"));
        String otherPublic = other.substring(other.indexOf("-----BEGIN PUBLIC"));

        for (String left : List.of("", whole.substring(0, 100), whole.substring(0, whole.length() - 40),
                whole.substring(0, whole.indexOf("-----BEGIN PUBLIC")) + otherPublic)) {
            Files.writeString(file, left);
            assertThatThrownBy(() -> keys().signingKeys()).isInstanceOf(AuthConfigException.class)
                    .hasMessageContaining("service-account.key does not hold a private key and its public key")
                    .hasMessageContaining("delete it, and the server creates a new one");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin.token", "service-account.key", "ca.key"})
    void ofServersThatStartTogetherInOneDirectoryAllHaveTheKeysThatTheFilesKeep(String name) throws Exception {
        int servers = 8;
        CyclicBarrier together = new CyclicBarrier(servers);
        try (ExecutorService threads = Executors.newFixedThreadPool(servers)) {
            List<Callable<Object>> starts = Collections.nCopies(servers, () -> {
                ServerKeys keys = keys();
                together.await();
                return name.equals("admin.token")
                        ? keys.adminToken()
                        : List.of(keys.keyPair(name).getPublic(), OwnAuthority.of(keys, NOW).certificate());
            });
            Set<Object> keys = new HashSet<>();
            for (Future<Object> each : threads.invokeAll(starts)) {
                keys.add(each.get());
            }
            assertThat(keys).hasSize(1);
        }
    }

    @Test
    void whileAnotherProcessCreatesKeysNoneAreCreatedBesideThem() throws IOException {
        Path lock = put("lock", "");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE); FileLock other = channel.lock()) {
            assertThat(other.isValid()).isTrue();
            assertThatThrownBy(() -> keys().adminToken()).isInstanceOf(AuthConfigException.class)
                    .hasMessage("another process creates keys in " + pki() + " at this moment: end one of the two, or "
                            + "give it another directory with --wheelhouse.apiserver.data-dir=DIR");
            assertThat(pki()).isDirectoryNotContaining("glob:**.token");
        }
        assertThat(keys().adminToken()).isEqualTo(Files.readString(pki().resolve("admin.token")));
    }

    @Test
    void anAuthorityWhoseCertificateIsLostStaysTheSameAsItsKeyIsKept() throws IOException {
        X509Certificate before = OwnAuthority.of(keys(), NOW).serving(List.of(), NOW).chain().get(1);
        put("ca.crt", "-----BEGIN CERTIF");

        List<X509Certificate> chain = OwnAuthority.of(keys(), NOW).serving(List.of(), NOW).chain();

        assertThat(chain.get(1).getPublicKey()).isEqualTo(before.getPublicKey());
        assertThat(chain.get(1).getSubjectX500Principal()).isEqualTo(before.getSubjectX500Principal());
        assertThat(catchVerify(chain.getFirst(), before)).isNull();
    }

    private static Exception catchVerify(X509Certificate leaf, X509Certificate authority) {
        try {
            leaf.verify(authority.getPublicKey());
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    void whatOthersCouldReadIsClosedAtTheNextStart() throws IOException {
        keys().adminToken();
        Files.setPosixFilePermissions(pki(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(pki().resolve("admin.token"), PosixFilePermissions.fromString("rw-r--r--"));

        keys();

        assertThat(mode(pki())).isEqualTo("rwx------");
        assertThat(mode(pki().resolve("admin.token"))).isEqualTo("rw-------");
    }

    @Test
    void aServingCertificateIsRenewedWithAThirdOfItsTimeLeftBySameAuthority() {
        OwnAuthority authority = OwnAuthority.of(keys(), NOW);
        ServingCertificate first = authority.serving(List.of("a.example"), NOW);

        assertThat(authority.renewed(first, List::of, NOW.plus(Duration.ofDays(240)))).isSameAs(first);

        ServingCertificate second = authority.renewed(first, () -> List.of("b.example"),
                NOW.plus(Duration.ofDays(250)));
        assertThat(second.trusted()).isEqualTo(first.trusted());
        assertThat(second.isValidFor("b.example")).isTrue();
        assertThat(second.chain().getFirst().getNotAfter().toInstant())
                .isEqualTo(NOW.plus(Duration.ofDays(250 + 365)));
    }

    @Test
    void aServingCertificateIsMadeAnewWhenTheMachinesClockIsSetBackOrFarAhead() {
        OwnAuthority authority = OwnAuthority.of(keys(), NOW);
        ServingCertificate first = authority.serving(List.of(), NOW);

        for (Duration jump : List.of(Duration.ofDays(-30), Duration.ofDays(1000))) {
            Instant then = NOW.plus(jump);
            ServingCertificate renewed = authority.renewed(first, List::of, then);
            assertThat(renewed.chain().getFirst().getNotBefore().toInstant()).isBefore(then);
            assertThat(renewed.chain().getFirst().getNotAfter().toInstant()).isAfter(then);
            assertThat(authority.renewed(renewed, List::of, then)).isSameAs(renewed);
        }
    }
}
