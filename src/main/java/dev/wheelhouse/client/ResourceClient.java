package dev.wheelhouse.client;

import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;

/** An {@link ObjectClient} that also reads pages and field managers, and opens watches. */
public interface ResourceClient<T extends KubernetesObject> extends ObjectClient<T> {
    /**
     * Reads one page of a list. The caller asks for the next page by the continue token.
     *
     * @param namespace empty for all
     */
    ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options);

    @Override
    default List<T> list(String namespace, LabelSelector labels) {
        return list(namespace, labels, FieldSelector.everything(), ListOptions.consistent(0)).items();
    }

    /**
     * The field managers that applied the object server-side, and their fields, read from the server. The other reads
     * leave out {@code metadata.managedFields}.
     */
    Appliers appliers(ObjectKey key);

    /**
     * A port for a Reflector. The objects that it reads must not be changed, because they may share parts.
     *
     * @param namespace empty for all
     */
    ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields);

    /** A port for a Reflector of all objects of the type. */
    default ListerWatcher<T> listerWatcher() {
        return listerWatcher("", LabelSelector.everything(), FieldSelector.everything());
    }
}
