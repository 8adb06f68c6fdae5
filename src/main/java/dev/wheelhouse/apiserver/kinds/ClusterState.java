package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.store.Ids;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;

/**
 * The state that the strategies of one server share: its store, and state that is derived from it. Thread safe.
 *
 * @param ids makes UIDs and generated names
 * @param addresses the cluster IPs and node ports that Services have
 * @param customResources the resources of custom resource definitions
 */
public record ClusterState(ObjectStore store, Ids ids, Clock clock, ServiceAddresses addresses,
        CustomResources customResources) {
    /**
     * A new object that the server itself creates, with a UID and the time of creation.
     *
     * @param namespace empty for a cluster-scoped object
     */
    public ObjectNode object(String apiVersion, String kind, String namespace, String name) {
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", apiVersion);
        ObjectNode meta = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            meta.put("namespace", namespace);
        }
        meta.put("uid", ids.uid()).put("creationTimestamp", Meta.time(clock.now()));
        return object;
    }

    /** Stores an object that the server itself creates, unless there is one of that name. */
    public void create(String resource, ObjectNode object) {
        try {
            store.create(resource, object);
        } catch (StoreException.Exists e) {
            // Another writer has created it.
        }
    }

    /** Makes the objects that follow from those that are stored: APIServices, and IPAddresses of Services. */
    public void publishAll() {
        APIServiceStrategy.publish(this);
        store.snapshot("services").select(Selection.all())
                .forEach(service -> ServiceAddresses.publish(null, service.tree(), this));
    }

    /** Deletes a cluster-scoped object that the server itself created, if it is still there. */
    void delete(String resource, String name) {
        store.<@Nullable StoredObject>retryOnConflict(resource, "", name,
                current -> current == null ? null : store.delete(resource, "", name, current.version()));
    }
}
