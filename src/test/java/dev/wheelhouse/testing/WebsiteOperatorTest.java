package dev.wheelhouse.testing;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Service;

import static dev.wheelhouse.testing.EmbeddedApiServer.TestClock.MANUAL;
import static org.assertj.core.api.Assertions.assertThat;

@EmbeddedApiServer(crds = Website.class, operators = WebsiteOperator.class, controllers = true, nodes = 2,
        clock = MANUAL)
class WebsiteOperatorTest {
    @Test
    void aWebsiteGetsADeploymentAServiceAndItsPage(TestServer server, User user) {
        user.create(Website.of("blog", 2, "Hello"));
        server.settle();

        assertThat(user.get(V1ConfigMap.class, "default", "blog").getData()).containsEntry("index.html", "Hello");
        assertThat(user.find(V1Service.class, "default", "blog")).isPresent();
        server.advance(Duration.ofSeconds(30));
        assertThat(user.get(Website.class, "default", "blog").getStatus().readyReplicas()).isEqualTo(2);
    }

    @Test
    void aPageThatIsRemovedIsDeleted(TestServer server, User user) {
        user.create(Website.of("shop", 1, "Hello"));
        server.settle();
        user.edit(Website.class, "default", "shop", website -> website.setSpec(new Website.Spec(3, null)));
        server.settle();

        assertThat(user.find(V1ConfigMap.class, "default", "shop")).isEmpty();
        assertThat(user.get(V1Deployment.class, "default", "shop").getSpec().getReplicas()).isEqualTo(3);
    }
}
