package dev.wheelhouse.apiserver.audit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Writes the events that a policy asks for to a file, a webhook, or both. Thread safe.
 *
 * @param file null for none
 * @param webhook null for none
 * @param unwritten the number of events that are missing in the file
 */
public record AuditLog(AuditPolicy policy, @Nullable AuditFile file, @Nullable AuditWebhook webhook, Clock clock,
        LogBudget failures, AtomicLong unwritten) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AuditLog.class);

    /**
     * @param policy the file of the policy
     * @throws AuthConfigException if it is none
     */
    public AuditLog(Path policy, @Nullable AuditFile file, @Nullable AuditWebhook webhook, Clock clock) {
        this(AuditPolicy.read(policy), file, webhook, clock, new LogBudget(clock), new AtomicLong());
    }

    /** Starts to send to the webhook, and counts under upstream's names. */
    public void start(LoopRunner runner, MeterRegistry registry) {
        FunctionCounter.builder("apiserver_audit_error", unwritten, AtomicLong::get).tag("plugin", "log")
                .register(registry);
        if (webhook != null) {
            FunctionCounter.builder("apiserver_audit_error", webhook, AuditWebhook::dropped).tag("plugin", "webhook")
                    .register(registry);
            runner.start("audit", webhook);
        }
    }

    void write(byte[] event) {
        if (file != null) {
            try {
                file.write(event, clock.now());
            } catch (IOException e) {
                unwritten.incrementAndGet();
                failures.warn(log, "events are missing in the audit log: " + e.getMessage()
                        + "; make room, or name another file with audit-log-path");
            }
        }
        if (webhook != null) {
            webhook.add(event);
        }
    }

    /** Sends what waits for the webhook, for a few seconds. The runner must have ended before. */
    @Override
    public void close() {
        if (webhook != null) {
            webhook.flush();
        }
        if (file != null) {
            file.close();
        }
    }
}
