package dev.wheelhouse.apiserver.aggregation;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.StatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FrontProxyTest {
    @Test
    void aUserIsNamedByHeaders() {
        assertThat(FrontProxy.headers(new User("jane", "7", List.of("a", "b"),
                Map.of("example.com/Scope x", List.of("1",
                        "2")))))
                .isEqualTo(Map.of("X-Remote-User", List.of("jane"), "X-Remote-Uid", List.of("7"),
                        "X-Remote-Group", List.of("a", "b"),
                        "X-Remote-Extra-example.com%2FScope%20x", List.of("1", "2")));
    }

    @Test
    void aNameCannotAddAHeader() {
        assertThatThrownBy(() -> FrontProxy.headers(new User("jane\r\nX-Remote-Group: system:masters", "", List.of(),
                Map.of()))).isInstanceOf(StatusException.class)
                .hasMessageContaining("invalid header field value for \"X-Remote-User\"");
    }
}
