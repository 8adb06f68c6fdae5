package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * Tracks all open connections and closes some if there are too many. A connection can be closed while the server waits
 * for its client: for a handshake, a head, a body, the reading of an answer, or the next request. It cannot be closed
 * while its request is executed, or while it is a watch. Connections that have waited longest are closed first. Clients
 * that are not authenticated may have only a part of all connections, so a flood of them displaces only its own. Thread
 * safe.
 */
final class Connections {
    /** The most requests in a row that may begin early without a pause. */
    private static final int MOST_EARLY = 16;
    /** Makes the search rare: each closes one in this many connections more than necessary. */
    private static final int BATCH = 16;

    private final Clock clock;
    private final int most;
    private final int kept;
    private final int maxUnauthenticated;
    private final int maxActive;
    private final Tally tally;
    private final Map<Object, Peer> peers = new ConcurrentHashMap<>();
    private final AtomicInteger unauthenticated = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger();

    /**
     * @param most connections; somewhat fewer are kept, so that a new one can be accepted
     * @param maxUnauthenticated connections of clients that are not authenticated yet
     * @param maxActive connections that hold buffers: all except those that wait for a next request
     */
    Connections(int most, int maxUnauthenticated, int maxActive, Clock clock, Tally tally) {
        this.most = most;
        this.kept = Math.max(1, most - most / BATCH);
        this.maxUnauthenticated = maxUnauthenticated;
        this.maxActive = maxActive;
        this.clock = clock;
        this.tally = tally;
    }

    private enum State {
        /** No part of a request was received. */
        IDLE,
        /** The client sends a head or a body, or has yet to read a refusal. */
        SENDING,
        /** The request was received and is executed, or is a watch. */
        SERVED,
        /** The answer is written; the client may be slow to read it. */
        READING
    }

    /** One connection. The threads that serve it report its events, one at a time. Other threads only close it. */
    final class Peer {
        private final Runnable end;
        private boolean authenticated;
        private boolean closed;
        private boolean ending;
        private State state = State.IDLE;
        private int early;
        private long changes;
        private long since = clock.nanoTime();
        private volatile Runnable atEnd = () -> {};
        private boolean inHead;

        private Peer(Runnable end) {
            this.end = end;
        }

        /** A part of a request was received. */
        void requestBegins() {
            if (state == State.IDLE) {
                changeTo(State.SENDING);
                if (active.get() > maxActive) {
                    end("connections were ended because too many clients were slow to send requests or to read answers",
                            active.get() - maxActive, peer -> peer.state != State.IDLE && peer != this);
                }
            }
        }

        /**
         * The server waits for the rest of a body that it has refused.
         *
         * @return closes the connection if the rest has not arrived when it is called
         */
        synchronized Runnable awaitRefusedBody() {
            changeTo(State.SENDING);
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

        /** The whole request was received. */
        void requestReceived() {
            changeTo(State.SERVED);
        }

        /** The answer is about to be written. A watch is served until its end instead. */
        void answerBegins() {
            changeTo(State.READING);
        }

        /** Notes whether a head is incomplete. Its time begins with it where no other change of state tells so. */
        synchronized void inHead(boolean incomplete) {
            since = incomplete && !inHead && changes == 0 ? clock.nanoTime() : since;
            inHead = incomplete;
        }

        /** Whether the client has not sent its first request, or one that it has begun, within a time. */
        synchronized boolean isOverdue(Duration limit) {
            return (changes == 0 || state == State.SENDING) && clock.nanoTime() - since > limit.toNanos();
        }

        /**
         * Whether many requests in a row were there when the answer to the one before was written. A fast client that
         * waits for its answers is seldom as early, and hardly ever several times in a row.
         */
        synchronized boolean isPipelining() {
            early = state == State.READING ? early + 1 : 0;
            return early > MOST_EARLY;
        }

        /** The request is done, and the connection waits for the next one. */
        void becomeIdle() {
            changeTo(State.IDLE);
        }

        /** The client was authenticated. */
        synchronized void clientAuthenticated() {
            if (!authenticated && !closed) {
                authenticated = true;
                unauthenticated.decrementAndGet();
            }
        }

        private synchronized void changeTo(State next) {
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

        /** Calls back when the connection is closed, or now if it is. */
        void whenClosed(Runnable call) {
            synchronized (this) {
                if (!closed) {
                    atEnd = call;
                    return;
                }
            }
            call.run();
        }

        private void markClosed() {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                if (!authenticated) {
                    unauthenticated.decrementAndGet();
                }
                if (state != State.IDLE) {
                    active.decrementAndGet();
                }
            }
            atEnd.run();
        }
    }

    /**
     * A connection was accepted.
     *
     * @param end makes the thread that serves the connection close it soon
     */
    void opened(Object key, Runnable end) {
        unauthenticated.incrementAndGet();
        peers.put(key, new Peer(end));
        if (unauthenticated.get() > maxUnauthenticated) {
            end("connections were ended because too many clients had not shown who they are",
                    unauthenticated.get() - maxUnauthenticated, peer -> !peer.authenticated);
        }
        if (peers.size() > kept) {
            end("connections were ended because there were too many", peers.size() - kept, peer -> true);
        }
    }

    void closed(@Nullable Object key) {
        Peer peer = key == null ? null : peers.remove(key);
        if (peer != null) {
            peer.markClosed();
        }
    }

    /** The connection of a key; null if it is closed. */
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

    private synchronized void end(String why, int excess, Predicate<Peer> which) {
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
        int wanted = excess + candidates.size() / BATCH - ending;
        for (Candidate candidate : candidates.subList(0, Math.clamp(wanted, 0, candidates.size()))) {
            candidate.peer.ending = true;
            tally.add(why);
            candidate.peer.end.run();
        }
    }
}
