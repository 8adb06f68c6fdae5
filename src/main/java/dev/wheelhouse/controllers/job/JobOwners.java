package dev.wheelhouse.controllers.job;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1LabelSelector;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.informer.SharedIndexInformer;

/** The cached Jobs, as owners of pods. */
record JobOwners(SharedIndexInformer<V1Job> cache) implements PodOwners<V1Job> {
    @Override
    public ResourceType type() {
        return ResourceType.JOBS;
    }

    @Override
    public @Nullable V1Job get(ObjectKey key) {
        return cache.get(key);
    }

    @Override
    public List<V1Job> list(String namespace) {
        return cache.getIndexer().list(namespace);
    }

    @Override
    public @Nullable V1LabelSelector selector(V1Job job) {
        return job.getSpec().getSelector();
    }
}
