package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;

/**
 * Lists a collection page by page (upstream: {@code tools/pager} and {@code relistResourceVersion} in
 * {@code tools/cache/reflector.go}, client-go). It chooses the resource version to ask for: first any version in the
 * server's cache, or a consistent read for a fresh start; later not older than the last version seen; and a consistent
 * read after the server answered that it no longer has that version, or does not have it yet. Not thread safe: it
 * belongs to one Reflector's loop.
 */
final class ListPager<T extends KubernetesObject> {
    /** The most pages in a row without an object. */
    private static final int MOST_EMPTY_PAGES = 100;

    private final ListerWatcher<T> source;
    private final ExpectedType<T> expected;
    private final int pageSize;
    private final boolean freshStart;

    private boolean versionUnavailable;
    private @Nullable ListOptions next;
    private boolean firstPage;
    private boolean wholeAtOnce;
    /** Whether a list that the server's cache could answer came in pages: the server has no such cache. */
    private boolean paginated;
    private int emptyPages;
    private List<T> items = new ArrayList<>();
    private List<DecodeFailure> skipped = new ArrayList<>();
    private String version = "";
    private long pageBytes;
    private long began;

    ListPager(ListerWatcher<T> source, ExpectedType<T> expected, int pageSize, boolean freshStart) {
        this.source = source;
        this.expected = expected;
        this.pageSize = pageSize;
        this.freshStart = freshStart;
    }

    /** Whether a list has begun and has further pages. */
    boolean inProgress() {
        return next != null;
    }

    /**
     * Begins a list.
     *
     * @param lastVersion the last version seen; empty if there is none
     * @return whether the list is a consistent read
     */
    boolean begin(String lastVersion, long now) {
        began = now;
        wholeAtOnce = false;
        ListOptions first = firstOptions(lastVersion);
        start(first);
        return first.resourceVersion() == null;
    }

    private ListOptions firstOptions(String lastVersion) {
        if (versionUnavailable) {
            return ListOptions.consistent(pageSize);
        }
        if (!lastVersion.isEmpty()) {
            // Without a limit, the server answers from its cache, and etcd is spared.
            return ListOptions.notOlderThan(lastVersion, paginated ? pageSize : 0);
        }
        return freshStart ? ListOptions.consistent(pageSize) : new ListOptions("0", null, pageSize, null);
    }

    private void start(ListOptions first) {
        next = first;
        firstPage = true;
        emptyPages = 0;
        items = new ArrayList<>();
        skipped = new ArrayList<>();
    }

    /**
     * Reads the next page.
     * @return whether it was the last one
     */
    boolean nextPage() throws InterruptedException {
        ListOptions asked = next;
        if (asked == null) {
            throw new IllegalStateException("the list of " + source.type() + " has not begun");
        }
        pageBytes = 0;
        ListPage<T> page = source.list(asked);
        pageBytes = page.bytes();
        requireNotOlder(asked, page.resourceVersion());
        firstPage = false;
        for (T object : page.items()) {
            if (expected.accepts(object)) {
                items.add(object);
            } else {
                skipped.add(expected.failure(object));
            }
        }
        skipped.addAll(page.skipped());
        version = page.resourceVersion();
        String token = page.continueToken();
        if (token != null) {
            emptyPages = page.items().isEmpty() && page.skipped().isEmpty() ? emptyPages + 1 : 0;
            requireEnd(token.equals(asked.continueToken()), emptyPages);
            paginated |= "0".equals(asked.resourceVersion());
            next = asked.next(token);
            return false;
        }
        succeeded();
        return true;
    }

    /**
     * Refuses a list that is older than the version that was asked for, or that has no version. A server that answers
     * so is sick, and the objects that its list lacks are not deleted. A server that was set back answers with an
     * error.
     */
    private void requireNotOlder(ListOptions asked, String answered) {
        String wanted = asked.resourceVersion();
        if (!"NotOlderThan".equals(asked.resourceVersionMatch()) || wanted == null) {
            return;
        }
        boolean older = ResourceVersions.isComparable(wanted) && ResourceVersions.isComparable(answered)
                && ResourceVersions.compare(answered, wanted) < 0;
        if (older || answered.isEmpty()) {
            throw new KubeApiException("list " + source.type(), 500, "", "the list is of version \"" + answered
                    + "\", although version " + wanted + " or a later one was asked for", null);
        }
    }

    /**
     * Refuses a list whose pages do not end, with the error of an expired token, so that the whole collection is then
     * requested at once.
     */
    private void requireEnd(boolean repeated, int empty) {
        if (repeated || empty > MOST_EMPTY_PAGES) {
            String how = repeated
                    ? "answers a continue token by the same one"
                    : "sent " + empty + " pages in a row without an object";
            throw new KubeApiException("list " + source.type(), 410, "Expired",
                    "the list does not end: the server " + how,
                    null);
        }
    }

    /**
     * Changes to a list that can succeed, if the version or the continue token was the cause of a failure.
     *
     * @return whether it changed, so that the next page may be read at once
     */
    boolean fallsBackAfter(KubeApiException e) {
        if (!e.isRefusedVersion()) {
            return false;
        }
        if (!firstPage && !wholeAtOnce) {
            // The continue token has expired: read the whole collection in one request.
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

    /**
     * Records that the server cannot serve the last version.
     * @return whether this was not known before
     */
    boolean markVersionUnavailable() {
        boolean news = !versionUnavailable;
        versionUnavailable = true;
        return news;
    }

    /** Records that the whole collection was read, by a list or by a stream. */
    void succeeded() {
        versionUnavailable = false;
    }

    /** The version from which a watch streams the initial state; empty for a consistent read. */
    String watchVersion(String lastVersion) {
        if (versionUnavailable || (lastVersion.isEmpty() && freshStart)) {
            return "";
        }
        return lastVersion.isEmpty() ? "0" : lastVersion;
    }

    /**
     * Requests one object, not older than a version. A server whose cache has not reached that version, because nothing
     * has changed and etcd reports no progress, is asked for the version of its store.
     *
     * @return whether nothing is known to have changed since, so that a watch from that version has missed nothing
     * @throws KubeApiException if the server does not know that version
     */
    boolean probe(String lastVersion) throws InterruptedException {
        try {
            return source.list(ListOptions.notOlderThan(lastVersion, 1)).resourceVersion()
                    .equals(lastVersion);
        } catch (KubeApiException e) {
            if (e.isTooLargeResourceVersion() && ResourceVersions
                    .atLeast(source.list(ListOptions.consistent(1)).resourceVersion(), lastVersion)) {
                return true;
            }
            throw e;
        }
    }

    /** Ends the current list, complete or not, and drops its objects. */
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

    /** The size of the last page in bytes; 0 if the source does not count bytes. */
    long pageBytes() {
        return pageBytes;
    }

    /** The resource version of the last page; the pages of one list share it. */
    String version() {
        return version;
    }

    /** The time when the last list began, in nanoseconds of the clock. */
    long began() {
        return began;
    }

    /** The known keys among the keys of these failures. */
    static Set<ObjectKey> keys(List<DecodeFailure> failures) {
        return failures.stream().map(DecodeFailure::key).filter(Objects::nonNull).collect(Collectors.toSet());
    }
}
