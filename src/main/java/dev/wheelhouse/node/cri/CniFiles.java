package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Gives a runtime without a network one: pods on the machine, each at the end of a cable of its own. The runtime reads
 * its directory of configurations again when it changes. Configurations of others are left alone.
 */
final class CniFiles extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(CniFiles.class);
    private static final Pattern DIRECTORY = Pattern.compile("\"confDir\"\\s*:\\s*\"([^\"\\\\]+)\"");
    private static final String DEFAULT_DIRECTORY = "/etc/cni/net.d";
    private static final String NAME = "10-wheelhouse.conflist";
    private static final long RETRY = Duration.ofMillis(500).toNanos();

    private final CriRuntime runtime;
    private final boolean active;

    /** @param active whether to look after the network at all */
    CniFiles(CriRuntime runtime, boolean active) {
        this.runtime = runtime;
        this.active = active;
    }

    @Override
    public long step() {
        String range = runtime.network.range();
        if (isClosed() || !active || range == null) {
            return isClosed() || !active ? IDLE : RETRY;
        }
        try {
            Path file = Path.of(directory(runtime.cri.status().getInfoOrDefault("config", ""))).resolve(NAME);
            Files.createDirectories(file.getParent());
            String text = text(runtime.node.name(), range, runtime.folders().root().resolve("addresses"));
            if (hasOthers(file) || Files.exists(file) && Files.readString(file).equals(text)) {
                return IDLE;
            }
            // The runtime takes files with other endings for none of its own.
            Path fresh = Files.writeString(file.resolveSibling(NAME + ".new"), text);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            log.info("the container runtime of the node {} had no network: {} gives it the range {}",
                    runtime.node.name(), file, range);
            return IDLE;
        } catch (CriException | IOException e) {
            if (!isClosed()) {
                runtime.warn("the network of the pods of the node " + runtime.node.name()
                        + " could not be looked after, trying again: " + e.getMessage());
            }
            return RETRY;
        }
    }

    /** The directory that the runtime's configuration names. */
    static String directory(String config) {
        Matcher found = DIRECTORY.matcher(config);
        return found.find() ? found.group(1) : DEFAULT_DIRECTORY;
    }

    private static boolean hasOthers(Path file) throws IOException {
        try (Stream<Path> files = Files.list(file.getParent())) {
            return files.anyMatch(each -> !each.equals(file)
                    && each.getFileName().toString().matches(".*\\.(conf|conflist|json)"));
        }
    }

    /**
     * The kind {@code ptp} works everywhere; {@code bridge} needs the kernel's module br_netfilter.
     *
     * @param addresses the directory of the addresses that are in use
     */
    static String text(String node, String range, Path addresses) {
        return """
                {"cniVersion": "0.4.0", "name": "wheelhouse-%s", "plugins": [
                  {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "%s",
                    "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
                """.formatted(node, addresses, range);
    }
}
