package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Events, which are one resource under two groups (upstream: {@code pkg/registry/core/event}). */
final class EventStrategy extends Strategy {
    EventStrategy(String group) {
        super(group, "Event");
    }

    @Override
    public boolean allowsCreateOnUpdate() {
        return true;
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.pathSegment(name);
    }

    @Override
    protected boolean qualifiesFinalizers() {
        return false;
    }

    @Override
    public boolean isConverted(ResourceType type) {
        return EventVersions.differ(type);
    }

    @Override
    public void toStored(ResourceType type, ObjectNode object) {
        EventVersions.toStored(type, object);
    }

    @Override
    public void toVersion(ResourceType type, ObjectNode object) {
        EventVersions.toRequested(type, object);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ClusterValidation.event(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        // the metadata is all
    }
}
