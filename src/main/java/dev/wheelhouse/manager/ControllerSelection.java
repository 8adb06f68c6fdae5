package dev.wheelhouse.manager;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.wheelhouse.manager.UpstreamControllers.Upstream;
import dev.wheelhouse.runtime.DidYouMean;

/**
 * Selects controllers as kube-controller-manager's {@code --controllers} does: {@code *} selects all controllers that
 * are on by default, {@code foo} selects one, and {@code -foo} leaves one out. The first entry that names a controller
 * wins.
 */
public final class ControllerSelection {
    private ControllerSelection() {}

    /**
     * The controllers that the entries select, in the order of {@code known}.
     *
     * @param onByDefault whether {@code *} selects a controller
     * <p>An entry may also name a controller of upstream that is not known. {@link #missing} returns such controllers.
     *
     * @throws IllegalArgumentException if an entry names no controller at all
     */
    public static List<ControllerDescriptor> select(List<String> entries, List<ControllerDescriptor> known,
            Predicate<ControllerDescriptor> onByDefault) {
        for (String entry : entries) {
            String name = entry.startsWith("-") ? entry.substring(1) : entry;
            if (!name.equals("*") && known.stream().noneMatch(d -> d.isCalled(name)) && upstream(name).isEmpty()) {
                throw new IllegalArgumentException(
                        "wheelhouse.controllers: there is no controller \"" + name + "\"; " + didYouMean(name, known)
                                + "write *, or names out of " + names(known)
                                + "; put a - before a name to leave that controller out");
            }
        }
        return known.stream().filter(d -> isSelected(d, entries, onByDefault.test(d))).toList();
    }

    /** The controllers of upstream that entries want and that are not known. */
    public static List<Upstream> missing(List<String> entries, List<ControllerDescriptor> known) {
        return entries.stream().filter(entry -> known.stream().noneMatch(d -> d.isCalled(entry)))
                .flatMap(entry -> upstream(entry).stream()).distinct().toList();
    }

    /**
     * The resources whose new objects no controller handles, each with a sentence that says why and what follows.
     *
     * @param running the controllers that run
     */
    public static Map<String, String> unhandled(List<ControllerDescriptor> running) {
        Map<String, String> unhandled = new TreeMap<>();
        for (Upstream each : UpstreamControllers.all()) {
            if (!each.creates().isEmpty() && running.stream().noneMatch(d -> d.isCalled(each.name()))) {
                unhandled.put(each.creates(), each.name() + " does not run: " + each.without());
            }
        }
        return unhandled;
    }

    private static Optional<Upstream> upstream(String called) {
        return UpstreamControllers.all().stream().filter(each -> each.isCalled(called)).findFirst();
    }

    /**
     * The full name of the controller with this name or alias.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static String nameOf(String called, List<ControllerDescriptor> known) {
        return known.stream().filter(d -> d.isCalled(called)).map(ControllerDescriptor::name).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no controller \"" + called + "\"; "
                        + didYouMean(called, known) + "there are " + names(known)));
    }

    private static String names(List<ControllerDescriptor> known) {
        return known.stream().map(ControllerDescriptor::name).collect(Collectors.joining(", "));
    }

    private static String didYouMean(String called, List<ControllerDescriptor> known) {
        return DidYouMean.ask(called, known.stream()
                .flatMap(d -> Stream.concat(Stream.of(d.name()), d.aliases().stream())).toList());
    }

    /** Whether the entries select a controller. */
    public static boolean isSelected(ControllerDescriptor descriptor, List<String> entries, boolean onByDefault) {
        for (String entry : entries) {
            if (descriptor.isCalled(entry)) {
                return true;
            }
            if (entry.startsWith("-") && descriptor.isCalled(entry.substring(1))) {
                return false;
            }
        }
        return onByDefault && entries.contains("*");
    }
}
