package dev.wheelhouse.client;

import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

/** A connection to one API server. Thread safe. */
public interface KubeClient extends AutoCloseable {
    /** @param model the official client's class of the type's objects, such as {@code V1Pod.class} */
    <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model);

    /** Reads the metadata alone; writes are patches and deletes. */
    ResourceClient<PartialObjectMetadata> metadata(ResourceType type);

    /**
     * The preferred version of every resource type that can be listed, watched and deleted, as discovery tells. Groups whose
     * discovery fails are left out and named in {@link Discovered#failures()}.
     */
    Discovered discover();

    /**
     * What discovery found.
     *
     * @param types every resource type, in its preferred version
     * @param otherVersions the same types in the other versions that are served
     * @param failures the groups whose discovery failed, each with the reason
     */
    record Discovered(List<ResourceType> types, List<ResourceType> otherVersions, List<String> failures) {
        /** Of a server that serves one version of each type. */
        public Discovered(List<ResourceType> types, List<String> failures) {
            this(types, List.of(), failures);
        }
    }

    /** Where the server is, for messages. */
    String server();

    /** The server's version, as {@code /version} tells: {@code v1.36.0}. */
    String serverVersion();

    @Override
    void close();
}
