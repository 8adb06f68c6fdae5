package dev.wheelhouse.spring;

import java.io.IOException;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.time.Duration;
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

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.ClientCertificates;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.DelegatedAuth;
import dev.wheelhouse.console.Viewer;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests for the console over TLS, with a certificate that the web server has verified. */
class ClientCertificateTest {
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
    private final DelegatedAuth auth = ManagementGuard.reviews(new ClientBuilder().setBasePath(server.url()).build(),
            new ManualClock());
    private final ManagementGuard guard = new ManagementGuard("/console", Set.of("page"), false, null, List.of(),
            "here",
            auth);

    @AfterEach
    void close() {
        server.close();
    }

    /** The principal that the servlet gets; null if the request is refused. */
    private @Nullable Principal principal(X509Certificate... chain) throws ServletException, IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/console/flow");
        request.setServletPath("/console");
        request.setPathInfo("/flow");
        request.addHeader("Host", "127.0.0.1:8080");
        request.setAttribute("jakarta.servlet.request.X509Certificate", chain);
        AtomicReference<@Nullable Principal> found = new AtomicReference<>();
        guard.doFilter(request, new MockHttpServletResponse(),
                (asked, answer) -> found.set(((HttpServletRequest) asked).getUserPrincipal()));
        return found.get();
    }

    @Test
    void theUserOfAVerifiedCertificateIsTheViewer() throws Exception {
        X509Certificate captains = new ClientCertificates().certificate("O=crew,O=officers,CN=captain");
        assertThat(Viewers.user(captains)).satisfies(user -> {
            assertThat(user.getUsername()).isEqualTo("captain");
            assertThat(user.getGroups()).contains("crew", "officers", "system:authenticated");
        });
        assertThat(principal(captains)).isInstanceOf(Viewer.class).extracting(Principal::getName).isEqualTo("captain");
    }

    @Test
    void withoutACertificateOrANameInItNobodyIsTheViewer() throws Exception {
        assertThat(principal()).isNull();
        assertThat(principal(new ClientCertificates().certificate("O=crew"))).isNull();
    }

    @Test
    void eachRightIsAskedForOnTheApiServerOnceInTenSeconds() throws Exception {
        Viewer captain = (Viewer) principal(new ClientCertificates().certificate("CN=captain"));
        Faults.Rule asked = server.faults().on("create", "subjectaccessreviews").delay(Duration.ZERO);
        assertThat(captain.may("list", ResourceType.PODS, "default")).isTrue();
        assertThat(captain.may("list", ResourceType.PODS, "other")).isTrue();
        assertThat(captain.may("get", ResourceType.PODS, "default")).isTrue();
        assertThat(asked.hits()).isEqualTo(2);

        server.faults().on("create", "subjectaccessreviews").fail(500, "broken");
        assertThat(captain.may("list", ResourceType.SECRETS, "default")).isFalse();
    }
}
