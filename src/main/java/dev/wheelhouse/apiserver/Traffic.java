package dev.wheelhouse.apiserver;

import java.lang.management.ManagementFactory;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import com.sun.management.UnixOperatingSystemMXBean;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.runtime.Clock;

/**
 * All limits on the resources that clients together use: seats, threads, memory and connections.
 *
 * @param flows decides which requests are executed
 * @param workers the platform threads that execute requests, created on demand, one for each
 * @param timer closes the connections of clients that are too slow
 * @param bodies the memory for bodies until their request is answered
 * @param heads the memory for parsed heads of requests, which a watch holds until it ends. As the time to compare an
 *        event with the selectors of all watches grows with it, it has a limit on a large heap, too
 * @param work the memory for trees of bodies, and for answers until they are sent
 * @param connections all open connections
 * @param mostWatches the most concurrent watches
 * @param tally logs events that clients cause
 */
record Traffic(FlowControl flows, ThreadPoolExecutor workers, ScheduledExecutorService timer, ByteBudget bodies,
        ByteBudget heads, ByteBudget work, Connections connections, int mostWatches, Tally tally,
        RequestMetrics metrics)
        implements
            AutoCloseable {
    /** The bytes that the parsed head of an ordinary request holds at most. They are part of {@link #ACTIVE_BYTES}. */
    static final long UNCHARGED_HEAD = 16 * 1024;
    private static final long MOST_HEADS = 64L * 1024 * 1024;
    /** The heap, in bytes, of a connection with a request: buffers for head and answer and, with TLS, records. */
    private static final int ACTIVE_BYTES = 136 * 1024;
    /** The heap, in bytes, that a connection without a request holds. */
    private static final int IDLE_BYTES = 20 * 1024;
    private static final int IDLE_TLS_BYTES = 72 * 1024;
    /** File descriptors reserved for everything but connections. */
    private static final int OTHER_FILES = 512;

    /**
     * @param memory the size of the heap in bytes; each purpose gets a share of it
     * @param resources the resources that requests are counted by
     */
    static Traffic of(ApiServerOptions options, long memory, int processors, ResourceRegistry resources,
            MeterRegistry registry) {
        ApiServerLimits limits = options.limits();
        Clock clock = options.clock();
        Tally tally = new Tally(clock);
        int seats = Math.max(24, 6 * processors);
        FlowControl flows = new FlowControl(seats, limits.requests(), limits.request().dividedBy(4), registry);
        int threads = 3 * seats + limits.requests();
        ThreadPoolExecutor workers = new ThreadPoolExecutor(0, threads, 10, TimeUnit.SECONDS,
                new SynchronousQueue<>(), threads("apiserver-work-"));
        int most = connections(options, memory);
        Connections connections = new Connections(most, Math.max(16, most / 4),
                (int) Math.max(16, memory / 4 / ACTIVE_BYTES), clock, tally);
        return new Traffic(flows, workers, new ScheduledThreadPoolExecutor(1, threads("apiserver-timer-")),
                new ByteBudget(Math.max(2L * limits.body(), memory / 8)), new ByteBudget(heads(memory)),
                new ByteBudget(memory / 8), connections,
                watches(limits, memory), tally, new RequestMetrics(resources, registry));
    }

    private static ThreadFactory threads(String name) {
        ThreadFactory threads = Thread.ofPlatform().daemon().name(name, 0).factory();
        return work -> {
            Thread thread = threads.newThread(work);
            // Tomcat would report threads with its own class loader as leaks when it stops.
            thread.setContextClassLoader(Traffic.class.getClassLoader());
            return thread;
        };
    }

    /** The most connections: the configured number, or fewer if memory or file descriptors do not suffice. */
    static int connections(ApiServerOptions options, long memory) {
        long most = memory / 4 / (options.tls() == null ? IDLE_BYTES : IDLE_TLS_BYTES);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            most = Math.min(most, system.getMaxFileDescriptorCount() - OTHER_FILES);
        }
        return (int) Math.min(options.limits().connections(), Math.max(32, most));
    }

    /** The most watches: the configured number, or fewer if the heap does not suffice for their buffers. */
    static int watches(ApiServerLimits limits, long memory) {
        return (int) Math.min(limits.watches(), Math.max(16, memory / 4 / ACTIVE_BYTES));
    }

    /** The most bytes of all parsed heads. */
    static long heads(long memory) {
        return Math.min(MOST_HEADS, memory / 8);
    }

    /** Ends the threads when their current work is done. */
    @Override
    public void close() {
        workers.shutdown();
        timer.shutdownNow();
    }
}
