package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.validation.Problems;

/** Horizontal pod autoscalers, which are stored as autoscaling/v2 (upstream: {@code pkg/registry/autoscaling/horizontalpodautoscaler}). */
final class HorizontalPodAutoscalerStrategy extends Strategy {
    HorizontalPodAutoscalerStrategy() {
        super("autoscaling", "HorizontalPodAutoscaler");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        AutoscalingDefaults.addTo(rules);
    }

    @Override
    public boolean isConverted(ResourceType type) {
        return AutoscalerVersions.differ(type);
    }

    @Override
    public void toStored(ResourceType type, ObjectNode object) {
        if (AutoscalerVersions.differ(type)) {
            AutoscalerVersions.toStored(object);
        }
    }

    @Override
    public void toVersion(ResourceType type, ObjectNode object) {
        if (AutoscalerVersions.differ(type)) {
            AutoscalerVersions.toRequested(object);
        }
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        LimitsValidation.autoscaler(object, problems);
    }
}
