package dev.wheelhouse.apiserver.store;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** All objects of one resource at one version, in the order of their keys ({@code namespace/name}). Immutable. */
public final class Snapshot {
    private final SortedTree<StoredObject> tree;
    private final long version;

    Snapshot(SortedTree<StoredObject> tree, long version) {
        this.tree = tree;
        this.version = version;
    }

    /** The version of the whole store whose state this is. */
    public long version() {
        return version;
    }

    SortedTree<StoredObject> tree() {
        return tree;
    }

    /** All selected objects. */
    public List<StoredObject> select(Selection selection) {
        return page(selection, "", 0).items();
    }

    /** All selected objects, found lazily. */
    Stream<StoredObject> stream(Selection selection) {
        Iterable<StoredObject> range = tree.range(prefix(selection), end(selection));
        return StreamSupport.stream(range.spliterator(), false).filter(selection::matches);
    }

    private static String prefix(Selection selection) {
        return selection.namespace().isEmpty() ? "" : selection.namespace() + "/";
    }

    /** The first key after those of the namespace: 0 is the character that follows the slash. */
    private static String end(Selection selection) {
        return selection.namespace().isEmpty() ? SortedTree.END : selection.namespace() + "0";
    }

    /**
     * One page of the selected objects.
     *
     * @param start {@link Page#next} of the page before; empty for the first page
     * @param limit the most objects; 0 for no limit
     */
    public Page page(Selection selection, String start, int limit) {
        String prefix = prefix(selection);
        String end = end(selection);
        List<StoredObject> items = new ArrayList<>();
        StoredObject last = null;
        for (StoredObject object : tree.range(prefix + start, end)) {
            if (!selection.matches(object)) {
                continue;
            }
            if (limit > 0 && items.size() == limit && last != null) {
                String next = last.key() + "\0";
                return new Page(items, next.substring(prefix.length()),
                        selection.isFiltered() ? -1 : tree.rank(end) - tree.rank(next));
            }
            items.add(object);
            last = object;
        }
        return new Page(items, "", 0);
    }

    /**
     * @param next where the next page starts; empty if there is none
     * @param remaining how many objects follow this page; -1 if the selection filters by labels or fields
     */
    public record Page(List<StoredObject> items, String next, int remaining) {}
}
