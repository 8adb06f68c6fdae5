package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Services, with their addresses and ports (upstream: {@code pkg/registry/core/service}). */
final class ServiceStrategy extends Strategy {
    ServiceStrategy() {
        super("", "Service");
    }

    @Override
    public boolean allowsCreateOnUpdate() {
        return true;
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.dnsLabel(name);
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.Service", ServiceDefaults::service);
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").putObject("loadBalancer");
    }

    @Override
    public void keepGiven(ObjectNode object, ObjectNode old) {
        Services.carryOver(object, old);
    }

    @Override
    public Runnable reserve(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        ServiceAddresses addresses = state.addresses();
        if (old == null) {
            addresses.allocate(object, false);
            return () -> addresses.release(object);
        }
        addresses.reallocate(old, object);
        return () -> addresses.undo(object, old);
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        state.addresses().release(object);
    }

    @Override
    public boolean isLimitedBy(String limit, String resource) {
        return super.isLimitedBy(limit, resource) || limit.startsWith("services.");
    }

    @Override
    protected void addUsage(ObjectNode service, Map<String, BigDecimal> usage) {
        String type = Json.text(service, "spec", "type");
        long nodePorts = type.equals("NodePort") || type.equals("LoadBalancer")
                ? service.path("spec").path("ports").size()
                : 0;
        usage.put("services.nodeports", BigDecimal.valueOf(nodePorts));
        usage.put("services.loadbalancers", type.equals("LoadBalancer") ? BigDecimal.ONE : BigDecimal.ZERO);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ServiceValidation.create(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        ServiceValidation.update(object, old, problems);
    }
}
