package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;

/** Definitions of custom resources, which end after their objects (upstream: {@code apiextensions-apiserver/pkg/registry/customresourcedefinition}). */
final class CustomResourceDefinitionStrategy extends Strategy {
    CustomResourceDefinitionStrategy() {
        super("apiextensions.k8s.io", "CustomResourceDefinition");
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        state.customResources().accept(object);
    }

    @Override
    protected void update(ObjectNode object, ObjectNode old, ClusterState state) {
        state.customResources().accept(object);
    }

    @Override
    protected void updateStatus(ObjectNode object, ObjectNode old, ClusterState state) {
        state.customResources().decide(object);
    }

    @Override
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        state.customResources().serve(object);
    }

    @Override
    public boolean terminates(ObjectNode definition) {
        return !Meta.isDeleting(definition);
    }

    @Override
    public void markTerminating(ObjectNode definition, ClusterState state) {
        state.customResources().beginDeletion(definition);
    }

    @Override
    public @Nullable ResourceInfo contents(ObjectNode definition, ClusterState state) {
        return state.customResources().served(definition);
    }

    @Override
    public void emptied(ObjectNode definition, ClusterState state) {
        state.customResources().finishDeletion(Meta.name(definition));
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        state.customResources().withdraw(object);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        String name = Json.text(object, "spec", "names", "plural") + "." + Json.text(object, "spec", "group");
        if (Strategies.isBuiltIn(name) && !Meta.isDeleting(object)) {
            problems.forbidden("metadata.name", name + " is a resource of the server itself, which no definition can"
                    + " replace: choose another name or another group");
        }
        CustomResources.validate(object, problems);
    }
}
