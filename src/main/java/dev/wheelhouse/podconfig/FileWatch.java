package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports, from the file system's notifications, that something may have changed at a path. It watches the directory,
 * or the parent of the file; the parent of the directory, so that it sees the directory appear and disappear; and the
 * targets of links. If the file system has no notifications, it reports nothing. One thread uses it; any thread may
 * close it.
 */
final class FileWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FileWatch.class);

    /** As many links as Linux follows in one path. */
    private static final int MOST_LINKS = 40;
    /** Stands for all names in a directory. */
    private static final Set<Path> ALL = Set.of();

    private final Path path;
    private final @Nullable WatchService service;
    private final Map<Path, WatchKey> keys = new HashMap<>();
    /** The watched directories, each with the names that matter in it. */
    private Map<Path, Set<Path>> names = Map.of();
    private boolean changed;

    FileWatch(Path path) {
        this.path = path;
        WatchService made = null;
        try {
            made = FileSystems.getDefault().newWatchService();
        } catch (IOException | UnsupportedOperationException e) {
            log.warn("{} is only read periodically, because changes of the file system cannot be watched: {}", path,
                    e.toString());
        }
        this.service = made;
    }

    /**
     * Watches the directories that exist now. Call it before reading, so that no change between the two is missed.
     *
     * @param files the files that the last read found; of these the links are followed
     */
    void register(Collection<Path> files) {
        if (service == null) {
            return;
        }
        Map<Path, Set<Path>> wanted = new HashMap<>();
        follow(path, wanted);
        files.stream().filter(Files::isSymbolicLink).forEach(link -> follow(link, wanted));
        if (Files.isDirectory(path)) {
            try {
                wanted.put(path.toRealPath(), ALL);
            } catch (IOException e) {
                log.debug("{} has been deleted", path, e);
            }
        }
        names = wanted;
        keys.entrySet().removeIf(e -> {
            boolean stale = !wanted.containsKey(e.getKey()) || !e.getValue().isValid();
            if (stale) {
                e.getValue().cancel();
            }
            return stale;
        });
        for (Path directory : wanted.keySet()) {
            if (!keys.containsKey(directory)) {
                try {
                    keys.put(directory, directory.register(service, StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_DELETE));
                } catch (IOException | ClosedWatchServiceException e) {
                    log.debug("{} cannot be watched", directory, e);
                }
            }
        }
    }

    /**
     * Adds each directory in which a change may make the path lead to another file: the file's own directory, that of
     * each link on the way, and that of the first part that does not exist.
     */
    private static void follow(Path start, Map<Path, Set<Path>> wanted) {
        Path at = start.getRoot();
        Deque<Path> ahead = new ArrayDeque<>();
        start.forEach(ahead::add);
        for (int links = 0; !ahead.isEmpty() && links < MOST_LINKS;) {
            Path name = ahead.remove();
            Path next = at.resolve(name).normalize();
            boolean link = Files.isSymbolicLink(next);
            boolean last = !link && (ahead.isEmpty() || !Files.exists(next));
            if (link || last) {
                wanted.computeIfAbsent(at, directory -> new HashSet<>()).add(name);
            }
            if (last) {
                return;
            }
            if (!link) {
                at = next;
                continue;
            }
            links++;
            try {
                Path target = Files.readSymbolicLink(next);
                at = target.isAbsolute() ? target.getRoot() : at;
                for (int i = target.getNameCount() - 1; i >= 0; i--) {
                    ahead.addFirst(target.getName(i));
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Whether something may have changed since the last call. */
    boolean changed() {
        WatchService watching = service;
        try {
            for (WatchKey key = watching == null ? null : watching.poll(); watching != null
                    && key != null; key = watching.poll()) {
                take(key);
            }
        } catch (ClosedWatchServiceException e) {
            return false;
        }
        boolean was = changed;
        changed = false;
        return was;
    }

    private void take(WatchKey key) {
        Set<Path> matter = names.getOrDefault((Path) key.watchable(), ALL);
        key.pollEvents().forEach(
                e -> changed |= matter.equals(ALL) || e.context() == null || matter.contains((Path) e.context()));
        if (!key.reset()) {
            changed = true;
        }
    }

    /** Waits until something may have changed, at most {@code nanos} nanoseconds. */
    void await(long nanos) throws InterruptedException {
        if (service == null) {
            Thread.sleep(java.time.Duration.ofNanos(Math.min(nanos, TimeUnit.SECONDS.toNanos(1))));
            return;
        }
        try {
            WatchKey key = service.poll(nanos, TimeUnit.NANOSECONDS);
            if (key != null) {
                take(key);
            }
        } catch (ClosedWatchServiceException e) {
            throw new InterruptedException("the watch of " + path + " was closed");
        }
    }

    @Override
    public void close() {
        try {
            if (service != null) {
                service.close();
            }
        } catch (IOException e) {
            log.debug("the watch of {} could not be closed", path, e);
        }
    }
}
