package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.console.ClusterHealth;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.operator.Context;
import dev.wheelhouse.operator.Crds;
import dev.wheelhouse.operator.Operators;
import dev.wheelhouse.operator.ReconcilingOperator;
import dev.wheelhouse.operator.Request;
import dev.wheelhouse.operator.Setup;
import dev.wheelhouse.runtime.ManualClock;

/**
 * The embedded mode on the test's thread: an API server, all controllers, an operator, three hollow nodes, and the
 * health of them all. Time passes only by {@link #advance}.
 */
final class WholeCluster implements AutoCloseable {
    private static final int MOST_ROUNDS = 20_000;
    private static final ResourceType API_SERVICES = new ResourceType("apiregistration.k8s.io", "v1", "apiservices",
            "APIService", false);

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock)
            .withSecurity(ApiServerOptions.defaults().security().withPodAccounts(true))
            .withRuntimeConfig(RuntimeConfig.standard().withDefault(RuntimeConfig.RESOURCE_METRICS)));
    private final KubeClient client = server.client("user");
    private final User user = new User(client);
    private final Stepper stepper = new Stepper(clock, server.store()::version, MOST_ROUNDS, null, true);
    private final ClusterHealth health;

    /** Writes nothing, and fails for a page that is broken. */
    private static final class Webmaster implements ReconcilingOperator<Website> {
        @Override
        public void setup(Setup<Website> setup) {
            setup.name("webmaster");
        }

        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) {
            if ("broken".equals(request.primary().getSpec().page())) {
                throw new IllegalStateException("the page is broken");
            }
            return Result.done();
        }
    }

    WholeCluster() {
        user.create(Crds.of(Website.class));
        List<ControllerDescriptor> controllers = new ArrayList<>(BuiltInControllers.all());
        controllers.add(Operators.descriptor(new Webmaster()));
        ControllerProcess process = ControllerProcess.stepped(server.client("wheelhouse"), clock, controllers, 3,
                parts -> parts.caches(InformerOptions.builder().seed(1).build()));
        process.informers().informer(API_SERVICES, Unstructured.class);
        process.informers().startNew();
        stepper.add(process);
        health = new ClusterHealth(process.informers(), process.manager(), Journal.NONE, clock, Meters.NONE);
    }

    ClusterHealth health() {
        return health;
    }

    void advance(Duration time) {
        stepper.within(Duration.ofMinutes(2), () -> stepper.advance(time));
    }

    void apply(String yaml) {
        user.apply(yaml);
    }

    void apply(JsonNode object) {
        user.apply(ModelJson.write(object));
    }

    /** A node of another program, which says that it is ready. */
    void kubelet(String name) {
        apply("{apiVersion: v1, kind: Node, metadata: {name: " + name + "}}");
        patch("nodes", "status", name, """
                {"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                 "lastHeartbeatTime": "%1$s", "lastTransitionTime": "%1$s"}]}}""".formatted(clock.now()));
    }

    /** @param key {@code namespace/name}, {@code name}, {@code *} for all, or {@code one} for any */
    void patch(String type, String subresource, String key, String merge) {
        each(type, key, (found, at) -> client.resource(found, Unstructured.class).patch(at, subresource,
                PatchType.MERGE, merge));
    }

    void delete(String type, String key) {
        each(type, key, (found, at) -> client.metadata(found).delete(at,
                new Deletion(null, null, null, "Background")));
    }

    private interface Write {
        void to(ResourceType type, ObjectKey key);
    }

    private void each(String name, String key, Write write) {
        ResourceType type = client.discover().types().stream().filter(each -> each.groupResource().equals(name))
                .findFirst().orElseThrow();
        Consumer<ObjectKey> one = at -> write.to(type, at);
        if (key.equals("*") || key.equals("one")) {
            client.metadata(type).list("", LabelSelector.everything(), FieldSelector.everything(),
                    ListOptions.consistent(0)).items().stream().map(ObjectKey::of).sorted()
                    .limit(key.equals("one") ? 1 : Long.MAX_VALUE).forEach(one);
        } else {
            one.accept(ObjectKey.parse(key));
        }
    }

    @Override
    public void close() {
        stepper.close();
        server.close();
    }
}
