package dev.wheelhouse.node.cri;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.node.cri.proto.Cri.AuthConfig;

import static org.assertj.core.api.Assertions.assertThat;

/** The cases of upstream's {@code keyring_test.go}, and what users write. */
class KeyringTest {
    private static String auth(String userAndPassword) {
        return Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
    }

    private static V1Secret secret(String type, String key, String json) {
        return new V1Secret().type("kubernetes.io/" + type).data(Map.of(key, json.getBytes(StandardCharsets.UTF_8)));
    }

    private static V1Secret secret(String place) {
        return secret("dockerconfigjson", ".dockerconfigjson",
                "{\"auths\": {\"" + place + "\": {\"auth\": \"" + auth("me:secret:x") + "\"}}}");
    }

    @ParameterizedTest(name = "{0} for {1}: {2}")
    @CsvSource({
            "registry.example,                  registry.example/a:1,          true",
            "registry.example,                  other.example/a:1,             false",
            "https://registry.example/v1/,      registry.example/a:1,          true",
            "http://registry.example/v2/team,   registry.example/team/a,       true",
            "registry.example/team,             registry.example/a,            false",
            "registry.example/te,               registry.example/team/a,       true",
            "registry.example:5000,             registry.example:5000/a:1,     true",
            "registry.example:5000,             registry.example/a:1,          false",
            "registry.example,                  registry.example:5000/a,       false",
            "*.example,                         registry.example/a@sha256:12,  true",
            "*.example,                         a.b.example/a,                 false",
            "reg*.example,                      registry.example/a,            true",
            "*a*b*c*d*e.example,                abcde.example/a,               false",
            "(.example,                         registry.example/a,            false",
            "https://index.docker.io/v1/,       busybox,                       true",
            "https://index.docker.io/v1/,       team/app:2,                    true",
            "https://index.docker.io/v1/,       docker.io/library/busybox,     true",
            "https://index.docker.io/v1/,       registry.example/busybox,      false",
            "docker.io,                         busybox:1,                     true",
            "localhost,                         localhost/a,                   true"})
    void credentialsAreForThePlacesOfImages(String place, String image, boolean expected) {
        Keyring keyring = new Keyring();
        assertThat(keyring.add(secret(place))).isTrue();
        AuthConfig me = AuthConfig.newBuilder().setUsername("me").setPassword("secret:x").build();
        if (expected) {
            assertThat(keyring.of(image)).containsExactly(me);
        } else {
            assertThat(keyring.of(image)).isEmpty();
        }
    }

    @Test
    void theMoreSpecificPlaceComesFirstAndAllAreTried() {
        Keyring keyring = new Keyring();
        keyring.add(secret("dockercfg", ".dockercfg", """
                {"quay.example": {"username": "a", "password": "1"},
                 "quay.example/team": {"username": "b", "password": "2"}}"""));
        keyring.add(secret("dockerconfigjson", ".dockerconfigjson",
                "{\"auths\": {\"quay.example\": {\"username\": \"c\", \"password\": \"3\"}}}"));
        assertThat(keyring.of("quay.example/team/app")).extracting(AuthConfig::getUsername).containsExactly("b", "a",
                "c");
        assertThat(keyring.of("quay.example/app")).extracting(AuthConfig::getUsername).containsExactly("a", "c");
    }

    @Test
    void secretsThatSayNothingAreToldApartFromBrokenOnes() {
        Keyring keyring = new Keyring();
        assertThat(keyring.add(secret("dockerconfigjson", ".dockerconfigjson", "no JSON"))).isFalse();
        assertThat(keyring.add(secret("dockerconfigjson", ".dockerconfigjson",
                "{\"auths\": {\"a.example\": {\"auth\": \"%%%\"}}}"))).isFalse();
        assertThat(keyring.add(secret("dockerconfigjson", ".dockerconfigjson",
                "{\"auths\": {\"a.example\": {\"auth\": \"" + auth("nocolon") + "\"}}}"))).isFalse();
        assertThat(keyring.add(new V1Secret().type("Opaque"))).isTrue();
        assertThat(keyring.of("a.example/x")).isEmpty();
    }
}
