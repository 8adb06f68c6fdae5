package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.world.Cluster;

/** A stepped cluster that runs one operator. */
final class OperatorWorld implements AutoCloseable {
    static final ResourceType SITES = ResourceTypes.of(Site.class);
    static final ObjectKey BLOG = ObjectKey.of("default", "blog");

    final Cluster cluster = new Cluster();
    Controller controller;
    private Operator<?> operator;

    OperatorWorld(Operator<?> operator) {
        this(operator, cluster -> {});
    }

    OperatorWorld(Operator<?> operator, Consumer<Cluster> before) {
        this.operator = operator;
        before.accept(cluster);
        cluster.create(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class, """
                {metadata: {name: sites.example.com}, spec: {group: example.com, scope: Namespaced,
                 names: {plural: sites, kind: Site}, versions: [{name: v1, served: true, storage: true,
                  subresources: {status: {}}, schema: {openAPIV3Schema: {type: object,
                   x-kubernetes-preserve-unknown-fields: true}}}]}}""");
        controller = Operators.descriptor(operator).factory().apply(cluster.context());
    }

    /** Ends the process and starts another one, which remembers nothing. */
    void restart() {
        restart(cluster::context);
    }

    /** Ends the process and starts one of another version of the operator. */
    void restart(Operator<?> next) {
        operator = next;
        restart();
    }

    void restart(Supplier<? extends ControllerContext> context) {
        controller.close();
        cluster.forgetCaches();
        controller = Operators.descriptor(operator).factory().apply(context.get());
    }

    OperatorWorld settle() {
        cluster.settle(controller.loops());
        return this;
    }

    OperatorWorld settle(Duration patience) {
        cluster.settle(controller.loops(), patience);
        return this;
    }

    Site createSite(String yaml) {
        return cluster.create(SITES, Site.class, yaml);
    }

    /** The writes that were sent since the last call, such as {@code "apply deployments.apps default/blog"}. */
    List<String> writes() {
        return cluster.requests.takeWrites().stream()
                .map(line -> String.join(" ", List.of(line.split(" ")).subList(0, 3))).toList();
    }

    JsonNode json(ResourceType type) {
        return cluster.json(type, BLOG);
    }

    <T extends KubernetesObject> @Nullable T read(ResourceType type, Class<T> model) {
        return cluster.exists(type, BLOG) ? cluster.read(type, BLOG, model) : null;
    }

    @Override
    public void close() {
        controller.close();
        cluster.close();
    }
}
