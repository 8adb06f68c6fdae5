package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.admission.Versions;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.KindVersions;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The versions of the kind of a request: those of a definition, served or not, or those that are served of a built-in
 * kind (upstream: {@code managedfields/internal/versionconverter.go}). As upstream, Events of the two groups do not
 * know each other's managers.
 */
record TargetVersions(ResourceInfo info, CustomResources resources) implements KindVersions {
    @Override
    public @Nullable CustomType type(String apiVersion) {
        ResourceInfo version = info instanceof CustomResourceInfo ? find(apiVersion) : null;
        return version == null ? null : CustomResourceInfo.typeOf(version);
    }

    @Override
    public @Nullable ObjectNode converted(ObjectNode object, String apiVersion) {
        ResourceInfo from = find(Json.text(object, "apiVersion"));
        ResourceInfo to = find(apiVersion);
        if (from != null && to != null) {
            try {
                return Versions.converted(from, to, object.deepCopy());
            } catch (StatusException e) {
                throw new PatchException(500, String.valueOf(e.getMessage()));
            }
        }
        if (apiVersion.indexOf('/') != apiVersion.lastIndexOf('/')) {
            throw new PatchException(500, "unexpected GroupVersion string: " + apiVersion);
        }
        if (info instanceof CustomResourceInfo) {
            throw new PatchException(500, "request to convert CR to an invalid group/version: " + apiVersion);
        }
        return null;
    }

    private @Nullable ResourceInfo find(String apiVersion) {
        if (apiVersion.equals(info.type().apiVersion())) {
            return info;
        }
        if (info instanceof CustomResourceInfo custom) {
            return resources.version(custom.type(), apiVersion);
        }
        ResourceInfo other = resources.registry().findKind(apiVersion, info.type().kind());
        return other != null && other.type().groupResource().equals(info.type().groupResource()) ? other : null;
    }
}
