package dev.wheelhouse.controller;

import java.util.function.Consumer;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ResourceClient;

/** Lists whole collections by consistent reads of one page after the other. */
public final class Pages {
    private static final int SIZE = 500;

    private Pages() {}

    /**
     * @param namespace empty for all namespaces
     * @param reader gets each page
     * @return the version of the collection
     */
    public static <T extends KubernetesObject> String read(ResourceClient<T> client, String namespace,
            LabelSelector labels, Consumer<ListPage<T>> reader) {
        ListOptions options = ListOptions.consistent(SIZE);
        while (true) {
            ListPage<T> page = client.list(namespace, labels, FieldSelector.everything(), options);
            reader.accept(page);
            if (page.continueToken() == null) {
                return page.resourceVersion();
            }
            options = options.next(page.continueToken());
        }
    }
}
