package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.runtime.ManualClock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The owner of the process signs in on this machine by the address in a file. */
class OwnerTokenTest {
    private final OwnerToken owner = new OwnerToken();
    private final ManagementGuard guard = new ManagementGuard("/console", Set.of("page"), false, owner, List.of(),
            "here",
            ManagementGuard.reviews(new ClientBuilder().setBasePath("http://127.0.0.1:1").build(), new ManualClock()));

    @AfterEach
    void close() throws IOException {
        owner.close();
    }

    private @Nullable String user(String token, String from, String... header) throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/console/flow");
        request.setServletPath("/console");
        request.setPathInfo("/flow");
        request.setRemoteAddr(from);
        request.addHeader("Host", "127.0.0.1:8080");
        request.addHeader("Authorization", "Bearer " + token);
        if (header.length > 0) {
            request.addHeader(header[0], header[1]);
        }
        AtomicReference<@Nullable String> found = new AtomicReference<>();
        guard.doFilter(request, new MockHttpServletResponse(), (asked, answer) -> {
            Principal viewer = ((HttpServletRequest) asked).getUserPrincipal();
            found.set(viewer == null ? null : viewer.getName());
        });
        return found.get();
    }

    @Test
    void theAddressIsInAFileOfTheOwnerAloneAndItsTokenHoldsOnThisMachineOnly() throws Exception {
        Path file = requireNonNull(owner.write("http://127.0.0.1:8080/"));
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(file.getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        String address = Files.readString(file).strip();
        assertThat(address).matches("http://127\\.0\\.0\\.1:8080/#/problems\\?token=[0-9a-f]{64}");
        String token = address.substring(address.indexOf('=') + 1);

        assertThat(user(token, "127.0.0.1")).isEqualTo("owner");
        assertThat(user(token, "10.0.0.7")).isNull();
        assertThat(user(token, "127.0.0.1", "X-Forwarded-For", "10.0.0.7")).isNull();
        assertThat(user(token.replace(token.charAt(0), 'x'), "127.0.0.1")).isNull();

        owner.close();
        assertThat(file).doesNotExist();
        assertThat(file.getParent()).doesNotExist();
    }

    @Test
    void withoutAFileNoTokenIsTheOwners() throws Exception {
        assertThat(owner.is("")).isFalse();
        assertThat(user("", "127.0.0.1")).isNull();
    }
}
