package dev.wheelhouse.client.decode;

import java.util.AbstractList;
import java.util.RandomAccess;

/** An immutable list of a cached object, in one array. */
final class FrozenList extends AbstractList<Object> implements RandomAccess {
    static final FrozenList EMPTY = new FrozenList(new Object[0]);

    private final Object[] elements;

    FrozenList(Object[] elements) {
        this.elements = elements;
    }

    @Override
    public Object get(int index) {
        return elements[index];
    }

    @Override
    public int size() {
        return elements.length;
    }
}
