package dev.wheelhouse.testing;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.apis.CoreV1Api;

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;

import static org.assertj.core.api.Assertions.assertThat;

/** A test server with authentication and RBAC. */
class SecuredTestServerTest {
    @Test
    void itsClientsAreTheAdministratorsAndOthersAreAsked() throws Exception {
        ServerKeys keys = ServerKeys.inMemory();
        ApiServerOptions options = ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.RBAC, Map.of(), keys));

        try (TestServer server = TestServer.start(options, false, 0)) {
            assertThat(new CoreV1Api(server.apiClient()).listNamespace().execute().getItems()).isNotEmpty();
            HttpResponse<String> other = HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/namespaces")).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(other.statusCode()).isEqualTo(403);
        }
    }
}
