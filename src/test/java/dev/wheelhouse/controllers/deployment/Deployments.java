package dev.wheelhouse.controllers.deployment;

import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1DeploymentStrategy;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;
import io.kubernetes.client.openapi.models.V1RollingUpdateDeployment;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;

/** A builder of Deployments and their ReplicaSets for tests. */
final class Deployments {
    private final V1Deployment deployment;

    private Deployments(String name) {
        deployment = new V1Deployment().apiVersion("apps/v1").kind("Deployment")
                .metadata(new V1ObjectMeta().name(name).namespace("default").uid("uid-of-" + name).generation(1L)
                        .resourceVersion("1"))
                .spec(new V1DeploymentSpec().replicas(1).progressDeadlineSeconds(600).revisionHistoryLimit(10)
                        .selector(new V1LabelSelector().putMatchLabelsItem("app", name))
                        .template(template(name, "app:v1"))
                        .strategy(rolling(new IntOrString("25%"), new IntOrString("25%"))))
                .status(new V1DeploymentStatus());
    }

    static Deployments named(String name) {
        return new Deployments(name);
    }

    static V1PodTemplateSpec template(String app, String image) {
        return new V1PodTemplateSpec().metadata(new V1ObjectMeta().putLabelsItem("app", app))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("app").image(image)));
    }

    private static V1DeploymentStrategy rolling(IntOrString surge, IntOrString unavailable) {
        return new V1DeploymentStrategy().type("RollingUpdate")
                .rollingUpdate(new V1RollingUpdateDeployment().maxSurge(surge).maxUnavailable(unavailable));
    }

    Deployments replicas(int replicas) {
        deployment.getSpec().setReplicas(replicas);
        return this;
    }

    Deployments image(String image) {
        deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage(image);
        return this;
    }

    Deployments rolling(int surge, int unavailable) {
        deployment.getSpec().setStrategy(rolling(new IntOrString(surge), new IntOrString(unavailable)));
        return this;
    }

    Deployments rolling(String surge, String unavailable) {
        deployment.getSpec().setStrategy(rolling(new IntOrString(surge), new IntOrString(unavailable)));
        return this;
    }

    Deployments recreate() {
        deployment.getSpec().setStrategy(new V1DeploymentStrategy().type("Recreate"));
        return this;
    }

    Deployments paused() {
        deployment.getSpec().setPaused(true);
        return this;
    }

    Deployments deadline(@Nullable Integer seconds) {
        deployment.getSpec().setProgressDeadlineSeconds(seconds);
        return this;
    }

    Deployments annotation(String key, String value) {
        deployment.getMetadata().putAnnotationsItem(key, value);
        return this;
    }

    /** Sets the numbers of replicas, of updated, ready and available ones, for the current generation. */
    Deployments status(int replicas, int updated, int ready, int available) {
        deployment.getStatus().replicas(replicas).updatedReplicas(updated).readyReplicas(ready)
                .availableReplicas(available).observedGeneration(1L);
        return this;
    }

    Deployments progressing(String status, String reason, OffsetDateTime since) {
        deployment.getStatus().addConditionsItem(new V1DeploymentCondition().type("Progressing").status(status)
                .reason(reason).lastUpdateTime(since).lastTransitionTime(since));
        return this;
    }

    V1Deployment build() {
        return deployment;
    }

    /** A ReplicaSet of a Deployment, with all its pods. A higher index means a newer one. */
    static V1ReplicaSet replicaSet(V1Deployment owner, int index, String image, int replicas, int available) {
        String name = owner.getMetadata().getName();
        String hash = "hash" + index;
        V1PodTemplateSpec template = template(name, image);
        template.getMetadata().putLabelsItem(PodTemplates.HASH_LABEL, hash);
        int desired = owner.getSpec().getReplicas();
        Map<String, String> annotations = new HashMap<>(Map.of(Annotations.REVISION, Integer.toString(index),
                Annotations.DESIRED_REPLICAS, Integer.toString(desired), Annotations.MAX_REPLICAS,
                Integer.toString(desired + Fenceposts.of(owner).maxSurge())));
        return new V1ReplicaSet().apiVersion("apps/v1").kind("ReplicaSet")
                .metadata(new V1ObjectMeta().name(name + "-" + hash).namespace("default").uid("uid-of-" + hash)
                        .generation(1L).resourceVersion("1").annotations(annotations)
                        .creationTimestamp(OffsetDateTime.parse("2026-01-01T00:00:00Z").plusMinutes(index))
                        .labels(new HashMap<>(template.getMetadata().getLabels()))
                        .ownerReferences(List.of(OwnerReferences.controllerReference(ResourceType.DEPLOYMENTS,
                                owner.getMetadata()))))
                .spec(new V1ReplicaSetSpec().replicas(replicas)
                        .selector(new V1LabelSelector().matchLabels(template.getMetadata().getLabels()))
                        .template(template))
                .status(new V1ReplicaSetStatus().replicas(replicas).fullyLabeledReplicas(replicas)
                        .readyReplicas(available).availableReplicas(available).terminatingReplicas(0)
                        .observedGeneration(1L));
    }
}
