package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ContainerImage;

import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.Image;
import dev.wheelhouse.runtime.Clock;

/**
 * The images of the runtime: those that no container uses are removed when the disk is full (upstream:
 * {@code image_gc_manager.go}). All containers of the runtime count, whoever made them. One thread looks and cleans.
 */
final class NodeImages {
    private static final Logger log = LoggerFactory.getLogger(NodeImages.class);
    private static final int HIGH_PERCENT = 85;
    private static final int LOW_PERCENT = 80;
    private static final Duration LEAST_AGE = Duration.ofMinutes(2);
    private static final int MOST_SHOWN = 50;
    private static final int MOST_NAMES = 5;

    /**
     * An image, with times in monotonic nanoseconds.
     * @param unusedSince the time of the last look at which it was in use; that of the first look if it never was
     * @param used whether it is in use, or the runtime keeps it
     */
    record Known(String id, long bytes, long since, long unusedSince, boolean used) {}

    private final CriService cri;
    private final PodEventRecorder events;
    private final Clock clock;
    private Map<String, Known> known = Map.of();
    private volatile List<V1ContainerImage> shown = List.of();

    NodeImages(CriService cri, PodEventRecorder events, Clock clock) {
        this.cri = cri;
        this.events = events;
        this.clock = clock;
    }

    /** The largest images, as the Node shows them. Any thread may call it. */
    List<V1ContainerImage> shown() {
        return shown;
    }

    void look() {
        List<Image> images = cri.images();
        Set<String> names = new HashSet<>(Set.of(cri.sandboxImage()));
        for (Container container : cri.containers(Map.of())) {
            names.add(container.getImageRef());
            names.add(container.getImage().getImage());
        }
        known = look(known, images, names, clock.nanoTime());
        shown = images.stream().sorted(Comparator.comparingLong(Image::getSize).reversed()).limit(MOST_SHOWN)
                .map(image -> new V1ContainerImage().sizeBytes(image.getSize())
                        .names(names(image).limit(MOST_NAMES).toList()))
                .toList();
    }

    private static Stream<String> names(Image image) {
        return Stream.concat(image.getRepoDigestsList().stream(), image.getRepoTagsList().stream());
    }

    /** @param used the IDs and names of images in use */
    static Map<String, Known> look(Map<String, Known> before, List<Image> images, Set<String> used, long now) {
        Map<String, Known> after = new HashMap<>();
        for (Image image : images) {
            String id = image.getId();
            Known old = before.getOrDefault(id, new Known(id, 0, now, now, false));
            boolean inUse = image.getPinned() || used.contains(id) || names(image).anyMatch(used::contains);
            after.put(id, new Known(id, image.getSize(), old.since, inUse ? now : old.unusedSince, inUse));
        }
        return after;
    }

    /** The images that may be removed, in the order in which that is done. */
    static List<Known> removable(Map<String, Known> images, long now) {
        return images.values().stream().filter(each -> !each.used && now - each.since >= LEAST_AGE.toNanos())
                .sorted(Comparator.comparingLong(Known::unusedSince).thenComparingLong(Known::since)
                        .thenComparing(Known::id))
                .toList();
    }

    /** The bytes to free on a file system; zero while it is not full. */
    static long excess(long capacity, long available) {
        return percent(capacity, available) < HIGH_PERCENT ? 0 : capacity / 100 * (100 - LOW_PERCENT) - available;
    }

    private static long percent(long capacity, long available) {
        return 100 - available * 100 / Math.max(1, capacity);
    }

    /** Removes unused images if the disk is full, as they were at the last look. */
    void clean() throws IOException {
        FileStore disk = Files.getFileStore(Path.of(cri.imageDirectory()));
        long capacity = disk.getTotalSpace();
        long wanted = excess(capacity, disk.getUsableSpace());
        long freed = 0;
        for (Known image : wanted > 0 ? removable(known, clock.nanoTime()) : List.<Known>of()) {
            if (freed < wanted) {
                log.info("the unused image {} of {} bytes is removed, because the disk of the images is full",
                        image.id, image.bytes);
                cri.removeImage(image.id);
                freed += image.bytes;
            }
        }
        if (freed < wanted) {
            events.onNode("Warning", "FreeDiskSpaceFailed", "Insufficient free disk space on the node's image "
                    + "filesystem (" + percent(capacity, disk.getUsableSpace()) + "% of "
                    + String.format(Locale.ROOT, "%.1f GiB", capacity / (double) (1L << 30))
                    + " used). Failed to free sufficient space by deleting unused images (freed " + freed + " bytes). "
                    + "Investigate disk usage, as it could be used by active images, logs, volumes, or other data.");
        }
    }
}
