package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1IngressClass;
import io.kubernetes.client.openapi.models.V1Service;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.informer.SharedIndexInformer;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Gives addresses to which nothing listens: one to each Service of type LoadBalancer without a
 * {@code loadBalancerClass}, and one to the Ingresses of each Ingress controller. An object that shows the address of
 * somebody else keeps it. Finalizer, Events and status of a Service are those of upstream's service controller
 * ({@code cloud-provider/controllers/service}).
 */
final class HollowBalancer extends HollowController {
    private static final ResourceType SERVICES = ResourceType.SERVICES;
    private static final ResourceType INGRESSES = new ResourceType("networking.k8s.io", "v1", "ingresses", "Ingress",
            true);
    private static final ResourceType CLASSES = new ResourceType("networking.k8s.io", "v1", "ingressclasses",
            "IngressClass", false);
    private static final String CLEANUP = "service.kubernetes.io/load-balancer-cleanup";
    /** The time until an object that got no address asks again. */
    private static final Duration UNTIL_FREE = Duration.ofSeconds(10);
    /** Of a range, no more addresses than these are used, as a power of two. */
    private static final int MOST_BITS = 16;

    private final SharedIndexInformer<V1Service> services;
    private final SharedIndexInformer<V1Ingress> ingresses;
    private final SharedIndexInformer<V1IngressClass> classes;
    private final AddressRange range;
    /** The owners by their addresses, and the reverse. Owners that went are forgotten when no address is left. */
    private final Map<String, String> owners = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private long sweepAt;

    HollowBalancer(ControllerContext context, AddressRange range) {
        super("hollow-balancer", "service-controller", context);
        this.range = range;
        this.services = informerFor(SERVICES, V1Service.class);
        this.ingresses = informerFor(INGRESSES, V1Ingress.class);
        this.classes = informerFor(CLASSES, V1IngressClass.class);
        watch(services).enqueue(service -> new Key(SERVICES, ObjectKey.of(service)));
        watch(ingresses).enqueue(ingress -> new Key(INGRESSES, ObjectKey.of(ingress)));
    }

    @Override
    List<Action> actions(ResourceType type, KubernetesObject object) {
        boolean gone = object.getMetadata().getDeletionTimestamp() != null;
        boolean wants = !gone && !owner(object).isEmpty();
        boolean holds = orEmpty(object.getMetadata().getFinalizers()).contains(CLEANUP);
        List<Action> actions = new ArrayList<>();
        if (object instanceof V1Service service && wants && !holds) {
            actions.add(normal(service, "EnsuringLoadBalancer", "Ensuring load balancer"));
            actions.add(patch(type, service, "", Map.of("metadata", Map.of("finalizers", List.of(CLEANUP)))));
        } else if (object instanceof V1Service service && holds && (gone || !isBalanced(service))) {
            actions.add(normal(service, "DeletingLoadBalancer", "Deleting load balancer"));
            actions.add(patch(type, service, "",
                    Map.of("metadata", Map.of("$deleteFromPrimitiveList/finalizers", List.of(CLEANUP)))));
            actions.add(normal(service, "DeletedLoadBalancer", "Deleted load balancer"));
        }
        if (wants && shown(object).isEmpty()) {
            String address = give(owner(object));
            if (address == null) {
                actions.add(new Action.Event(type, object, "Warning", "SyncLoadBalancerFailed",
                        "Error syncing load balancer: no address of " + range + " is free"));
                actions.add(new Action.RequeueAfter(UNTIL_FREE));
            } else {
                Map<String, ?> at = object instanceof V1Service
                        ? Map.of("ip", address, "ipMode", "VIP")
                        : Map.of("ip", address);
                actions.add(patch(type, object, "status",
                        Map.of("status", Map.of("loadBalancer", Map.of("ingress", List.of(at))))));
                if (object instanceof V1Service service) {
                    actions.add(normal(service, "EnsuredLoadBalancer", "Ensured load balancer"));
                }
            }
        }
        return actions;
    }

    private static Action patch(ResourceType type, KubernetesObject object, String subresource,
            Map<String, ?> body) {
        return new Action.Patch(type, ObjectKey.of(object), subresource, PatchType.STRATEGIC_MERGE,
                ModelJson.write(body), "whether it has an address", Set.of(404));
    }

    private static Action normal(V1Service service, String reason, String message) {
        return new Action.Event(SERVICES, service, "Normal", reason, message);
    }

    /** The owner's address: the one that it has, else the first free one from that which its name stands for. */
    private synchronized @Nullable String give(String owner) {
        if (sweepAt == 0) {
            everything().forEach(each -> shown(each)
                    .forEach(at -> own(at.path("ip").asString(""), owner(each))));
            sweepAt = clock.deadline(UNTIL_FREE);
        }
        // The first and the last address of a range are the network's and the broadcast address.
        int size = (1 << Math.min(range.bits() - range.prefix(), MOST_BITS)) - 2;
        if (!addresses.containsKey(owner) && owners.size() >= size && clock.nanoTime() - sweepAt >= 0) {
            owners.values().retainAll(everything().map(this::owner).collect(Collectors.toSet()));
            addresses.keySet().retainAll(owners.values());
            sweepAt = clock.deadline(UNTIL_FREE);
        }
        for (int i = 0; !addresses.containsKey(owner) && owners.size() < size && i < size; i++) {
            own(range.part(1 + Math.floorMod(owner.hashCode() + i, size), range.bits()).toString()
                    .replaceFirst("/.*", ""), owner);
        }
        return addresses.get(owner);
    }

    private Stream<KubernetesObject> everything() {
        return Stream.concat(services.getIndexer().list().stream(), ingresses.getIndexer().list().stream());
    }

    private void own(String address, String owner) {
        if (owners.putIfAbsent(address, owner) == null) {
            addresses.put(owner, address);
        }
    }

    /** A Service, or the controller whose Ingresses share an address; empty for an object that wants none from here. */
    private String owner(KubernetesObject object) {
        if (object instanceof V1Service service) {
            return isBalanced(service) && service.getSpec().getLoadBalancerClass() == null
                    ? "service " + ObjectKey.of(service)
                    : "";
        }
        V1Ingress ingress = (V1Ingress) object;
        String name = Objects.requireNonNullElseGet(ingress.getSpec().getIngressClassName(),
                () -> orEmpty(Metadata.annotation(ingress, "kubernetes.io/ingress.class")));
        V1IngressClass known = name.isEmpty() ? null : classes.get(ObjectKey.cluster(name));
        return "controller " + (known == null || known.getSpec() == null ? name : known.getSpec().getController());
    }

    private static boolean isBalanced(V1Service service) {
        return "LoadBalancer".equals(service.getSpec().getType());
    }

    private static JsonNode shown(KubernetesObject object) {
        return ModelJson.tree(object).path("status").path("loadBalancer").path("ingress");
    }
}
