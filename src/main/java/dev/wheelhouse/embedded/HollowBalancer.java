package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1IngressClass;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.informer.SharedIndexInformer;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Gives addresses to which nothing listens: one to each Service of type LoadBalancer without a
 * {@code loadBalancerClass}, and one to the Ingresses of each Ingress controller. An object that shows the address of
 * somebody else keeps it. Finalizer, Events and status of a Service are those of upstream's service controller
 * ({@code cloud-provider/controllers/service}).
 */
final class HollowBalancer extends KeyedController<TypedObject> {
    private static final ResourceType SERVICES = ResourceType.SERVICES;
    private static final ResourceType INGRESSES = new ResourceType("networking.k8s.io", "v1", "ingresses", "Ingress",
            true);
    private static final ResourceType CLASSES = new ResourceType("networking.k8s.io", "v1", "ingressclasses",
            "IngressClass", false);
    private static final String CLEANUP = "service.kubernetes.io/load-balancer-cleanup";
    private static final Duration UNTIL_SYNCED = Duration.ofMillis(50);
    /** The time until an object that got no address asks again. */
    private static final Duration UNTIL_FREE = Duration.ofSeconds(10);
    /** Of a range, no more addresses than these are used, as a power of two. */
    private static final int MOST_BITS = 16;

    private final SharedIndexInformer<V1Service> services;
    private final SharedIndexInformer<V1Ingress> ingresses;
    private final SharedIndexInformer<V1IngressClass> classes;
    private final AddressRange range;
    /** Addresses by owner, because caches do not show them at once. Guarded by this. */
    private final Map<String, String> given = new HashMap<>();

    HollowBalancer(ControllerContext context, AddressRange range) {
        super("hollow-balancer", "service-controller", context);
        this.range = range;
        this.services = informerFor(SERVICES, V1Service.class);
        this.ingresses = informerFor(INGRESSES, V1Ingress.class);
        this.classes = informerFor(CLASSES, V1IngressClass.class);
        watch(services).enqueue(service -> new TypedObject(SERVICES, ObjectKey.of(service)));
        watch(ingresses).enqueue(ingress -> new TypedObject(INGRESSES, ObjectKey.of(ingress)));
    }

    @Override
    protected Result sync(TypedObject key, SyncRun run) {
        if (!informers().stream().allMatch(SharedIndexInformer::hasSynced)) {
            return Result.requeueAfter(UNTIL_SYNCED);
        }
        V1Service service = key.type().equals(SERVICES) ? services.get(key.object()) : null;
        V1Ingress ingress = key.type().equals(INGRESSES) ? ingresses.get(key.object()) : null;
        if (service == null && ingress == null) {
            run.forget();
            return Result.done();
        }
        return run.execute(service != null ? ofService(service) : ofIngress(ingress)).toResult();
    }

    private List<Action> ofService(V1Service service) {
        boolean holds = orEmpty(service.getMetadata().getFinalizers()).contains(CLEANUP);
        boolean gone = service.getMetadata().getDeletionTimestamp() != null;
        if (!gone && wants(service)) {
            String address = addresses(service).isEmpty() ? give(owner(service)) : null;
            List<Action> actions = new ArrayList<>();
            if (!holds) {
                actions.add(normal(service, "EnsuringLoadBalancer", "Ensuring load balancer"));
                actions.add(patch(SERVICES, service, "", "metadata", Map.of("uid",
                        String.valueOf(service.getMetadata().getUid()), "finalizers", List.of(CLEANUP)),
                        "its address has to be freed"));
            }
            if (address != null) {
                actions.add(show(SERVICES, service, Map.of("ip", address, "ipMode", "VIP")));
                actions.add(normal(service, "EnsuredLoadBalancer", "Ensured load balancer"));
            } else if (addresses(service).isEmpty()) {
                actions.addAll(none(SERVICES, service));
            }
            return actions;
        }
        return holds && (gone || !"LoadBalancer".equals(service.getSpec().getType()))
                ? List.of(normal(service, "DeletingLoadBalancer", "Deleting load balancer"),
                        patch(SERVICES, service, "", "metadata", Map.of("$deleteFromPrimitiveList/finalizers",
                                List.of(CLEANUP)), "its address is free"),
                        normal(service, "DeletedLoadBalancer", "Deleted load balancer"))
                : List.of();
    }

