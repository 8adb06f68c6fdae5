package dev.wheelhouse;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.testing.Eventually;

/** A user of one namespace: makes, changes and looks at Deployments, ReplicaSets and pods. */
public final class Workloads {
    public static final String REVISION = "deployment.kubernetes.io/revision";

    public final String namespace;
    private final KubeClient client;

    public Workloads(KubeClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
        client.resource(ResourceType.NAMESPACES, V1Namespace.class)
                .create(new V1Namespace().metadata(new V1ObjectMeta().name(namespace)));
    }

    public static void eventually(String what, Callable<Boolean> condition) {
        Eventually.eventually(what, Duration.ofMinutes(2), condition);
    }

    public ObjectKey key(String name) {
        return ObjectKey.of(namespace, name);
    }

    public ResourceClient<V1Deployment> deployments() {
        return client.resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
    }

    public ResourceClient<V1ReplicaSet> replicaSets() {
        return client.resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class);
    }

    public ResourceClient<V1Pod> pods() {
        return client.resource(ResourceType.PODS, V1Pod.class);
    }

    private static String manifest(String kind, String name) {
        return """
                apiVersion: apps/v1
                kind: %2$s
                metadata: {name: %1$s, labels: {app: %1$s}}
                spec:
                  selector: {matchLabels: {app: %1$s}}
                  template:
                    metadata: {labels: {app: %1$s}}
                    spec:
                      containers: [{name: main, image: "app:1"}]
                """.formatted(name, kind);
    }

    /** The Deployment of the first steps: three pods of nginx. */
    public static V1Deployment web() {
        return Yaml.loadAs("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  replicas: 3
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec:
                      containers: [{name: web, image: "nginx:1.27"}]
                """, V1Deployment.class);
    }

    /** A Deployment whose pods have the label app and nothing that keeps them from being ready at once. */
    public V1Deployment newDeployment(String name, int replicas) {
        V1Deployment deployment = Yaml.loadAs(manifest("Deployment", name), V1Deployment.class);
        deployment.getMetadata().setNamespace(namespace);
        deployment.getSpec().setReplicas(replicas);
        return deployment;
    }

    public V1Deployment deployment(String name) {
        return deployments().get(key(name));
    }

    public V1ReplicaSet replicaSet(String name) {
        return replicaSets().get(key(name));
    }

    public <T extends KubernetesObject> List<T> list(ResourceClient<T> of, Map<String, String> labels) {
        return of.list(namespace, labels.isEmpty() ? LabelSelector.everything() : LabelSelector.of(labels),
                FieldSelector.everything(), ListOptions.consistent(0)).items();
    }

    /** The ReplicaSets that an owner controls, in the order of their revisions. */
    public List<V1ReplicaSet> replicaSetsOf(V1Deployment owner) {
        return list(replicaSets(), Map.of()).stream()
                .filter(set -> OwnerReferences.isControlledBy(set, owner.getMetadata()))
                .sorted(Comparator.comparingLong(Workloads::revision)).toList();
    }

    public List<V1ReplicaSet> replicaSetsOf(String deployment) {
        return replicaSetsOf(deployment(deployment));
    }

    public V1ReplicaSet newest(String deployment) {
        return replicaSetsOf(deployment).getLast();
    }

    public List<V1Pod> podsOf(KubernetesObject set) {
        return list(pods(), Map.of()).stream().filter(pod -> {
            V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
            return owner != null && owner.getUid().equals(set.getMetadata().getUid());
        }).toList();
    }

    public List<V1Pod> podsLabelled(String app) {
        return list(pods(), Map.of("app", app));
    }

    public static long revision(KubernetesObject object) {
        Map<String, String> annotations = object.getMetadata().getAnnotations();
        String text = annotations == null ? null : annotations.get(REVISION);
        return text == null ? 0 : Long.parseLong(text);
    }

    /** A merge patch, written with single quotes. */
    public V1Deployment patch(String name, String body) {
        return deployments().patch(key(name), "", PatchType.MERGE, body.replace('\'', '"'));
    }

    public V1Deployment scale(String name, int replicas) {
        return patch(name, "{'spec': {'replicas': " + replicas + "}}");
    }

    public V1Deployment setImage(String name, String image) {
        return patch(name, "{'spec': {'template': {'spec': {'containers': [{'name': 'main', 'image': '" + image
                + "'}]}}}}");
    }

    /** Reads an object and replaces it by an action, again if a controller wrote in between, as clients do. */
    public <T extends KubernetesObject> void update(String name, ResourceClient<T> client, Consumer<T> action) {
        eventually(name + " is updated", () -> {
            action.accept(client.get(key(name)));
            return true;
        });
    }

    public void delete(String name, String propagation) {
        deployments().delete(key(name), Deletion.unconditional().withPropagation(propagation));
    }

    public boolean isGone(ResourceClient<?> of, String name) {
        try {
            of.get(key(name));
            return false;
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                return true;
            }
            throw e;
        }
    }

    /** As {@code kubectl rollout status} sees it, and no old pod left. */
    public static boolean isComplete(V1Deployment deployment) {
        V1DeploymentStatus status = deployment.getStatus();
        int wanted = deployment.getSpec().getReplicas();
        return status != null
                && Objects.equals(status.getObservedGeneration(), deployment.getMetadata().getGeneration())
                && orZero(status.getUpdatedReplicas()) == wanted && orZero(status.getReplicas()) == wanted
                && orZero(status.getAvailableReplicas()) == wanted;
    }

    public V1Deployment awaitComplete(String name) {
        eventually(name + " is complete", () -> isComplete(deployment(name)));
        return deployment(name);
    }

    /** {@code Progressing=True/NewReplicaSetAvailable}, or empty. */
    public static String condition(V1Deployment deployment, String type) {
        if (deployment.getStatus() != null && deployment.getStatus().getConditions() != null) {
            for (V1DeploymentCondition condition : deployment.getStatus().getConditions()) {
                if (condition.getType().equals(type)) {
                    return condition.getStatus() + "/" + condition.getReason();
                }
            }
        }
        return "";
    }

    /** replicas/updated/ready/available/unavailable */
    public static String counts(V1Deployment deployment) {
        V1DeploymentStatus s = deployment.getStatus();
        return s == null
                ? ""
                : orZero(s.getReplicas()) + "/" + orZero(s.getUpdatedReplicas()) + "/" + orZero(s.getReadyReplicas())
                        + "/" + orZero(s.getAvailableReplicas()) + "/" + orZero(s.getUnavailableReplicas());
    }

    public static int orZero(Integer number) {
        return number == null ? 0 : number;
    }

    public static long orZero(Long number) {
        return number == null ? 0 : number;
    }
}
