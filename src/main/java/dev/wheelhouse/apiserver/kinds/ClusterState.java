package dev.wheelhouse.apiserver.kinds;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
import dev.wheelhouse.runtime.Resources;

/**
 * The state that the strategies of one server share: its store, and state that is derived from it. Thread safe.
 *
 * @param ids makes UIDs and generated names
 * @param addresses the cluster IPs and node ports that Services have
 * @param customResources the resources of custom resource definitions
 */
public record ClusterState(ObjectStore store, Ids ids, Clock clock, ServiceAddresses addresses,
        CustomResources customResources) {
    private static final Map<String, String> TEMPLATES = new ConcurrentHashMap<>();

    /**
     * A new object of a kind that the server itself makes, of the kind's template beside this class.
     *
     * @param words each word in angle brackets, with the value that it stands for behind it
     */
    public ObjectNode made(String kind, Object... words) {
        String text = TEMPLATES.computeIfAbsent(kind, each -> Resources.text(ClusterState.class, each + ".json"))
                .replace("<UID>", ids.uid()).replace("<NOW>", Meta.time(clock.now()));
        for (int i = 0; i < words.length; i += 2) {
            text = text.replace(String.valueOf(words[i]), String.valueOf(words[i + 1]));
        }
        return (ObjectNode) Json.read(text);
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