    private List<Action> ofIngress(@Nullable V1Ingress ingress) {
        if (ingress == null || ingress.getMetadata().getDeletionTimestamp() != null || !addresses(ingress).isEmpty()) {
            return List.of();
        }
        String address = give(owner(ingress));
        return address == null
                ? none(INGRESSES, ingress)
                : List.of(show(INGRESSES, ingress, Map.of("ip", address)));
    }

    private List<Action> none(ResourceType type, KubernetesObject object) {
        return List.of(new Action.Event(type, object, "Warning", "SyncLoadBalancerFailed",
                "Error syncing load balancer: no address of " + range + " is free"),
                new Action.RequeueAfter(UNTIL_FREE));
    }

    private static Action show(ResourceType type, KubernetesObject object, Map<String, String> address) {
        return patch(type, object, "status", "status",
                Map.of("loadBalancer", Map.of("ingress", List.of(address))), "it waits for an address");
    }

    private static Action patch(ResourceType type, KubernetesObject object, String subresource, String field,
            Map<String, ?> value, String why) {
        return new Action.Patch(type, ObjectKey.of(object), subresource, PatchType.STRATEGIC_MERGE,
                ModelJson.write(Map.of(field, value)), why, Set.of(404));
    }

    private static Action normal(V1Service service, String reason, String message) {
        return new Action.Event(SERVICES, service, "Normal", reason, message);
    }

    // ---- addresses

    private static boolean wants(V1Service service) {
        return "LoadBalancer".equals(service.getSpec().getType()) && service.getSpec().getLoadBalancerClass() == null;
    }

    /** The owner's address: the one that it has, else the first free one from that which its name stands for. */
    private synchronized @Nullable String give(String owner) {
        Map<String, String> owners = new HashMap<>();
        Set<String> present = new HashSet<>();
        for (V1Service service : services.getIndexer().list()) {
            addresses(service).forEach(address -> owners.put(address, owner(service)));
            present.add(wants(service) ? owner(service) : "");
        }
        for (V1Ingress ingress : ingresses.getIndexer().list()) {
            addresses(ingress).forEach(address -> owners.put(address, owner(ingress)));
            present.add(owner(ingress));
        }
        given.keySet().retainAll(present);
        owners.forEach((address, other) -> given.putIfAbsent(other, address));
        given.forEach((other, address) -> owners.put(address, other));
        int size = (1 << Math.min(range.bits() - range.prefix(), MOST_BITS)) - 2;
        for (int i = 0; i < size && !given.containsKey(owner); i++) {
            // The first and the last address of a range are the network's and the broadcast address.
            String address = range.address(1 + Math.floorMod(owner.hashCode() + i, size));
            if (!owners.containsKey(address)) {
                given.put(owner, address);
            }
        }
        return given.get(owner);
    }

    private static String owner(V1Service service) {
        return "service " + ObjectKey.of(service);
    }

    private String owner(V1Ingress ingress) {
        String name = Objects.requireNonNullElseGet(ingress.getSpec().getIngressClassName(),
                () -> orEmpty(Metadata.annotation(ingress, "kubernetes.io/ingress.class")));
        V1IngressClass known = name.isEmpty() ? null : classes.get(ObjectKey.cluster(name));
        return "controller " + (known == null || known.getSpec() == null ? name : known.getSpec().getController());
    }

    private static List<String> addresses(V1Service service) {
        return service.getStatus() == null || service.getStatus().getLoadBalancer() == null
                ? List.of()
                : orEmpty(service.getStatus().getLoadBalancer().getIngress()).stream()
                        .map(each -> String.valueOf(each.getIp())).toList();
    }

    private static List<String> addresses(V1Ingress ingress) {
        return ingress.getStatus() == null || ingress.getStatus().getLoadBalancer() == null
                ? List.of()
                : orEmpty(ingress.getStatus().getLoadBalancer().getIngress()).stream()
                        .map(each -> String.valueOf(each.getIp())).toList();
    }
}
