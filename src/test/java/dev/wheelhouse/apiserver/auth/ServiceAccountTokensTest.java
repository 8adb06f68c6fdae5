package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** Tokens of service accounts: how they are created and verified, and when they become invalid. */
class ServiceAccountTokensTest {
    private static final List<String> HERE = List.of(ServiceAccountTokens.ISSUER);

    private final ManualClock clock = new ManualClock();
    private final ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
    private final KeyPair keys = Keys.newPair();
    private final ServiceAccountTokens tokens = new ServiceAccountTokens(store, clock, () -> keys);
    private StoredObject account;

    @BeforeEach
    void makeAccountAndPod() {
        account = make("serviceaccounts", "robot", "uid-1");
        make("pods", "p", "uid-p");
    }

    private StoredObject make(String resource, String name, String uid) {
        return store.create(resource, Json.object().put("kind", "X").put("apiVersion", "v1").set("metadata",
                Json.object().put("namespace", "team").put("name", name).put("uid", uid)));
    }

    private String token(List<String> audiences, ServiceAccountTokens.Bound... bound) {
        return tokens.make(account, audiences, clock.now().plus(Duration.ofHours(1)), List.of(bound));
    }

    private void assertRefused(String token, List<String> audiences) {
        assertThatThrownBy(() -> tokens.verify(token, audiences)).isInstanceOf(UnauthorizedException.class);
    }

    @Test
    void aTokenSaysWhoseItIs() throws Exception {
        User user = tokens.verify(token(HERE), HERE);

        assertThat(user.name()).isEqualTo("system:serviceaccount:team:robot");
        assertThat(user.uid()).isEqualTo("uid-1");
        assertThat(user.groups()).containsExactly("system:serviceaccounts", "system:serviceaccounts:team",
                "system:authenticated");
        assertThat(user.extra()).containsOnlyKeys("authentication.kubernetes.io/credential-id");
    }

    @Test
    void aTokenEndsWithItsTime() throws Exception {
        String token = token(HERE);
        clock.advance(Duration.ofMinutes(59));
        assertThat(tokens.verify(token, HERE).name()).contains("robot");
        clock.advance(Duration.ofMinutes(2));
        assertRefused(token, HERE);
    }

    @Test
    void aTokenEndsWithItsServiceAccountEvenIfOneOfTheSameNameFollows() {
        String token = token(HERE);
        store.delete("serviceaccounts", "team", "robot", account.version());
        assertRefused(token, HERE);
        make("serviceaccounts", "robot", "uid-2");
        assertRefused(token, HERE);
    }

    @Test
    void aTokenThatIsBoundEndsWithThePod() throws Exception {
        String token = token(HERE, new ServiceAccountTokens.Bound("pod", "p", "uid-p"));
        assertThat(tokens.verify(token, HERE).extra()).containsEntry("authentication.kubernetes.io/pod-name",
                List.of("p"));
        store.delete("pods", "team", "p", store.get("pods", "team", "p").version());
        assertRefused(token, HERE);
    }

    @Test
    void theTokenOfAPodTellsItsNodeAndOutlivesIt() throws Exception {
        String token = token(HERE, new ServiceAccountTokens.Bound("pod", "p", "uid-p"),
                new ServiceAccountTokens.Bound("node", "gone", "uid-n"));
        assertThat(tokens.verify(token, HERE).extra())
                .containsEntry("authentication.kubernetes.io/node-name", List.of("gone"));
        assertRefused(token(HERE, new ServiceAccountTokens.Bound("node", "gone", "uid-n")), HERE);
    }

    @Test
    void aTokenIsForItsAudiencesAlone() throws Exception {
        String token = token(List.of("vault"));
        assertThat(tokens.verify(token, List.of("other", "vault")).name()).contains("robot");
        assertRefused(token, HERE);
    }

    @Test
    void aTokenThatSomebodyElseSignedOrNobodyOrThatWasChangedIsRefused() {
        KeyPair others = Keys.newPair();
        assertRefused(new ServiceAccountTokens(store, clock, () -> others).make(account, HERE,
                clock.now().plusSeconds(60), List.of()), HERE);

        String[] parts = token(HERE).split("\\.");
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        String forged = Base64.getUrlEncoder().withoutPadding()
                .encodeToString(claims.replace("team", "kube-system").getBytes(StandardCharsets.UTF_8));
        assertRefused(parts[0] + "." + forged + "." + parts[2], HERE);
        String unsigned = Base64.getUrlEncoder().withoutPadding()
                .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
        assertRefused(unsigned + "." + parts[1] + ".", HERE);
        for (String nonsense : List.of("", ".", "..", "a.b.c", "é.é.é", parts[0])) {
            assertRefused(nonsense, HERE);
        }
    }

    /** A number of three million digits takes minutes to read. */
    @Test
    void nothingOfATokenIsReadBeforeItsSignatureIsVerifiedSaveAShortHeader() {
        String number = "{\"iss\": \"x\", \"n\": " + "7".repeat(3_000_000) + "}";
        String header = token(HERE).split("\\.", -1)[0];
        String signature = token(HERE).split("\\.", -1)[2];
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            assertRefused(header + "." + base64(number) + "." + signature, HERE);
            assertRefused(base64(number) + "." + base64("{}") + "." + signature, HERE);
            assertRefused(header + "." + base64("{}") + "." + base64(number), HERE);
            assertRefused(header + ".".repeat(3_000_000) + signature, HERE);
        });
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
