package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;

/**
 * Lists a collection page by page, and knows which version to ask for: at first whatever the server has cached, or a
 * consistent read where a fresh start was asked for; then not older than what was seen; and a consistent read after the
 * server no longer has that, or does not have it yet (upstream: {@code relistResourceVersion} in client-go
 * {@code tools/cache/reflector.go} and {@code tools/pager}). Belongs to one Reflector's loop.
 */
final class Lister<T extends KubernetesObject> {
    private final ListerWatcher<T> source;
    private final ExpectedType<T> expected;
    private final int pageSize;
    private final boolean freshStart;

    private boolean versionUnavailable;
    private @Nullable ListOptions next;
    private boolean firstPage;
    private boolean wholeAtOnce;
    private List<T> items = new ArrayList<>();
    private List<DecodeFailure> skipped = new ArrayList<>();
    private String version = "";
    private long pageBytes;
    private long began;

    Lister(ListerWatcher<T> source, ExpectedType<T> expected, int pageSize, boolean freshStart) {
        this.source = source;
        this.expected = expected;
        this.pageSize = pageSize;
        this.freshStart = freshStart;
    }

    boolean inProgress() {
        return next != null;
    }

    void begin(String lastVersion, long now) {
        began = now;
        wholeAtOnce = false;
        start(firstOptions(lastVersion));
    }

    private ListOptions firstOptions(String lastVersion) {
        if (versionUnavailable) {
            return ListOptions.consistent(pageSize);
        }
        if (!lastVersion.isEmpty()) {
            return ListOptions.notOlderThan(lastVersion);
        }
        return freshStart ? ListOptions.consistent(pageSize) : ListOptions.cached();
    }

    private void start(ListOptions first) {
        next = first;
        firstPage = true;
        items = new ArrayList<>();
        skipped = new ArrayList<>();
    }

    /** Reads a page. @return whether it was the last */
    boolean nextPage() throws InterruptedException {
        ListOptions asked = next;
        if (asked == null) {
            throw new IllegalStateException("no list of " + source.type() + " has begun");
        }
        pageBytes = 0;
        ListPage<T> page = source.list(asked);
        pageBytes = page.bytes();
        requireNotOlder(asked, page.resourceVersion());
        firstPage = false;
        for (T object : page.items()) {
            if (expected.isMetBy(object)) {
                items.add(object);
            } else {
                skipped.add(expected.failure(object));
            }
        }
        skipped.addAll(page.skipped());
        if (page.continueToken() != null) {
            next = asked.next(page.continueToken());
            return false;
        }
        version = page.resourceVersion();
        succeeded();
        return true;
    }

    /**
     * Not older than the last version was asked for: a server that answers with an older list, or with one of no version, after
     * there were versions, is sick, and what is missing from its list is not deleted. One that was set back says so itself.
     */
    private void requireNotOlder(ListOptions asked, String answered) {
        String wanted = asked.resourceVersion();
        if (!"NotOlderThan".equals(asked.resourceVersionMatch()) || wanted == null) {
            return;
        }
        boolean older = ResourceVersions.isComparable(wanted) && ResourceVersions.isComparable(answered)
                && ResourceVersions.compare(answered, wanted) < 0;
        if (older || answered.isEmpty()) {
            throw new ApiError("list " + source.type(), 500, "", "the list is of version \"" + answered
                    + "\", although version " + wanted + " or a later one was asked for", null);
        }
    }

    /**
     * Changes to a list that can succeed, after one that cannot.
     *
     * @return whether it did, so that the next page may be asked for at once
     */
    boolean fallsBackAfter(ApiError e) {
        if (!e.isExpired() && !e.isTooLargeResourceVersion()) {
            return false;
        }
        if (!firstPage && !wholeAtOnce) {
            // The continue token is too old: the collection is read in one piece.
            wholeAtOnce = true;
            start(ListOptions.consistent(0));
            return true;
        }
        if (versionUnavailable) {
            end();
            return false;
        }
        versionUnavailable = true;
        start(ListOptions.consistent(pageSize));
        return true;
    }

    /** The last version is of no use to the server. @return whether that is news */
    boolean versionUnavailable() {
        boolean news = !versionUnavailable;
        versionUnavailable = true;
        return news;
    }

    /** The collection was read, by whatever way. */
    void succeeded() {
        versionUnavailable = false;
    }

    /** From which version on the initial state may be streamed; empty for a consistent one. */
    String watchVersion(String lastVersion) {
        if (versionUnavailable || lastVersion.isEmpty() && freshStart) {
            return "";
        }
        return lastVersion.isEmpty() ? "0" : lastVersion;
    }

    void probe(String lastVersion) throws InterruptedException {
        source.list(new ListOptions(lastVersion, "NotOlderThan", 1, null));
    }

    void restart() {
        end();
    }

    /** Forgets the list that is under way, or done. */
    void end() {
        next = null;
        items = new ArrayList<>();
        skipped = new ArrayList<>();
    }

    List<T> items() {
        return items;
    }

    List<DecodeFailure> skipped() {
        return skipped;
    }

    /** Bytes of the page that came last, where the source counts them. */
    long pageBytes() {
        return pageBytes;
    }

    /** The version that the whole list stands for. */
    String version() {
        return version;
    }

    long began() {
        return began;
    }

    /** The keys of those failures whose key is known. */
    static Set<ObjectKey> keys(List<DecodeFailure> failures) {
        Set<ObjectKey> keys = new HashSet<>();
        for (DecodeFailure failure : failures) {
            if (failure.key() != null) {
                keys.add(failure.key());
            }
        }
        return keys;
    }
}
