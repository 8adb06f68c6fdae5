package dev.wheelhouse.apiserver.access;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.EllipticCurves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.apiserver.auth.OtherParties;
import dev.wheelhouse.apiserver.auth.TokenAuthenticator;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.runtime.ManualClock;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Users of an OpenID provider, which this test is. */
class OpenIdAuthenticatorTest {
    private static final List<String> HERE = List.of("https://kubernetes.default.svc");
    private static final String DISCOVERY = "/.well-known/openid-configuration";
    private static final String BY_CLAIMS = """
              claimMappings:
                username: {claim: sub, prefix: "oidc:"}
                groups: {claim: roles, prefix: "oidc:"}
                uid: {claim: oid}
              claimValidationRules:
              - {claim: hd, requiredValue: example.com}
            """;
    private static final String BY_EXPRESSIONS = """
              claimMappings:
                username: {expression: 'claims.sub + "@" + claims.hd'}
                groups: {expression: 'claims.roles.filter(r, r != "no")'}
                uid: {expression: 'claims.oid'}
                extra:
                - {key: example.com/tenant, valueExpression: 'has(claims.tenant) ? claims.tenant : ""'}
              claimValidationRules:
              - {expression: 'claims.exp - claims.iat <= 3600', message: the token lives too long}
              userValidationRules:
              - {expression: "!user.username.startsWith('system:')", message: reserved}
              - {expression: "user.groups.all(g, g != 'system:masters')"}
            """;

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock();
    private final AtomicReference<List<PublicJsonWebKey>> published = new AtomicReference<>(List.of());
    private OtherParty provider;
    private PublicJsonWebKey key;

    @BeforeEach
    void begin() throws Exception {
        provider = new OtherParty();
        key = key("one");
        published.set(List.of(key));
        provider.answers(DISCOVERY, any -> "{\"issuer\":\"" + provider.url() + "\",\"jwks_uri\":\"" + provider.url()
                + "/keys\"}");
        provider.answers("/keys", any -> new JsonWebKeySet(published.get()).toJson(OutputControlLevel.PUBLIC_ONLY));
    }

    @AfterEach
    void end() {
        provider.close();
    }

    private static PublicJsonWebKey key(String id) throws Exception {
        PublicJsonWebKey made = EcJwkGenerator.generateJwk(EllipticCurves.P256);
        made.setKeyId(id);
        return made;
    }

    private OtherParties read(String rest) throws Exception {
        String indented = provider.authority().lines().map(line -> "        " + line).collect(Collectors.joining("\n"));
        return AuthenticationConfig.read(Files.writeString(directory.resolve("authentication.yaml"), """
                apiVersion: apiserver.config.k8s.io/v1
                kind: AuthenticationConfiguration
                jwt:
                - issuer:
                    url: %s
                    audiences: [here, there]
                    audienceMatchPolicy: MatchAny
                    certificateAuthority: |
                %s
                """.formatted(provider.url(), indented) + rest), clock);
    }

    private TokenAuthenticator users(String rest) throws Exception {
        return read(rest).tokens().getFirst();
    }

    private String token(String claims) throws Exception {
        return token(key, "ES256", claims);
    }

