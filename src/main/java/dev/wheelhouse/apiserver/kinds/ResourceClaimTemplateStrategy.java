package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

/** Templates of claims for devices (upstream: {@code pkg/registry/resource/resourceclaimtemplate}). */
final class ResourceClaimTemplateStrategy extends Strategy {
    ResourceClaimTemplateStrategy() {
        super("resource.k8s.io", "ResourceClaimTemplate", TableColumn.objectName(), TableColumn.age());
    }

    @Override
    protected void validate(ObjectNode template, Problems problems) {
        DeviceRequestRules.check(template, template.at("/spec/spec"), "spec.spec", problems);
    }

    @Override
    protected void validateUpdate(ObjectNode template, ObjectNode old, Problems problems) {
        problems.immutable("spec", template.get("spec"), old.get("spec"));
    }
}
