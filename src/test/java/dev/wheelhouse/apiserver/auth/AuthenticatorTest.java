package dev.wheelhouse.apiserver.auth;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The users of client certificates (upstream: {@code apiserver/pkg/authentication/request/x509}). */
class AuthenticatorTest {
    /** Signers in Go write all organizations into one part of the subject. */
    @ParameterizedTest
    @ValueSource(strings = {"CN=eve,O=a,O=b", "O=a+O=b,CN=eve", "CN=eve,L=Ulm,O=b+O=a"})
    void eachOrganizationIsAGroup(String subject) throws Exception {
        User user = Authenticator.ofSubject(subject);
        assertThat(user.name()).isEqualTo("eve");
        assertThat(user.groups()).containsExactlyInAnyOrderElementsOf(List.of("a", "b", "system:authenticated"));
    }

    /** The type of the value is OCTET STRING or UniversalString. Other programs may read it as a text. */
    @ParameterizedTest
    @ValueSource(strings = {"CN=eve,O=#040161", "O=a,CN=#1C0400000061"})
    void aNameThatIsNoTextIsNoUser(String subject) {
        assertThatThrownBy(() -> Authenticator.ofSubject(subject)).isInstanceOf(UnauthorizedException.class)
                .hasMessageContaining("no text");
    }

    @Test
    void aSubjectWithoutACommonNameIsNoUser() {
        assertThatThrownBy(() -> Authenticator.ofSubject("O=a")).isInstanceOf(UnauthorizedException.class);
    }
}
