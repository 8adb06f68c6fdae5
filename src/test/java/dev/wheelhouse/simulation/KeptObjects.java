package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.store.StoredObject;

/** The objects of one server at one version. Other servers start from them. */
public record KeptObjects(long version, List<Kept> objects) implements Storage {
    /** An object as its server stores it. */
    public record Kept(long version, String resource, byte[] json) {}

    /** @param resources such as {@code deployments.apps} */
    public static KeptObjects of(ObjectStore store, List<String> resources) {
        List<Kept> objects = new ArrayList<>();
        for (String resource : resources) {
            for (StoredObject object : store.snapshot(resource).select(Selection.all())) {
                objects.add(new Kept(object.version(), resource, object.json()));
            }
        }
        objects.sort(Comparator.comparingLong(Kept::version));
        return new KeptObjects(store.version(), List.copyOf(objects));
    }

    @Override
    public Recovered load(Reader reader) {
        objects.forEach(o -> reader.object(o.version(), o.resource(), o.json()));
        return new Recovered(version, version);
    }

    @Override
    public void commit(List<Write> writes) {
        // Later changes belong to one run only, so they are not kept.
    }

    @Override
    public void resume(long last) {
        // Nothing fails.
    }

    @Override
    public void check() {
        // There is room.
    }

    @Override
    public boolean isDurable() {
        return false;
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
