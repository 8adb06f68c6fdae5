package dev.wheelhouse.apiserver.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;

import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map with strings as keys. A change creates a new tree that shares all nodes but one path with the
 * old one, so every kept version is a snapshot at no cost. A treap whose priorities are hashes of the keys.
 */
final class SortedTree<V> {
    private static final SortedTree<?> EMPTY = new SortedTree<>(null);

    private final @Nullable Node<V> root;

    private record Node<V>(String key, V value, int priority, int count, @Nullable Node<V> left,
            @Nullable Node<V> right) {
        static <V> Node<V> of(Node<V> from, @Nullable Node<V> left, @Nullable Node<V> right) {
            return new Node<>(from.key, from.value, from.priority, 1 + SortedTree.size(left) + SortedTree.size(right),
                    left, right);
        }
    }

    private SortedTree(@Nullable Node<V> root) {
        this.root = root;
    }

    @SuppressWarnings("unchecked")
    static <V> SortedTree<V> empty() {
        return (SortedTree<V>) EMPTY;
    }

    int size() {
        return size(root);
    }

    private static int size(@Nullable Node<?> node) {
        return node == null ? 0 : node.count;
    }

    @Nullable
    V get(String key) {
        Node<V> node = root;
        while (node != null) {
            int order = key.compareTo(node.key);
            if (order == 0) {
                return node.value;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    SortedTree<V> with(String key, V value) {
        return new SortedTree<>(put(root, key, value));
    }

    SortedTree<V> without(String key) {
        return get(key) == null ? this : new SortedTree<>(remove(root, key));
    }

    private static <V> Node<V> put(@Nullable Node<V> node, String key, V value) {
        if (node == null) {
            return new Node<>(key, value, priority(key), 1, null, null);
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return new Node<>(node.key, value, node.priority, node.count, node.left, node.right);
        }
        if (order < 0) {
            Node<V> left = put(node.left, key, value);
            return left.priority > node.priority
                    ? Node.of(left, left.left, Node.of(node, left.right, node.right))
                    : Node.of(node, left, node.right);
        }
        Node<V> right = put(node.right, key, value);
        return right.priority > node.priority
                ? Node.of(right, Node.of(node, node.left, right.left), right.right)
                : Node.of(node, node.left, right);
    }

    private static <V> @Nullable Node<V> remove(@Nullable Node<V> node, String key) {
        if (node == null) {
            return null;
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return join(node.left, node.right);
        }
        return order < 0
                ? Node.of(node, remove(node.left, key), node.right)
                : Node.of(node, node.left, remove(node.right, key));
    }

    private static <V> @Nullable Node<V> join(@Nullable Node<V> left, @Nullable Node<V> right) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        return left.priority > right.priority
                ? Node.of(left, left.left, join(left.right, right))
                : Node.of(right, join(left, right.left), right.right);
    }

    private static int priority(String key) {
        int h = key.hashCode() * 0x9E3779B1;
        h ^= h >>> 15;
        h *= 0x85EBCA77;
        return h ^ h >>> 13;
    }

    /** How many keys are less than {@code key}. */
    int rank(String key) {
        int rank = 0;
        Node<V> node = root;
        while (node != null) {
            if (key.compareTo(node.key) <= 0) {
                node = node.left;
            } else {
                rank += 1 + size(node.left);
                node = node.right;
            }
        }
        return rank;
    }

    /** The values whose keys are at least {@code from} and less than {@code to}, in key order. */
    Iterable<V> range(String from, String to) {
        return () -> new Range<>(root, from, to);
    }

    /** An upper bound of a range that is greater than every key. */
    static final String END = "\uffff";

    private static final class Range<V> implements Iterator<V> {
        private final Deque<Node<V>> path = new ArrayDeque<>();
        private final String to;

        Range(@Nullable Node<V> root, String from, String to) {
            this.to = to;
            Node<V> node = root;
            while (node != null) {
                if (node.key.compareTo(from) >= 0) {
                    path.push(node);
                    node = node.left;
                } else {
                    node = node.right;
                }
            }
        }

        @Override
        public boolean hasNext() {
            Node<V> next = path.peek();
            return next != null && next.key.compareTo(to) < 0;
        }

        @Override
        public V next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Node<V> here = path.pop();
            Node<V> node = here.right;
            while (node != null) {
                path.push(node);
                node = node.left;
            }
            return here.value;
        }
    }
}
