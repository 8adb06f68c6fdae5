package dev.wheelhouse.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1MutatingWebhookConfiguration;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.WheelhouseApplication;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.ResourceTypes;
import dev.wheelhouse.operator.Setup;
import dev.wheelhouse.operator.webhook.Mutates;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Webhook methods of an operator that is a bean. */
@Timeout(900)
@ExtendWith(OutputCaptureExtension.class)
@Isolated
class ServedWebhooksTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    static class StampOperator implements DecidingOperator<V1ConfigMap> {
        @Override
        public void setup(Setup<V1ConfigMap> setup) {}

        @Override
        public Decision decide(V1ConfigMap map, Related related, Instant now) {
            return Decision.keep();
        }

        @Mutates(objects = "stamp=please")
        void stamp(V1ConfigMap map) {
            map.putDataItem("stamp", "stamped");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        StampOperator stampOperator() {
            return new StampOperator();
        }
    }

    private static ConfigurableApplicationContext run(Path directory, String... options) {
        List<String> args = new ArrayList<>(List.of("--server.port=0", "--wheelhouse.apiserver.port=0",
                "--wheelhouse.nodes.count=0", "--wheelhouse.apiserver.kubeconfig=" + directory.resolve("kubeconfig")));
        args.addAll(List.of(options));
        return new SpringApplicationBuilder(WheelhouseApplication.class, Beans.class).run(args.toArray(String[]::new));
    }

    @Test
    void theEmbeddedApiServerCallsThemWithoutAnOption(@TempDir Path directory)
            throws Exception {
        try (ConfigurableApplicationContext context = run(directory, "--wheelhouse.mode=embedded")) {
            KubeClient client = context.getBean(KubeClient.class);
            int[] tries = {0};
            eventually("a ConfigMap is stamped", SOON, () -> client
                    .resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                    .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("m" + tries[0]++)
                            .labels(Map.of("stamp", "please"))))
                    .getData() != null);
        }
    }

    @Test
    void elsewhereTheServiceIsNamedByAnOptionWhichTheLogAsksFor(CapturedOutput output,
            @TempDir Path directory) throws Exception {
        try (TestServer server = TestServer.start()) {
            String kubeconfig = "--wheelhouse.kubeconfig=" + server.kubeconfig();
            try (ConfigurableApplicationContext context = run(directory, kubeconfig)) {
                assertThat(output.getOut()).contains("the webhook methods of stamp-operator are not served: name the "
                        + "Service that leads to this process by wheelhouse.webhooks.service");
            }
            try (ConfigurableApplicationContext context = run(directory, kubeconfig,
                    "--wheelhouse.webhooks.service=stamps", "--wheelhouse.webhooks.namespace=default",
                    "--wheelhouse.webhooks.port=0")) {
                eventually("the certificates are stored", SOON, () -> hasSecret(server.client(), "stamps-tls"));
            }
        }
    }

    @Test
    void onTheSameMachineNoServiceIsNeededAndNothingIsLeftBehind(@TempDir Path directory) throws Exception {
        try (TestServer server = TestServer.start()) {
            try (ConfigurableApplicationContext context = run(directory,
                    "--wheelhouse.kubeconfig=" + server.kubeconfig(),
                    "--wheelhouse.webhooks.local=true")) {
                eventually("the configuration is applied", SOON, () -> configurations(server.client()) == 1);
            }
            assertThat(configurations(server.client())).isZero();
        }
    }

    private static int configurations(KubeClient client) {
        return client.resource(ResourceTypes.of(V1MutatingWebhookConfiguration.class),
                V1MutatingWebhookConfiguration.class).list("", LabelSelector.everything(), FieldSelector.everything(),
                        ListOptions.consistent(0))
                .items().size();
    }

    private static boolean hasSecret(KubeClient client, String name) {
        try {
            return client.resource(ResourceType.SECRETS, V1Secret.class).get(ObjectKey.of("default", name)) != null;
        } catch (KubeApiException e) {
            return false;
        }
    }
}
