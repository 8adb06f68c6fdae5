package dev.wheelhouse.controllers.certificates;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Keeps the ConfigMap {@code kube-root-ca.crt} in each namespace, with the certificate authorities by which clients in
 * the cluster verify the API server (upstream: {@code pkg/controller/certificates/rootcacertpublisher}). A key is a
 * namespace. The cache holds these ConfigMaps alone.
 */
public final class RootCaPublisher extends ObjectController<V1Namespace> {
    public static final String NAME = "root-ca-certificate-publisher-controller";

    static final String CONFIG_MAP = "kube-root-ca.crt";
    static final String DESCRIPTION = "kubernetes.io/description";
    private static final String KEY = "ca.crt";
    private static final String TEXT = "Contains a CA bundle that can be used to verify the kube-apiserver when using "
            + "internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
            + "guaranteed across distributions of Kubernetes clusters.";

    private static final Measure SYNCS = Measure.counter("root_ca_cert_publisher_sync_total",
            "Syncs of namespaces, by the status code of the write", "code");
    private static final Measure DURATION = Measure.histogram("root_ca_cert_publisher_sync_duration_seconds",
            "Duration of the sync of a namespace in seconds, by the status code of the write", 0.001, 15, "code");

    private final SharedIndexInformer<V1ConfigMap> configMaps;
    private final String rootCa;

    public RootCaPublisher(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1, ResourceType.NAMESPACES, V1Namespace.class);
        rootCa = context.options().get(ControllerOptions.Identity.DEFAULTS).rootCa();
        configMaps = context.informers().informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, "",
                LabelSelector.everything(), FieldSelector.parse("metadata.name=" + CONFIG_MAP));
        follow(configMaps);
        watch(primary).enqueue(ObjectKey::of);
        watch(configMaps).when(change -> !change.isAddition())
                .enqueue(map -> ObjectKey.cluster(String.valueOf(map.getMetadata().getNamespace())));
    }

    @Override
    protected Result sync(ObjectKey key, V1Namespace namespace, SyncRun run) {
        long begin = clock.nanoTime();
        Outcome outcome = run.execute(decide(namespace, configMaps.get(ObjectKey.of(key.name(), CONFIG_MAP)), rootCa));
        KubeApiException error = outcome.error();
        boolean namespaceEnds = outcome.failed() instanceof Action.Create && error != null
                && (error.isNotFound() || error.isNamespaceTerminating());
        String code = error == null || namespaceEnds ? "200" : error.code() == 0 ? "500" : "" + error.code();
        run.count(SYNCS, 1, code);
        run.count(DURATION, (clock.nanoTime() - begin) / 1e9, code);
        return namespaceEnds ? Result.done() : outcome.toResult();
    }

    /**
     * The write that gives a namespace its certificates. A pure function.
     *
     * @param present the ConfigMap in the cache; null if there is none
     */
    static List<Action> decide(V1Namespace namespace, @Nullable V1ConfigMap present, String rootCa) {
        if (namespace.getMetadata().getDeletionTimestamp() != null) {
            return List.of();
        }
        Map<String, String> data = Map.of(KEY, rootCa);
        if (present == null) {
            return List.of(new Action.Create(ResourceType.CONFIG_MAPS,
                    new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(new V1ObjectMeta()
                            .namespace(namespace.getMetadata().getName()).name(CONFIG_MAP)
                            .putAnnotationsItem(DESCRIPTION, TEXT)).data(data),
                    "the namespace has no certificates of the API server"));
        }
        boolean described = !orEmpty(Metadata.annotation(present, DESCRIPTION)).isEmpty();
        if (described && data.equals(present.getData())) {
            return List.of();
        }
        V1ConfigMap changed = ModelJson.copy(present).data(data);
        changed.getMetadata().putAnnotationsItem(DESCRIPTION, TEXT);
        return List.of(new Action.Update(ResourceType.CONFIG_MAPS, changed,
                "its data or its description was changed"));
    }
}
