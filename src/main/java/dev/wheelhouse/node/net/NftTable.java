package dev.wheelhouse.node.net;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.runtime.Commands;

/** A table of the machine's nftables. Other tables are not touched. Thread safe. */
final class NftTable {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private static final Logger log = LoggerFactory.getLogger(NftTable.class);

    private final String name;
    private final List<String> stale = new ArrayList<>();
    private @Nullable Ruleset written;
    private boolean begun;
    private boolean closed;

    NftTable(String name) {
        this.name = name;
    }

    /**
     * Makes the table what it is to be, in one transaction: by the changes since the last one, or as a whole if there
     * is no last one or others have changed the table.
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
        for (String chain : before == null ? List.<String>of() : stale) {
            changes += wanted.chains().containsKey(chain) ? "" : "delete chain ip " + name + " " + chain + "\n";
        }
        stale.clear();
        try {
            Commands.run(DEADLINE, changes, "nft", "-f", "-");
            stale.addAll(before == null ? List.of() : wanted.staleChains(before));
        } catch (IOException e) {
            if (before == null) {
                throw e;
            }
            log.debug("the rules were changed by others, and are written anew: {}", e.getMessage());
            Commands.run(DEADLINE, wanted.whole(), "nft", "-f", "-");
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
