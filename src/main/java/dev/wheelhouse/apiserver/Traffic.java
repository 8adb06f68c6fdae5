package dev.wheelhouse.apiserver;

import java.lang.management.ManagementFactory;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import com.sun.management.UnixOperatingSystemMXBean;

import dev.wheelhouse.runtime.Clock;

/**
 * All that bounds what clients together cost the process: seats, threads, memory and connections.
 *
 * @param flows decides which requests are worked on
 * @param workers the threads that work; there are as many as seats are taken
 * @param later runs what ends slow clients, in time
 * @param bodies memory for bodies that are being read or worked on
 * @param work memory for what is made of bodies, and for answers until they are sent
 * @param connections those that are open
 * @param mostWatches at a time
 * @param tally tells the log of what clients do
 */
record Traffic(FlowControl flows, ThreadPoolExecutor workers, ScheduledExecutorService later, ByteBudget bodies,
        ByteBudget work, Connections connections, int mostWatches, Tally tally, RequestMetrics metrics)
        implements
            AutoCloseable {
    /** Heap that a connection with a request holds: the buffers for its head, its answer and, by TLS, its records. */
    private static final int ACTIVE_BYTES = 136 * 1024;
    /** Heap that a connection without a request holds. */
    private static final int IDLE_BYTES = 20 * 1024;
    private static final int IDLE_TLS_BYTES = 72 * 1024;
    /** Files that the process opens beside connections. */
    private static final int OTHER_FILES = 512;

    /** @param memory the heap, of which each purpose has a part */
    static Traffic of(ApiServerOptions options, long memory, int processors, RequestMetrics metrics) {
        ApiServerLimits limits = options.limits();
        Clock clock = options.clock();
        Tally tally = new Tally(clock);
        int seats = Math.max(24, 6 * processors);
        FlowControl flows = new FlowControl(seats, limits.requests(), limits.request().dividedBy(4));
        int threads = 3 * seats + limits.requests();
        ThreadPoolExecutor workers = new ThreadPoolExecutor(0, threads, 10, TimeUnit.SECONDS,
                new SynchronousQueue<>(), threads("apiserver-work-"));
        int most = connections(options, memory);
        Connections connections = new Connections(most, Math.max(16, most / 4),
                (int) Math.max(16, memory / 4 / ACTIVE_BYTES), clock, tally);
        return new Traffic(flows, workers, new ScheduledThreadPoolExecutor(1, threads("apiserver-later-")),
                new ByteBudget(Math.max(2L * limits.body(), memory / 8)), new ByteBudget(memory / 8), connections,
                watches(limits, memory), tally, metrics);
    }

    private static ThreadFactory threads(String name) {
        ThreadFactory threads = Thread.ofPlatform().daemon().name(name, 0).factory();
        return work -> {
            Thread thread = threads.newThread(work);
            // Not Tomcat's, which takes its own for a leak when it stops.
            thread.setContextClassLoader(Traffic.class.getClassLoader());
            return thread;
        };
    }

    /** The most connections: what is configured, as far as there are memory and file descriptors. */
    static int connections(ApiServerOptions options, long memory) {
        long most = memory / 4 / (options.tls() == null ? IDLE_BYTES : IDLE_TLS_BYTES);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            most = Math.min(most, system.getMaxFileDescriptorCount() - OTHER_FILES);
        }
        return (int) Math.min(options.limits().connections(), Math.max(32, most));
    }

    /** The most watches: what is configured, as far as the heap suffices for their buffers. */
    static int watches(ApiServerLimits limits, long memory) {
        return (int) Math.min(limits.watches(), Math.max(16, memory / 4 / ACTIVE_BYTES));
    }

    /** Ends the threads once they have done their work. */
    @Override
    public void close() {
        workers.shutdown();
        later.shutdownNow();
    }
}
