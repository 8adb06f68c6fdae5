package dev.wheelhouse.testing;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A test server with authentication and RBAC. */
class SecuredTestServerTest {
    @Test
    void itsClientsAreTheAdministratorsAndOthersAreAsked() throws Exception {
        ServerKeys keys = ServerKeys.inMemory();
        ApiServerOptions options = ApiServerOptions.defaults()
                .withSecurity(Security.of(AuthorizationMode.RBAC, Map.of(), keys));

        try (TestServer server = TestServer.start(options, false, 0)) {
            assertThat(new CoreV1Api(server.apiClient()).listNamespace().execute().getItems()).isNotEmpty();
            assertThat(server.url()).startsWith("https://");
            ApiClient other = new ClientBuilder().setBasePath(server.url()).setVerifyingSsl(false).build();
            assertThatThrownBy(() -> new CoreV1Api(other).listNamespace().execute())
                    .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getCode()).isEqualTo(403));
        }
    }
}
