package dev.wheelhouse.manager;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.wheelhouse.runtime.Resources;

/**
 * The controllers in kube-controller-manager 1.36 (upstream:
 * {@code cmd/kube-controller-manager/names/controller_names.go} and {@code app/controller_descriptor.go}).
 */
public final class UpstreamControllers {
    /** When upstream's manager runs a controller. */
    public enum When {
        /** By default. */
        BY_DEFAULT("by default"),
        /** When the option names it. */
        NAMED("when named"),
        /** When a feature gate is switched on that is off by default. */
        GATED("behind a feature gate that is off"),
        /** Never any more: a cloud provider's manager runs it. */
        CLOUD("in the cloud provider's manager");

        private final String words;

        When(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * A controller of upstream.
     *
     * @param alias upstream's older name; empty for none
     * @param account the name of its service account in {@code kube-system}; empty if it has none
     * @param creates the resource whose new objects nothing handles without the controller; empty for none
     * @param without a sentence that says what does not happen in a cluster that does not run the controller
     */
    public record Upstream(String name, String alias, String account, When when, String creates, String without) {
        boolean isCalled(String text) {
            return name.equals(text) || !alias.isEmpty() && alias.equals(text);
        }
    }

    private static final List<Upstream> ALL = read();

    /** The names of all. */
    static final Set<String> NAMES = ALL.stream().map(Upstream::name).collect(Collectors.toUnmodifiableSet());

    private UpstreamControllers() {}

    private static List<Upstream> read() {
        return Resources.text(UpstreamControllers.class, "upstream-controllers.tsv").lines()
                .filter(line -> !line.startsWith("#")).map(line -> line.split("\t"))
                .map(cells -> new Upstream(cells[0], text(cells[1]), text(cells[2]), When.valueOf(cells[3]),
                        text(cells[4]), cells[5]))
                .toList();
    }

    private static String text(String cell) {
        return cell.equals("-") ? "" : cell;
    }

    /** Upstream's older name of the controller of a name; empty if there is none. */
    public static Set<String> aliases(String controller) {
        return ALL.stream().filter(each -> each.name().equals(controller) && !each.alias().isEmpty())
                .map(Upstream::alias).collect(Collectors.toUnmodifiableSet());
    }

    /** The service account of upstream's controller of a name; empty if there is none. */
    public static String account(String controller) {
        return ALL.stream().filter(each -> each.name().equals(controller)).map(Upstream::account).findFirst()
                .orElse("");
    }

    /** Whether upstream runs the controller of a name by default. */
    public static boolean runsByDefault(String controller) {
        return ALL.stream().anyMatch(each -> each.name().equals(controller) && each.when() == When.BY_DEFAULT);
    }

    /** All of them, by name. */
    public static List<Upstream> all() {
        return ALL;
    }
}
