package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * All open connections, and which of them end when there are too many. A connection whose client keeps the server waiting (for a
 * handshake, a head, a body, the next request) can be ended at any time; one whose request is worked on or answered cannot.
 * The longest waiting go first. Clients that have not shown who they are have a small part of all connections, so that they end
 * each other. Thread safe.
 */
final class Connections {
    /** Of so many connections too many, one is made room for in advance, so that the search is rare. */
    private static final int BATCH = 16;

    private final Clock clock;
    private final int most;
    private final int kept;
    private final int mostUnproven;
    private final int mostActive;
    private final Tally tally;
    private final Map<Object, Peer> peers = new ConcurrentHashMap<>();
    private final AtomicInteger unproven = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger();

    /**
     * @param most connections; a few less are kept, so that one more can be accepted
     * @param mostUnproven connections whose clients have not shown who they are
     * @param mostActive connections for which there are buffers: all but those that wait for a next request
     */
    Connections(int most, int mostUnproven, int mostActive, Clock clock, Tally tally) {
        this.most = most;
        this.kept = Math.max(1, most - most / BATCH);
        this.mostUnproven = mostUnproven;
        this.mostActive = mostActive;
        this.clock = clock;
        this.tally = tally;
    }

    private enum State {
        /** Nothing of a request has come. */
        IDLE,
        /** The client is sending a head or a body, or is to read the refusal of one. */
        SENDING,
        /** The request is worked on or answered. */
        SERVED
    }

    /** One connection. The threads of the connection tell what happens on it, one at a time; others only end it. */
    final class Peer {
        private final Runnable end;
        private boolean proven;
        private boolean closed;
        private boolean ending;
        private State state = State.IDLE;
        private long changes;
        private long since = clock.nanoTime();

        private Peer(Runnable end) {
            this.end = end;
        }

        /** Something has come, of a request's head at least. */
        void begins() {
            if (state == State.IDLE) {
                become(State.SENDING);
                if (active.get() > mostActive) {
                    end("connections were ended because too many clients were slow to send their requests",
                            active.get() - mostActive, peer -> peer.state == State.SENDING && peer != this);
                }
            }
        }

        /**
         * The rest of a body is awaited that was refused.
         *
         * @return ends the connection, if the rest is still awaited by then
         */
        synchronized Runnable sends() {
            become(State.SENDING);
            long then = changes;
            return () -> {
                if (isStill(then)) {
                    end.run();
                }
            };
        }

        private synchronized boolean isStill(long then) {
            return changes == then && !closed;
        }

        /** All of the request has come. */
        void isServed() {
            become(State.SERVED);
        }

        /** The request is over, and the connection waits for the next. */
        void rests() {
            become(State.IDLE);
        }

        /** The client has shown who it is. */
        synchronized void proves() {
            if (!proven && !closed) {
                proven = true;
                unproven.decrementAndGet();
            }
        }

        private synchronized void become(State next) {
            if (closed) {
                return;
            }
            if (state == State.IDLE && next != State.IDLE) {
                active.incrementAndGet();
            } else if (state != State.IDLE && next == State.IDLE) {
                active.decrementAndGet();
            }
            state = next;
            changes++;
            since = clock.nanoTime();
        }

        private synchronized void closes() {
            if (!closed) {
                closed = true;
                if (!proven) {
                    unproven.decrementAndGet();
                }
                if (state != State.IDLE) {
                    active.decrementAndGet();
                }
            }
        }
    }

    /**
     * A connection was accepted.
     *
     * @param end has the connection end soon, on whatever thread serves it
     */
    void opened(Object key, Runnable end) {
        unproven.incrementAndGet();
        peers.put(key, new Peer(end));
        if (unproven.get() > mostUnproven) {
            end("connections were ended because too many clients had not shown who they are",
                    unproven.get() - mostUnproven, peer -> !peer.proven);
        }
        if (peers.size() > kept) {
            end("connections were ended because there were too many", peers.size() - kept, peer -> true);
        }
    }

    void closed(@Nullable Object key) {
        Peer peer = key == null ? null : peers.remove(key);
        if (peer != null) {
            peer.closes();
        }
    }

    /** @return null if it is closed */
    @Nullable
    Peer peer(@Nullable Object key) {
        return key == null ? null : peers.get(key);
    }

    int most() {
        return most;
    }

    int count() {
        return peers.size();
    }

    private synchronized void end(String why, int tooMany, Predicate<Peer> which) {
        record Candidate(Peer peer, long since) {}
        List<Candidate> candidates = new ArrayList<>();
        int ending = 0;
        for (Peer peer : peers.values()) {
            synchronized (peer) {
                if (peer.ending) {
                    ending++;
                } else if (peer.state != State.SERVED && which.test(peer)) {
                    candidates.add(new Candidate(peer, peer.since));
                }
            }
        }
        candidates.sort((a, b) -> Long.signum(a.since - b.since));
        int wanted = tooMany + candidates.size() / BATCH - ending;
        for (Candidate candidate : candidates.subList(0, Math.clamp(wanted, 0, candidates.size()))) {
            candidate.peer.ending = true;
            tally.add(why);
            candidate.peer.end.run();
        }
    }
}
