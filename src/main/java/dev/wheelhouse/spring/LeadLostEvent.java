package dev.wheelhouse.spring;

import org.springframework.context.ApplicationEvent;

/**
 * The event that this process has lost the lead. The process writes nothing any more and must end, because its state in
 * memory is outdated: the next leader begins with fresh lists (upstream: {@code OnStoppedLeading} in
 * kube-controller-manager). The main class ends the process with exit code 1; a test context goes on. The elector's
 * thread publishes the event, and the end of the service waits for that thread, so a listener that ends the process
 * does so on another thread.
 */
public final class LeadLostEvent extends ApplicationEvent {
    LeadLostEvent(Object source) {
        super(source);
    }
}
