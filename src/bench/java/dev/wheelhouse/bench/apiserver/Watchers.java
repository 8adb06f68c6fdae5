package dev.wheelhouse.bench.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/** Many watches, each on a connection of its own, which count events by their line ends. */
final class Watchers implements AutoCloseable {
    private final LongAdder events = new LongAdder();
    private final AtomicInteger ended = new AtomicInteger();
    private final List<Connection> connections = new ArrayList<>();
    private volatile boolean closing;

    /** Opens them all, and returns when each has its answer's head. @param query of the n-th one */
    Watchers(Endpoint endpoint, int count, IntFunction<String> query) throws Exception {
        CountDownLatch open = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Connection connection = new Connection(endpoint);
            connections.add(connection);
            String path = Pods.ALL + "?watch=1&resourceVersion=0&timeoutSeconds=3000" + query.apply(i);
            Thread.ofVirtual().start(() -> read(connection, path, open));
        }
        if (!open.await(60, TimeUnit.SECONDS)) {
            throw new IOException(open.getCount() + " of " + count + " watches did not begin");
        }
    }

    private void read(Connection connection, String path, CountDownLatch open) {
        try (InputStream body = connection.open(path)) {
            open.countDown();
            byte[] buffer = new byte[32 * 1024];
            for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
                int lines = 0;
                for (int i = 0; i < n; i++) {
                    lines += buffer[i] == '\n' ? 1 : 0;
                }
                events.add(lines);
            }
        } catch (IOException e) {
            if (!closing && open.getCount() > 0) {
                System.err.println("a watch failed: " + e);
            }
        } finally {
            if (!closing) {
                ended.incrementAndGet();
            }
        }
    }

    /** The query of a watch of the pods of one node. */
    static String ofNode(int node) {
        return "&fieldSelector=" + java.net.URLEncoder.encode("spec.nodeName=node-" + node, StandardCharsets.UTF_8);
    }

    long events() {
        return events.sum();
    }

    /** How many the server has ended. */
    int ended() {
        return ended.get();
    }

    /** Waits until no more events come for a fifth of a second, or so many seconds have passed. */
    void drain(int seconds) throws InterruptedException {
        long before = -1;
        for (int i = 0; i < seconds * 5 && before != events(); i++) {
            before = events();
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    @Override
    public void close() throws IOException {
        closing = true;
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
