package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ValidatingWebhookConfiguration;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.operator.webhook.Converts;
import dev.wheelhouse.operator.webhook.Mutates;
import dev.wheelhouse.operator.webhook.Validates;
import dev.wheelhouse.operator.webhook.Verdict;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An operator whose webhooks are methods of it: as docs/library.md shows it, in a test, and with its own rights. */
@Timeout(900)
class OperatorWebhooksTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String TOKEN = "shop-operator-token";

    @ResourceDefinition(group = "shops.example.com", version = "v1", otherVersions = ShopV1beta1.class)
    static class Shop extends CustomResource<Shop.Spec, Void> {
        record Spec(String street, int counters) {}
    }

    @ResourceDefinition(group = "shops.example.com", version = "v1beta1", kind = "Shop")
    static class ShopV1beta1 extends CustomResource<ShopV1beta1.Spec, Void> {
        record Spec(String address) {}
    }

    static class ShopOperator implements DecidingOperator<Shop> {
        @Override
        public void setup(Setup<Shop> setup) {}

        @Override
        public Decision decide(Shop shop, Related related, Instant now) {
            return Decision.deleteAll();
        }

        @Validates
        Verdict check(Shop shop, @Nullable Shop before) {
            return Verdict.allow()
                    .refuseIf(shop.getSpec().counters() > 10, "spec.counters", "must be at most 10")
                    .refuseIf(before != null && !before.getSpec().street().equals(shop.getSpec().street()),
                            "spec.street", "cannot be changed")
                    .warnIf(shop.getSpec().counters() == 1, "spec.counters: customers will queue");
        }

        @Mutates
        void complete(Shop shop) {
            if (shop.getSpec().counters() == 0) {
                shop.setSpec(new Shop.Spec(shop.getSpec().street(), 2));
            }
        }

        @Converts
        Shop upgrade(ShopV1beta1 old) {
            Shop shop = new Shop();
            shop.setSpec(new Shop.Spec(old.getSpec().address(), 1));
            return shop;
        }

        @Converts
        ShopV1beta1 downgrade(Shop shop) {
            ShopV1beta1 old = new ShopV1beta1();
            old.setSpec(new ShopV1beta1.Spec(shop.getSpec().street()));
            return old;
        }
    }

    private static Shop shop(String street, int counters) {
        Shop shop = new Shop();
        shop.setMetadata(new V1ObjectMeta().namespace("default").name("bakery"));
        shop.setSpec(new Shop.Spec(street, counters));
        return shop;
    }

    @Test
    void aTestServerServesTheMethodsOfItsOperatorsAlsoWithAManualClock() {
        for (boolean manual : new boolean[]{false, true}) {
            TestServer.Builder builder = TestServer.builder().crds(Shop.class).operators(new ShopOperator());
            try (TestServer server = (manual ? builder.manualClock() : builder).start()) {
                assertThat(server.user().create(shop("High Street", 0)).getSpec().counters()).isEqualTo(2);
                assertThatThrownBy(() -> server.user().edit(Shop.class, "default", "bakery",
                        shop -> shop.setSpec(new Shop.Spec("Low Street", 2)))).isInstanceOf(KubeApiException.class)
                        .hasMessageContaining("\"check.shop-operator.shops.example.com\" denied the request: "
                                + "spec.street: cannot be changed");
                assertThat(server.user().get(ShopV1beta1.class, "default", "bakery").getSpec().address())
                        .isEqualTo("High Street");
            }
        }
    }

    @Test
    void theServiceAccountOfTheManifestsMayDoWhatTheWebhooksNeed() throws Exception {
        User account = new User("system:serviceaccount:shops:shop-operator", "",
                List.of("system:serviceaccounts", "system:serviceaccounts:shops", "system:authenticated"), Map.of());
        try (TestServer server = TestServer.start(ApiServerOptions.defaults().withSecurity(
                Security.of(AuthorizationMode.RBAC, Map.of(TOKEN, account), ServerKeys.inMemory())), false, 0)) {
            KubeClient admin = server.client();
            admin.resource(ResourceType.NAMESPACES, V1Namespace.class)
                    .create(new V1Namespace().metadata(new V1ObjectMeta().name("shops")));
            Manifests.of(new ShopOperator()).namespace("shops").objects().forEach(object -> create(admin, object));
            assertThat(admin.resource(ResourceType.SERVICES, V1Service.class)
                    .get(ObjectKey.of("shops", "shop-operator")).getSpec().getPorts()).singleElement()
                    .satisfies(port -> assertThat(port.getTargetPort().getIntValue()).isEqualTo(9443));
            ApiClient api = new ClientBuilder().setBasePath(server.url()).setVerifyingSsl(false)
                    .setAuthentication(new AccessTokenAuthentication(TOKEN)).build();
            WebhookOptions options = WebhookOptions.behind("shops", "shop-operator").withPort(0);

            try (Wheelhouse operators = Wheelhouse.builder().client(api).operator(new ShopOperator())
                    .leaderElection("shops", "shop-operator").webhooks(options).start()) {
                eventually("the webhooks are served and configured", SOON, () -> {
                    assertThat(admin.resource(ResourceType.SECRETS, V1Secret.class)
                            .get(ObjectKey.of("shops", "shop-operator-tls")).getData()).containsKeys("tls.crt",
                                    "ca.crt");
                    assertThat(admin.resource(ResourceTypes.of(V1ValidatingWebhookConfiguration.class),
                            V1ValidatingWebhookConfiguration.class).get(ObjectKey.cluster("shop-operator"))
                            .getWebhooks()).singleElement()
                            .satisfies(webhook -> assertThat(webhook.getClientConfig().getService().getName())
                                    .isEqualTo("shop-operator"));
                    return operators.isReady() && conversion(admin).equals("Webhook");
                });
            }
        }
    }

    private static String conversion(KubeClient admin) {
        return admin.resource(Crds.TYPE, V1CustomResourceDefinition.class)
                .get(ObjectKey.cluster("shops.shops.example.com")).getSpec().getConversion().getStrategy();
    }

    @SuppressWarnings("unchecked")
    private static <T extends KubernetesObject> void create(KubeClient admin, T object) {
        admin.resource(ResourceTypes.of(object.getClass()), (Class<T>) object.getClass()).create(object);
    }

    @Test
    void theMethodsOfThePageAreThoseOfThisTest() throws IOException {
        String source = Files.readString(
                Path.of("src/test/java/dev/wheelhouse/operator/OperatorWebhooksTest.java")).replaceAll("\\s+", " ");
        Matcher snippet = Pattern.compile("## Webhooks\\n.*?```java\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/library.md")));
        assertThat(snippet.find()).isTrue();
        assertThat(source).contains(snippet.group(1).strip().replaceAll("\\s+", " "));
    }
}
