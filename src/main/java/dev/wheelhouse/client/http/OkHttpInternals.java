package dev.wheelhouse.client.http;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.internal.concurrent.TaskRunner;
import okhttp3.internal.connection.ConnectionListener;

/**
 * The only class that uses internals of OkHttp. OkHttp closes idle connections and runs HTTP/2 on threads of its own,
 * which the whole JVM shares and which live for a minute after their last task. A client promises that its threads end
 * with {@code close()}, and the public API cannot replace these threads. {@code OkHttpInternalsTest} fails if an
 * upgrade of OkHttp changes what this class relies on.
 */
final class OkHttpInternals implements AutoCloseable {
    private static final int MOST_IDLE_CONNECTIONS = 16;

    private final TaskRunner.RealBackend backend;

    /** @param threads makes the threads for OkHttp's own tasks */
    OkHttpInternals(ThreadFactory threads) {
        this.backend = new TaskRunner.RealBackend(threads);
    }

    /** Lets a client, and the clients derived from it, run OkHttp's tasks on these threads. */
    OkHttpClient.Builder install(OkHttpClient.Builder builder) {
        TaskRunner tasks = new TaskRunner(backend, Logger.getLogger(TaskRunner.class.getName()));
        return builder.taskRunner$okhttp(tasks).connectionPool(new ConnectionPool(MOST_IDLE_CONNECTIONS, 1,
                TimeUnit.MINUTES, tasks, ConnectionListener.Companion.getNONE()));
    }

    /** Ends the threads. */
    @Override
    public void close() {
        backend.shutdown();
    }
}
