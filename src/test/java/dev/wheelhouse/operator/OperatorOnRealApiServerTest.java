package dev.wheelhouse.operator;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.runtime.Clock;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** An operator with threads, HTTP and a real kube-apiserver, whose server-side apply is the one that counts. */
class OperatorOnRealApiServerTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Decides so often that a test can wait until it has decided about a change. */
    static class CountingOperator extends SiteOperator {
        volatile long decisions;

        @Override
        public void setup(Setup<Site> setup) {
            super.setup(setup);
            setup.name("site-operator").crd(CrdPolicy.INSTALL)
                    .finalizer("example.com/site", (request, context) -> Result.done());
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            Decision decision = super.decide(site, related, now);
            decisions++;
            return decision.requeueAfter(Duration.ofMillis(100));
        }

        void decideTwice() {
            long before = decisions;
            eventually("it decides again", LONG, () -> decisions > before + 1);
        }
    }

    private static <T extends KubernetesObject> boolean isThere(ResourceClient<T> client) {
        try {
            client.get(BLOG);
            return true;
        } catch (KubeApiException e) {
            return false;
        }
    }

    private static Wheelhouse start(RealApiServer real, CountingOperator operator) {
        return Wheelhouse.builder().operator(operator).kubeconfig(real.kubeconfig()).start();
    }

    @Test
    @Timeout(900)
    void appliesKeepsPrunesAndCleansUpAcrossProcesses(@TempDir Path directory) throws Exception {
        try (RealApiServer real = RealApiServer.startOrSkip(directory);
                KubeClient client = new HttpKubeClient(
                        new KubeConfigs(Clock.system()).fromFile(real.kubeconfig(), null).api(), Clock.system())) {
            ResourceClient<Site> sites = client.resource(OperatorWorld.SITES, Site.class);
            var deployments = client.resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
            var configMaps = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            CountingOperator first = new CountingOperator();
            try (Wheelhouse process = start(real, first)) {
                eventually("the operator runs", LONG, process::isReady);
                Site site = new Site();
                site.setMetadata(new V1ObjectMeta().name(BLOG.name()).namespace(BLOG.namespace()));
                site.setSpec(new Site.Spec("blog:1", 2, List.of("a.example")));
                eventually("the site is accepted", LONG, () -> {
                    try {
                        sites.create(site);
                        return true;
                    } catch (KubeApiException e) {
                        return false;
                    }
                });
                eventually("the status is written", LONG, () -> sites.get(BLOG).getStatus() != null);
                first.decideTwice();
            }
            List<String> versions = versions(sites.get(BLOG), deployments.get(BLOG), configMaps.get(BLOG));
            CountingOperator second = new CountingOperator();
            MeterRegistry meters = new SimpleMeterRegistry();
            try (Wheelhouse process = Wheelhouse.builder().operator(second).kubeconfig(real.kubeconfig())
                    .metrics(meters).start()) {
                second.decideTwice();
                assertThat(meters.find("controller.writes").counters()).as("a new process sends nothing").isEmpty();
                assertThat(versions(sites.get(BLOG), deployments.get(BLOG), configMaps.get(BLOG)))
                        .as("a new process changes nothing").isEqualTo(versions);

                V1Deployment scaled = deployments.get(BLOG);
                scaled.getSpec().setReplicas(7);
                deployments.update(scaled);
                eventually("the replicas are taken back", LONG,
                        () -> deployments.get(BLOG).getSpec().getReplicas() == 2);
            }
            CountingOperator third = new CountingOperator();
            try (Wheelhouse process = start(real, third)) {
                Site site = sites.get(BLOG);
                site.setSpec(new Site.Spec("blog:1", 2, null));
                sites.update(site);
                eventually("the ConfigMap of another process is pruned", LONG, () -> !isThere(configMaps));
                sites.delete(BLOG, Deletion.unconditional());
                eventually("the finalizer goes", LONG, () -> !isThere(sites));
            }
        }
    }

    private static List<String> versions(KubernetesObject... objects) {
        return List.of(objects).stream().map(object -> object.getMetadata().getResourceVersion()).toList();
    }
}
