package dev.wheelhouse.node.net;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Commands;

/** A table of the machine's nftables. Other tables are not touched. Thread safe. */
final class NftTable {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final String name;
    private final List<String> stale = new ArrayList<>();
    private @Nullable Ruleset written;
    private boolean begun;
    private boolean closed;

    NftTable(String name) {
        this.name = name;
    }

    /**
     * Makes the table what it is to be, in one transaction: by the changes since the last one, else as a whole.
     *
     * @throws IOException if {@code nft} refuses or takes too long; the next call writes the table as a whole
     */
    synchronized void write(Ruleset wanted) throws IOException {
        Ruleset before = written;
        if (closed) {
            return;
        }
        String changes = before == null ? wanted.whole() : wanted.changes(before);
        if (changes.isEmpty()) {
            return;
        }
        written = null;
        begun = true;
        if (before == null) {
            stale.clear();
        } else {
            changes += stale.stream().filter(chain -> !wanted.chains().containsKey(chain))
                    .map(chain -> "delete chain ip " + name + " " + chain + "\n").collect(Collectors.joining());
        }
        Commands.run(DEADLINE, changes, "nft", "-f", "-");
        stale.clear();
        if (before != null) {
            stale.addAll(wanted.staleChains(before));
        }
        written = wanted;
    }

    /** Looks whether somebody else has removed the table; then the next call writes it again. */
    synchronized void check() {
        try {
            if (written != null) {
                Commands.run(DEADLINE, "", "nft", "list", "chain", "ip", name, "postrouting");
            }
        } catch (IOException e) {
            written = null;
        }
    }

    /** Removes the table for good, if this process has written it. */
    synchronized void close() throws IOException {
        closed = true;
        written = null;
        if (begun) {
            begun = false;
            Commands.run(DEADLINE, "add table ip " + name + "\ndelete table ip " + name + "\n", "nft", "-f", "-");
        }
    }
}
