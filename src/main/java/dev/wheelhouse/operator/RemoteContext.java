package dev.wheelhouse.operator;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.operator.Applied.Configuration;
import dev.wheelhouse.operator.Applied.Target;
import dev.wheelhouse.operator.Declaration.Part;

/** The context of one sync in another cluster. Its writes have the guards of the sync's own. */
record RemoteContext(OperatorContext<?> home, RemoteCluster remote, Declaration<?> declaration, ObjectKey key)
        implements
            ClusterContext,
            LiveClient.Writes {
    // ---- reads

    @Override
    public <T extends KubernetesObject> Optional<T> get(Class<T> type, ObjectKey of) {
        return Optional.ofNullable(remote.informer(part(type)).get(of)).map(ModelJson::copy);
    }

    @Override
    public <T extends KubernetesObject> List<T> list(Class<T> type, String namespace, LabelSelector labels) {
        return sorted(remote.informer(part(type)).getIndexer().list(namespace).stream()
                .filter(object -> labels.matches(object.getMetadata().getLabels())));
    }

    @Override
    public <T extends KubernetesObject> List<T> owned(Class<T> type) {
        return sorted(cached(part(type)));
    }

    private static <T extends KubernetesObject> List<T> sorted(Stream<T> objects) {
        return objects.sorted(Comparator.comparing(ObjectKey::of)).map(ModelJson::copy).toList();
    }

    /** The cached objects that belong to the primary object; not copies. */
    private <T extends KubernetesObject> Stream<T> cached(Part<T> part) {
        return remote.informer(part).getIndexer().list().stream().filter(this::isOwned);
    }

    private boolean isOwned(KubernetesObject object) {
        Map<String, String> labels = Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of());
        return declaration.name().equals(labels.get(RemoteCluster.OPERATOR))
                && String.valueOf(primary().getUid()).equals(labels.get(RemoteCluster.OWNER));
    }

    /** The keys of the primary objects that an object of another cluster names. */
    static Stream<ObjectKey> primaryOf(KubernetesObject object) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        String named = annotations == null ? null : annotations.get(RemoteCluster.PRIMARY);
        try {
            return Stream.ofNullable(named).map(ObjectKey::parse);
        } catch (IllegalArgumentException e) {
            return Stream.of();
        }
    }

    private V1ObjectMeta primary() {
        return home.primary().getMetadata();
    }

    @SuppressWarnings("unchecked")
    private <T extends KubernetesObject> Part<T> part(Class<T> model) {
        return (Part<T>) remote.parts().stream().filter(part -> part.model() == model).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("operator " + declaration.name() + " does not own "
                        + model.getSimpleName() + " in other clusters: add .owns(" + model.getSimpleName()
                        + ".class) to the ClusterSecrets of setup.clusters"));
    }

    // ---- writes

    @Override
    public @Nullable KubernetesObject write(Action.Write write) {
        home.requireHome(write);
        return OperatorContext.answerOf(home.run().writes()
                ? remote.executor.execute(key, List.of(write))
                : home.run().execute(List.of(write)));
    }

    @Override
    public void delete(ResourceType type, ObjectKey of, Deletion deletion, String why) {
        write(new Action.Delete(type, of, deletion, why));
        home.run().effect(() -> remote.applied.remove(key, new Target(type, of, "")));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends KubernetesObject> T apply(T desired) {
        Part<T> part = part((Class<T>) desired.getClass());
        ResourceType type = part.type();
        ObjectNode body = Desired.of(desired, part, declaration.primary().type(), primary(), false);
        ObjectNode meta = body.withObjectProperty("metadata");
        meta.withObjectProperty("labels").put(RemoteCluster.OPERATOR, declaration.name()).put(RemoteCluster.OWNER,
                primary().getUid());
        meta.withObjectProperty("annotations").put(RemoteCluster.PRIMARY, key.toString());
        Configuration<T> it = Configuration.of(key, part, body, declaration.fieldManager());
        ObjectKey of = it.target().key();
        T cached = remote.informer(part).get(of);
        T stored = cached != null ? cached : remote.client.resource(type, part.model()).find(of).orElse(null);
        if (stored != null && !isOwned(stored)) {
            throw new KubeApiException("apply " + type + " " + of + " in the cluster " + remote.name, 422,
                    Ownership.REFUSED, "it exists, and does not belong to " + declaration.primary().type().kind() + " "
                            + key + ": choose another name, or delete it",
                    null);
        }
        return remote.applied.apply(it, stored, null, home.run(), found -> remote.client.metadata(type).appliers(of)
                .difference(declaration.fieldManager(), body, ModelJson.tree(found)), this::write,
                UnaryOperator.identity());
    }

    @Override
    public void prune(List<? extends KubernetesObject> kept) {
        Set<Target> wanted = new HashSet<>();
        for (KubernetesObject object : kept) {
            Part<?> part = part(object.getClass());
            String namespace = Objects.requireNonNullElse(object.getMetadata().getNamespace(), key.namespace());
            wanted.add(new Target(part.type(), new ObjectKey(part.type().namespaced() ? namespace : "",
                    object.getMetadata().getName()), ""));
        }
        for (Part<?> part : remote.parts()) {
            cached(part).filter(object -> object.getMetadata().getDeletionTimestamp() == null)
                    .filter(object -> !wanted.contains(new Target(part.type(), ObjectKey.of(object), "")))
                    .forEach(this::delete);
        }
    }

    @Override
    public void delete(KubernetesObject object) {
        delete(part(object.getClass()).type(), ObjectKey.of(object),
                Deletion.ofUid(object.getMetadata().getUid()).withPropagation("Background"),
                "the operator decided so");
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> live(Class<T> type) {
        return new LiveClient<>(this, remote.client.resource(ResourceTypes.of(type), type), type);
    }

    @Override
    public ResourceClient<Unstructured> live(ResourceType type) {
        return new LiveClient<>(this, remote.client.resource(type, Unstructured.class), Unstructured.class);
    }
}
