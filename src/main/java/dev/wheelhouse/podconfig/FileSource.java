package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.runtime.Loop;

/**
 * Supplies the static pods of a manifest file or of a directory of manifests (upstream:
 * {@code pkg/kubelet/config/file.go}). It reads when the file system reports a change, and at least once per period.
 * Files are read in the order of their names. Names that begin with a dot, and names of backup and temporary files, are
 * skipped. Subdirectories are not read. Files beyond the first 1,000 are refused.
 *
 * <p>A manifest that cannot be used is refused with a reason, and the pods of its last good version keep running. Only
 * deleting the file removes its pods. If the directory cannot be listed, nothing changes.
 */
public final class FileSource implements Loop {
    private static final Logger log = LoggerFactory.getLogger(FileSource.class);

    /** Kubelet's period, which is the longest time between two reads. */
    public static final Duration DEFAULT_PERIOD = Duration.ofSeconds(20);
    static final int MAX_FILES = 1000;
    /** The time from a change to the read, so that a file that is being written is not read half. */
    static final Duration SETTLE = Duration.ofMillis(50);
    private static final Duration LONGEST_SETTLE = Duration.ofMillis(500);

    private final Path path;
    private final StaticPods origin;
    private final Duration period;
    private final PodChannel channel;
    private final SourceJournal journal;
    private final Clock clock;
    private final FileWatch watch;
    private final Map<Path, Known> known = new TreeMap<>();
    private final Set<Path> skippedSaid = new HashSet<>();
    private long nextRead;
    private long firstChange = Long.MAX_VALUE;
    private boolean sent;
    private String listFailure = "";
    private volatile boolean closed;

    /** The result of the last read of a file. */
    private static final class Known {
        String digest = "";
        boolean good;
        List<V1Pod> pods = List.of();
    }

    /**
     * @param path a file or a directory; it may be missing
     * @param rejected receives reports about pods that keep running although their manifest is refused now
     */
    public FileSource(Path path, String nodeName, Duration period, PodChannel channel, RejectionListener rejected,
            MeterRegistry registry, Clock clock) {
        this.path = path.toAbsolutePath().normalize();
        this.origin = new StaticPods(nodeName, true);
        this.period = period;
        this.channel = channel;
        this.journal = new SourceJournal(channel.source(), rejected, registry, clock);
        this.clock = clock;
        this.watch = new FileWatch(this.path);
        this.nextRead = clock.nanoTime();
    }

    /** The manifests that are refused now, and why. */
    public List<Refusal> refusals() {
        return journal.list();
    }

    /** The state of this source. */
    public SourceReport report() {
        return journal.report(path.toString());
    }

    @Override
    public long step() {
        if (closed) {
            return IDLE;
        }
        long now = clock.nanoTime();
        if (watch.changed()) {
            firstChange = Math.min(firstChange, now);
            nextRead = Math.min(now + SETTLE.toNanos(), firstChange + LONGEST_SETTLE.toNanos());
        }
        if (now < nextRead) {
            return nextRead - now;
        }
        firstChange = Long.MAX_VALUE;
        watch.register(known.keySet());
        read();
        nextRead = clock.deadline(period);
        return BUSY;
    }

    private void read() {
        List<Path> all;
        try {
            all = files();
            listFailure = "";
            journal.read();
        } catch (IOException e) {
            String failure = path + " cannot be listed, so its pods keep running unchanged: " + e;
            journal.failed(failure);
            if (!failure.equals(listFailure)) {
                log.warn("{}", failure);
                listFailure = failure;
            }
            return;
        }
        boolean tooMany = all.size() > MAX_FILES;
        List<Path> files = tooMany ? all.subList(0, MAX_FILES) : all;
        watch.register(files);
        boolean changed = known.keySet().retainAll(files);
        Set<String> locations = files.stream().map(Path::toString).collect(Collectors.toSet());
        if (tooMany) {
            locations.add(path.toString());
            journal.refuse(new Refusal(path.toString(), 0, "", "the directory has more than " + MAX_FILES
                    + " files, and those after " + files.getLast().getFileName() + " are left out: remove some"),
                    List.of());
        }
        journal.locations().stream().filter(location -> !locations.contains(location)).forEach(journal::clear);
        for (Path file : files) {
            changed |= read(file);
        }
        if (changed || !sent) {
            sent = true;
            channel.set(known.values().stream().flatMap(k -> k.pods.stream()).toList());
        }
    }

    private List<Path> files() throws IOException {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            // Checked before the path is opened as a directory: to open a pipe waits for a process that writes to it.
            return List.of(path);
        }
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                if (isManifest(entry)) {
                    files.add(entry);
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        files.sort(null);
        return files;
    }

    private boolean isManifest(Path entry) {
        String name = String.valueOf(entry.getFileName());
        if (name.startsWith(".")) {
            return false;
        }
        boolean temporary = name.endsWith("~") || name.endsWith(".swp") || name.endsWith(".bak")
                || (name.startsWith("#") && name.endsWith("#"));
        boolean skipped = temporary || (!Files.isRegularFile(entry) && !isBrokenLink(entry));
        if (skipped && skippedSaid.size() < MAX_FILES && skippedSaid.add(entry)) {
            log.info("{} is skipped: {}", entry, temporary
                    ? "its name is that of a backup or temporary file"
                    : "it is not a regular file");
        }
        return !skipped;
    }

    /**
     * Whether the entry is a link without a target. It counts as a manifest, so that its pods keep running; reading it
     * fails.
     */
    private static boolean isBrokenLink(Path entry) {
        return Files.isSymbolicLink(entry) && !Files.exists(entry);
    }

    /**
     * Reads a file.
     * @return whether its pods have changed
     */
    private boolean read(Path file) {
        Known before = known.computeIfAbsent(file, f -> new Known());
        byte[] bytes;
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            // Opening a pipe would wait for a process that writes to it.
            journal.refuse(new Refusal(file.toString(), 0, "", "it is neither a regular file nor a directory"),
                    before.pods);
            before.good = false;
            return false;
        }
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(YamlDocuments.MAX_BYTES + 1);
        } catch (NoSuchFileException e) {
            if (isBrokenLink(file)) {
                journal.refuse(new Refusal(file.toString(), 0, "", "it is a link to a file that does not exist"),
                        before.pods);
                return false;
            }
            known.remove(file);
            journal.clear(file.toString());
            return !before.pods.isEmpty();
        } catch (IOException e) {
            journal.refuse(new Refusal(file.toString(), 0, "", "it cannot be read: " + e), before.pods);
            before.good = false;
            return false;
        }
        String digest = Hashes.sha256(bytes);
        if (before.good && digest.equals(before.digest)) {
            return false;
        }
        try {
            List<V1Pod> pods = ManifestReader.read(file.toString(), bytes, origin);
            before.digest = digest;
            before.good = true;
            before.pods = pods;
            journal.clear(file.toString());
            return true;
        } catch (ManifestException e) {
            before.good = false;
            journal.refuse(e.refusal(), before.pods);
            return false;
        }
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        watch.await(nanos);
    }

    @Override
    public void close() {
        closed = true;
        watch.close();
    }
}
