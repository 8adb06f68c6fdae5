package dev.wheelhouse.client.decode;

import java.util.AbstractList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ManagedFieldsEntry;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/**
 * The fingerprints of the parts of one decoded object; 0 for a part that has none. They must be collected with the
 * object and must not pass to its copies, so the object itself carries them. The only field of a model that can is
 * {@code metadata.managedFields}, which decoders for caches leave out; therefore this is an empty list of its type.
 */
final class PartFingerprints extends AbstractList<V1ManagedFieldsEntry> {
    static final PartFingerprints NONE = new PartFingerprints(0, 0);

    private final long first;
    private final long second;

    private PartFingerprints(long first, long second) {
        this.first = first;
        this.second = second;
    }

    /** The fingerprints that an object carries; null if it carries none, for example because it is a copy. */
    static @Nullable PartFingerprints of(KubernetesObject object) {
        List<V1ManagedFieldsEntry> carried = object.getMetadata().getManagedFields();
        return carried instanceof PartFingerprints fingerprints ? fingerprints : null;
    }

    /** These fingerprints if they are equal, else new ones: most versions of an object have parts of the one before. */
    PartFingerprints with(long one, long other) {
        return one == first && other == second ? this : new PartFingerprints(one, other);
    }

    void attachTo(V1ObjectMeta metadata) {
        metadata.setManagedFields(this);
    }

    long ofPart(int part) {
        return part == 0 ? first : second;
    }

    @Override
    public V1ManagedFieldsEntry get(int index) {
        throw new IndexOutOfBoundsException(index);
    }

    @Override
    public int size() {
        return 0;
    }
}
