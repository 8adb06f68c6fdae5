package dev.wheelhouse.controllers.pods;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;

/** Makes pods from a template (upstream: {@code GetPodFromTemplate} in {@code pkg/controller/controller_utils.go}). */
public final class PodFactory {
    /** The longest object name. The server may shorten a generated name to make room for its suffix. */
    private static final int LONGEST_NAME = 253;

    private PodFactory() {}

    /** A pod that {@code owner} controls. It shares the template's spec, so nobody may change it. */
    public static V1Pod fromTemplate(V1PodTemplateSpec template, ResourceType ownerType, V1ObjectMeta owner) {
        V1ObjectMeta from = template.getMetadata() == null ? new V1ObjectMeta() : template.getMetadata();
        V1ObjectMeta meta = new V1ObjectMeta().namespace(owner.getNamespace()).generateName(prefix(owner.getName()))
                .labels(copy(from.getLabels())).annotations(copy(from.getAnnotations()))
                .finalizers(copy(from.getFinalizers()))
                .ownerReferences(List.of(OwnerReferences.controllerReference(ownerType, owner)));
        return new V1Pod().apiVersion("v1").kind("Pod").metadata(meta).spec(template.getSpec());
    }

    private static String prefix(String owner) {
        return owner.length() < LONGEST_NAME ? owner + "-" : owner;
    }

    private static @Nullable Map<String, String> copy(@Nullable Map<String, String> map) {
        return map == null || map.isEmpty() ? null : new LinkedHashMap<>(map);
    }

    private static @Nullable List<String> copy(@Nullable List<String> list) {
        return list == null || list.isEmpty() ? null : new ArrayList<>(list);
    }
}