    private String token(PublicJsonWebKey by, String algorithm, String claims) throws Exception {
        long now = clock.now().getEpochSecond();
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.replace("ISSUER", provider.url()).replace("NOW+", "" + (now + 600))
                .replace("NOW-", "" + (now - 1)));
        signature.setKey(by.getPrivateKey());
        signature.setAlgorithmHeaderValue(algorithm);
        signature.setKeyIdHeaderValue(by.getKeyId());
        return signature.getCompactSerialization();
    }

    private static String claims(String further) {
        return "{\"iss\":\"ISSUER\",\"aud\":\"here\",\"exp\":NOW+,\"iat\":NOW-,\"sub\":\"jane\",\"hd\":\"example.com\","
                + "\"oid\":\"u-1\",\"roles\":[\"dev\",\"no\"]" + further + "}";
    }

    @Test
    void claimsWithPrefixesNameTheUser() throws Exception {
        assertThat(users(BY_CLAIMS).user(token(claims(",\"jti\":\"t-1\"")), HERE)).isEqualTo(new User("oidc:jane",
                "u-1", List.of("oidc:dev", "oidc:no", "system:authenticated"),
                Map.of("authentication.kubernetes.io/credential-id", List.of("JTI=t-1"))));
    }

    @Test
    void expressionsNameTheUser() throws Exception {
        TokenAuthenticator users = users(BY_EXPRESSIONS);
        assertThat(users.user(token(claims("")), HERE)).isEqualTo(new User("jane@example.com", "u-1",
                List.of("dev", "system:authenticated"), Map.of()));
        assertThat(users.user(token(claims(",\"tenant\":[\"a\",\"b\"]")), HERE).extra())
                .isEqualTo(Map.of("example.com/tenant", List.of("a", "b")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "\"aud\":\"here\"  | \"aud\":\"elsewhere\"          | aud",
            "\"aud\":\"here\"  | \"nothing\":\"here\"           | aud",
            "\"exp\":NOW+      | \"exp\":NOW-                   | exp",
            "\"exp\":NOW+      | \"expires\":NOW+               | exp",
            "\"iat\":NOW-      | \"iat\":NOW-,\"nbf\":NOW+      | nbf",
            "\"iat\":NOW-      | \"iat\":1                      | the token lives too long",
            "\"sub\":\"jane\"  | \"sub\":\"system:a\"           | reserved",
            "\"roles\":[\"dev\" | \"roles\":[\"system:masters\" | it breaks the rule user.groups.all",
            "\"roles\":[\"dev\" | \"roles\":[1                  | a claim is no text",
            "\"hd\":           | \"dh\":                        | hd"})
    void aTokenThatIsNotAsRequiredIsRefused(String part, String other, String why) throws Exception {
        String bad = token(claims("").replace(part, other));
        assertThatThrownBy(() -> users(BY_EXPRESSIONS).user(bad, HERE)).isInstanceOf(UnauthorizedException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aRequiredClaimAndAVerifiedEmailAreChecked() throws Exception {
        assertThatThrownBy(() -> users(BY_CLAIMS).user(token(claims("").replace("example.com", "b.com")), HERE))
                .hasMessageContaining("it breaks the rule claims[\"hd\"] == \"example.com\"");
        TokenAuthenticator byEmail = users("  claimMappings: {username: {claim: email, prefix: ''}}\n");
        assertThat(byEmail.user(token(claims(",\"email\":\"j@a.b\"")), HERE).name()).isEqualTo("j@a.b");
        assertThatThrownBy(
                () -> byEmail.user(token(claims(",\"email\":\"j@a.b\",\"email_verified\":false")), HERE))
                .hasMessageContaining("not verified");
    }

    @Test
    void tokensOfOthersAreLeftToOthers() throws Exception {
        TokenAuthenticator users = users(BY_CLAIMS);
        assertThat(users.user("no token", HERE)).isNull();
        assertThat(users.user("a.b.c", HERE)).isNull();
        assertThat(users.user(token(claims("").replace("ISSUER", "https://other")), HERE)).isNull();
        assertThat(users.user(token(claims("")), List.of("vault"))).isNull();
        assertThat(provider.asked).isEmpty();
    }

    @Test
    void aForgedTokenIsRefused() throws Exception {
        TokenAuthenticator users = users(BY_CLAIMS);
        String good = token(claims(""));
        PublicJsonWebKey forger = key("one");
        assertThatThrownBy(() -> users.user(token(forger, "ES256", claims("")), HERE))
                .hasMessageContaining("signature");
        assertThatThrownBy(() -> users.user("eyJhbGciOiJub25lIn0." + good.split("\\.")[1] + ".", HERE))
                .isInstanceOf(UnauthorizedException.class);
    }

    @Test
    void keysAreFetchedOnceAndAgainWhenTheyChange() throws Exception {
        TokenAuthenticator users = users(BY_CLAIMS);
        users.user(token(claims("")), HERE);
        users.user(token(claims("")), HERE);
        assertThat(provider.asked).containsExactly(DISCOVERY, "/keys");

        PublicJsonWebKey rotated = RsaJwkGenerator.generateJwk(2048);
        rotated.setKeyId("two");
        published.set(List.of(rotated));
        String token = token(rotated, "RS256", claims(""));
        // The library counts the pause between two fetches by the system's clock.
        eventually("the new key is known", Duration.ofSeconds(20), () -> isKnown(users, token));
        assertThatThrownBy(() -> users.user(token(claims("")), HERE)).isInstanceOf(UnauthorizedException.class);
    }

    private static boolean isKnown(TokenAuthenticator users, String token) {
        try {
            return users.user(token, HERE) != null;
        } catch (UnauthorizedException e) {
            return false;
        }
    }

    @Test
    void aProviderThatFailsIsAskedAgainLater() throws Exception {
        TokenAuthenticator users = users(BY_CLAIMS);
        provider.answers(DISCOVERY, any -> "{\"issuer\":\"https://other\"}");
        assertThatThrownBy(() -> users.user(token(claims("")), HERE)).hasMessageContaining("of the issuer");
        provider.answers(DISCOVERY, any -> "{\"issuer\":\"" + provider.url() + "\",\"jwks_uri\":\"" + provider.url()
                + "/keys\"}");
        assertThatThrownBy(() -> users.user(token(claims("")), HERE)).hasMessageContaining("a moment ago");
        assertThat(provider.asked).hasSize(1);
        clock.advance(Duration.ofSeconds(11));
        assertThat(users.user(token(claims("")), HERE)).isNotNull();
    }

    @Test
    void anAnswerThatIsTooLongIsRefused() throws Exception {
        provider.answers(DISCOVERY, any -> "{\"a\":\"" + "x".repeat(1 << 20) + "\"}");
        assertThatThrownBy(() -> users(BY_CLAIMS).user(token(claims("")), HERE)).hasMessageContaining("more than");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"claimMappings: {} | and claimMappings.username",
            "claimMappings: {username: {claim: sub}} | username needs either an expression, or a claim, and",
            "claimMappings: {username: {claim: a, prefix: '', expression: b}} | username needs either an expression",
            "claimMappings: {username: {expression: 'claims.'}} | username is no expression about claims",
            "claimMappings: {username: {expression: user.name}} | undeclared reference to 'user'",
            "claimMappings: {user: {claim: sub}} | the field jwt[0].claimMappings.user is unknown",
            "claimMappings: {username: {claim: a, prefix: ''}, uid: {}} | uid needs either an expression, or a claim",
            "claimMappings: {username: {claim: a, prefix: ''}}, claimValidationRules: [{}] | needs one of claim and",
            "claimMappings: {username: {claim: a, prefix: ''}}, claimValidationRules: [{expression: '1'}] | bool"})
    void aConfigurationThatIsNoneIsRefusedWithItsField(String rest, String why) {
        String lines = rest.replace("}, claimV", "}\n  claimV");
        assertThatThrownBy(() -> read("  " + lines + "\n")).isInstanceOf(AuthConfigException.class)
                .hasMessageContaining(why);
    }

    @Test
    void requestsWithoutCredentialsMayBeLimitedToPaths() throws Exception {
        assertThat(read(BY_CLAIMS).anonymous().test("/any")).isTrue();
        assertThat(read(BY_CLAIMS + "anonymous: {enabled: false}\n").anonymous().test("/any")).isFalse();
        OtherParties some = read(
                BY_CLAIMS + "anonymous: {enabled: true, conditions: [{path: /livez}]}\n");
        assertThat(some.anonymous().test("/livez")).isTrue();
        assertThat(some.anonymous().test("/livez/ping")).isFalse();
    }
}
