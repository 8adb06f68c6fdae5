package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
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
 * or the parent of the file; and the parent of the directory, so that it sees the directory appear and disappear. If
 * the file system has no notifications, it reports nothing. One thread uses it; any thread may close it.
 */
final class FileWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FileWatch.class);

    private final Path path;
    private final @Nullable WatchService service;
    private final Map<Path, WatchKey> keys = new HashMap<>();
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

    /** Watches the directories that exist now. Call it before reading, so that no change between the two is missed. */
    void register() {
        if (service == null) {
            return;
        }
        Set<Path> wanted = new HashSet<>();
        Path parent = path.getParent();
        if (parent != null && Files.isDirectory(parent)) {
            wanted.add(parent);
        }
        if (Files.isDirectory(path)) {
            try {
                wanted.add(path.toRealPath());
            } catch (IOException e) {
                log.debug("{} has been deleted", path, e);
            }
        }
        keys.entrySet().removeIf(e -> {
            boolean stale = !wanted.contains(e.getKey()) || !e.getValue().isValid();
            if (stale) {
                e.getValue().cancel();
            }
            return stale;
        });
        for (Path directory : wanted) {
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
        Path name = path.getFileName();
        // In the parent directory only the path itself matters. If the path is a link, any change there may concern its
        // target.
        boolean all = !key.watchable().equals(path.getParent()) || name == null || Files.isSymbolicLink(path);
        key.pollEvents().forEach(e -> changed |= all || e.context() == null || e.context().equals(name));
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
