package dev.wheelhouse.apiserver.auth;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The format of a file of bearer tokens. */
class TokenFileTest {
    @Test
    void aLineIsTokenUserUidAndGroups() {
        Map<String, User> users = TokenFile.parse("f", """
                t1,alice,1
                t2,bob,2,dev

                "t,3","o""hara",3,"dev, ops,system:masters"
                """);

        assertThat(users.get("t1")).isEqualTo(new User("alice", "1", List.of("system:authenticated"), Map.of()));
        assertThat(users.get("t2").groups()).containsExactly("dev", "system:authenticated");
        assertThat(users.get("t,3").name()).isEqualTo("o\"hara");
        assertThat(users.get("t,3").groups()).containsExactly("dev", "ops", "system:masters", "system:authenticated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "token,user", ",user,uid", "token,,uid"})
    void aMalformedLineIsNamed(String line) {
        assertThatThrownBy(() -> TokenFile.parse("tokens.csv", "ok,u,1\n" + line)).isInstanceOf(
                AuthConfigException.class).hasMessageContaining("line 2 of the token file tokens.csv is malformed");
    }

    @Test
    void aFileThatIsNotThereIsNamedWithTheRemedy() {
        assertThatThrownBy(() -> TokenFile.read(Path.of("no/such"))).isInstanceOf(AuthConfigException.class)
                .hasMessageContaining("no/such").hasMessageContaining("token,user,uid");
    }
}
