package dev.wheelhouse.quota;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceClass;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;

/** The objects besides a ResourceClaim that decide which amounts it takes. */
public interface Devices {
    /** The classes of devices, which may give their devices the name of an extended resource. */
    Collection<V1DeviceClass> classes();

    /** The pod of this name; null if there is none. */
    @Nullable
    V1Pod pod(ObjectKey key);

    /** The claims of a namespace. */
    List<ResourceV1ResourceClaim> claims(String namespace);
}
