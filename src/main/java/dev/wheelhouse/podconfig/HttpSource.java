package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Supplies the static pods that a URL describes: Pods or PodLists as JSON or YAML, fetched once per period (upstream:
 * {@code pkg/kubelet/config/http.go}). Unchanged content is not sent again. An empty body means no pods. After a
 * failure, or if the content cannot be used, the pods keep running, and the content does not count as seen.
 */
public final class HttpSource extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(HttpSource.class);
    private static final int LOUD_FAILURES = 3;

    private final HttpManifests options;
    private final StaticPods origin;
    private final PodChannel channel;
    private final SourceJournal journal;
    private final Clock clock;
    private final HttpFetch fetch;
    private long nextFetch;
    private String digest = "";
    private String etag = "";
    private String lastModified = "";
    private List<V1Pod> pods = List.of();
    private int failures;

    /** @param rejected receives reports about pods that keep running although the URL's content is refused now */
    public HttpSource(HttpManifests options, String nodeName, PodChannel channel, RejectionListener rejected,
            MeterRegistry registry, Clock clock) {
        this.options = options;
        this.origin = new StaticPods(nodeName, false);
        this.channel = channel;
        this.journal = new SourceJournal(channel.source(), rejected, registry, clock);
        this.clock = clock;
        this.fetch = new HttpFetch(options, clock);
        this.nextFetch = clock.nanoTime();
    }

    /** The current refusal of the URL's content; empty if it is accepted. */
    public List<Refusal> refusals() {
        return journal.list();
    }

    /** The state of this source. */
    public SourceReport report() {
        return journal.report(options.shownUrl());
    }

    @Override
    public long step() throws InterruptedException {
        long wait = nextFetch - clock.nanoTime();
        if (isClosed() || wait > 0) {
            return isClosed() ? IDLE : wait;
        }
        try {
            take(fetch.get(etag, lastModified));
        } catch (IOException e) {
            if (!isClosed()) {
                failed(e);
            }
        }
        nextFetch = clock.deadline(options.period());
        return Math.max(1, nextFetch - clock.nanoTime());
    }

    private void take(HttpFetch.Answer answer) throws IOException {
        if (answer.status() != 200 && answer.status() != 304) {
            throw new IOException("the server responded with status " + answer.status() + "; 200 was expected");
        }
        succeeded();
        if (answer.status() == 304) {
            // 304: the content equals the last good one, so an earlier refusal is over.
            journal.clear(options.shownUrl());
            return;
        }
        String now = Hashes.sha256(answer.body());
        if (!now.equals(digest)) {
            try {
                pods = ManifestReader.read(options.shownUrl(), answer.body(), origin);
            } catch (ManifestException e) {
                journal.refuse(e.refusal(), pods);
                return;
            }
            channel.set(pods);
        }
        journal.clear(options.shownUrl());
        digest = now;
        etag = answer.etag();
        lastModified = answer.lastModified();
    }

    private void succeeded() {
        journal.read();
        if (failures > 0) {
            log.info("pods can be read from {} again, after {} failures", options.shownUrl(), failures);
            failures = 0;
        }
    }

    /** Logs the first failures, then once that further ones are not logged. */
    private void failed(IOException e) {
        journal.failed(String.valueOf(e.getMessage()));
        failures++;
        if (failures <= LOUD_FAILURES) {
            log.warn("pods could not be read from {}: {}", options.shownUrl(), e.getMessage());
        } else if (failures == LOUD_FAILURES + 1) {
            log.warn(
                    "pods could not be read from {}: {}; retrying every {} s, and further failures are not logged",
                    options.shownUrl(), e.getMessage(), options.period().toSeconds());
        } else {
            log.debug("pods could not be read from {}: {}", options.shownUrl(), e.getMessage());
        }
    }

    @Override
    public void close() {
        super.close();
        fetch.close();
    }
}
