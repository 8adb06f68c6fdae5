package dev.wheelhouse.client;

import java.util.List;
import java.util.Map;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

/** A connection to one API server. Thread safe. */
public interface KubeClient extends AutoCloseable {
    /**
     * Reads and writes the objects of a type.
     *
     * @param model the official client's class of the objects, such as {@code V1Pod.class}, or
     *     {@code Unstructured.class}
     */
    <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model);

    /** Reads only the metadata of a type's objects. The only writes it supports are patches and deletes. */
    default ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return metadata(type, PartialObjectMetadata.class);
    }

    /** The same with objects of a class, which have nothing but their metadata. */
    <T extends KubernetesObject> ResourceClient<T> metadata(ResourceType type, Class<T> model);

    /**
     * A view of this connection for callers that do not change the objects that they get. Such objects may share equal
     * parts with each other and with cached objects, which makes reading several times faster.
     */
    default KubeClient sharing() {
        return this;
    }

    /**
     * A view of this connection for callers that repeat their calls themselves: the error of a busy server (429 or 503
     * with Retry-After) is thrown at once. Other callers get it only after the client has repeated the call.
     */
    default KubeClient withoutRetries() {
        return this;
    }

    /**
     * A view of this connection as the user {@code system:node:NAME} of the group {@code system:nodes}, with the rights
     * of that node, on an API server in this process. Other API servers know users by their credentials alone.
     *
     * @param name the name of the node
     */
    default KubeClient asNode(String name) {
        return this;
    }

    /**
     * Asks the server's discovery for every resource type that can be listed, watched and deleted. Groups whose
     * discovery fails are left out, and named in {@link Discovered#failures()}.
     *
     * @throws dev.wheelhouse.api.KubeApiException if the list of groups cannot be read
     */
    Discovered discover();

    /**
     * The resource types of a server.
     *
     * @param types every resource type, in its preferred version
     * @param otherVersions the same types in the other versions that are served
     * @param failures the groups whose discovery failed, each with the reason
     */
    record Discovered(List<ResourceType> types, List<ResourceType> otherVersions, List<String> failures) {
        /** Whether the discovery of a type's group failed, so that it is unknown whether the type is served. */
        public boolean failedFor(ResourceType type) {
            // The text of a failure starts with the group or the group's version.
            String name = type.group().isEmpty() ? type.version() : type.group();
            return failures.stream().anyMatch(failure -> failure.startsWith(name) && (failure.length() == name.length()
                    || !Character.isLetterOrDigit(failure.charAt(name.length()))
                            && failure.charAt(name.length()) != '.'));
        }
    }

    /**
     * Reads any path, such as {@code /apis/metrics.k8s.io/v1beta1/nodes}.
     *
     * @param path the decoded path; no segment contains a slash
     * @throws dev.wheelhouse.api.KubeApiException if the read fails, or the answer is not JSON
     */
    JsonNode read(String path, Map<String, String> query);

    /** A document, such as one of the discovery; an empty one if the server has none at that path. */
    default JsonNode find(String path) {
        try {
            return read(path, Map.of());
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                return MissingNode.getInstance();
            }
            throw e;
        }
    }

    /** The server's address, for messages. */
    String server();

    /**
     * Asks the server for its version, such as {@code v1.36.0}.
     *
     * @throws dev.wheelhouse.api.KubeApiException if the server does not answer
     */
    String serverVersion();

    @Override
    void close();
}
