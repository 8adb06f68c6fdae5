package dev.wheelhouse.controllers.quota;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceClass;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.TypeMonitors;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.quota.Devices;
import dev.wheelhouse.quota.Evaluator;
import dev.wheelhouse.quota.Evaluators;
import dev.wheelhouse.runtime.Clock;

/**
 * The objects that quotas may limit: those of every namespaced type that discovery lists (upstream:
 * {@code resource_quota_monitor.go}). Pods, Services and both kinds of claims are read as a whole, of other types only
 * the metadata. Thread safe.
 */
final class QuotaContents implements TypeMonitors.Follower, Devices {
    private static final String DEVICES = "resource.k8s.io";
    private static final String DEVICE_CLASSES = "deviceclasses.resource.k8s.io";
    private static final String DEVICE_CLAIMS = "resourceclaims.resource.k8s.io";

    private final Evaluators evaluators = new Evaluators(this);
    private final Map<String, SharedIndexInformer<? extends KubernetesObject>> informers = new ConcurrentHashMap<>();
    private final BiConsumer<Evaluator, String> freed;
    private final Clock clock;
    private final TypeMonitors monitors;

    /** @param freed is told of a resource and a namespace in which objects may take less than before */
    QuotaContents(ControllerContext context, BiConsumer<Evaluator, String> freed) {
        this.freed = freed;
        this.clock = context.clock();
        this.monitors = new TypeMonitors("the controller of quotas", context, this);
    }

    /** The loop that follows discovery. */
    TypeMonitors monitors() {
        return monitors;
    }

    /** The objects of a namespace that may count against limits of these names. */
    List<QuotaView.Content> of(String namespace, Set<String> limits) {
        List<QuotaView.Content> contents = new ArrayList<>();
        informers.forEach((resource, informer) -> {
            Evaluator evaluator = evaluators.of(resource);
            if (limits.stream().anyMatch(evaluator::counts)) {
                contents.add(new QuotaView.Content(evaluator,
                        monitors.isWatched(informer.type()) ? informer.getIndexer().list(namespace) : null));
            }
        });
        return contents;
    }

    @Override
    public boolean wants(ResourceType type) {
        if (type.group().equals(DEVICES) && !type.version().equals("v1")) {
            return false;
        }
        return type.namespaced()
                ? !Evaluators.ignores(type.groupResource())
                : type.groupResource().equals(DEVICE_CLASSES);
    }

    @Override
    public SharedIndexInformer<? extends KubernetesObject> informer(SharedInformerFactory factory, ResourceType type) {
        Class<? extends KubernetesObject> model = type.namespaced()
                ? evaluators.of(type.groupResource()).model()
                : V1DeviceClass.class;
        SharedIndexInformer<? extends KubernetesObject> informer = model == PartialObjectMetadata.class
                ? factory.metadataOrMore(type)
                : factory.informer(type, model);
        informers.put(type.groupResource(), informer);
        return informer;
    }

    @Override
    public void removed(ResourceType type) {
        informers.remove(type.groupResource());
    }

    /** {@inheritDoc} A quota that limits a new type shows its usage soon. */
    @Override
    public void added(Collection<ResourceType> types) {
        types.forEach(type -> freed.accept(evaluators.of(type.groupResource()), ""));
    }

    /** {@inheritDoc} An addition needs no count: the API server has added the object's usage to the quota's status. */
    @Override
    public <T extends KubernetesObject> ResourceEventHandler<T> handler(ResourceType type) {
        Evaluator evaluator = evaluators.of(type.groupResource());
        return new ResourceEventHandler<>() {
            @Override
            public void onUpdate(T before, T after) {
                Instant now = clock.now();
                if (type.namespaced() && evaluator.isCountedAgain(before, after, now)) {
                    freed.accept(evaluator, namespace(after));
                }
            }

            @Override
            public void onDelete(T object, boolean finalStateUnknown) {
                if (type.namespaced()) {
                    freed.accept(evaluator, namespace(object));
                }
            }
        };
    }

    private static String namespace(KubernetesObject object) {
        return String.valueOf(object.getMetadata().getNamespace());
    }

    @Override
    public Collection<V1DeviceClass> classes() {
        return cached(DEVICE_CLASSES, "", V1DeviceClass.class);
    }

    @Override
    public List<ResourceV1ResourceClaim> claims(String namespace) {
        return cached(DEVICE_CLAIMS, namespace, ResourceV1ResourceClaim.class);
    }

    private <T> List<T> cached(String resource, String namespace, Class<T> model) {
        SharedIndexInformer<?> informer = informers.get(resource);
        return informer == null ? List.of() : informer.getIndexer().list(namespace).stream().map(model::cast).toList();
    }

    @Override
    public @Nullable V1Pod pod(ObjectKey key) {
        SharedIndexInformer<?> pods = informers.get(ResourceType.PODS.groupResource());
        return pods == null ? null : (V1Pod) pods.get(key);
    }
}
