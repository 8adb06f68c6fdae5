package dev.wheelhouse.controller;

import org.jspecify.annotations.Nullable;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/** A sync as an observation {@code wheelhouse.sync}, whose children {@code wheelhouse.write} are its writes. */
final class ObservedSync implements SyncTrace {
    private final Observation sync;
    private final Observation.Scope scope;
    private final ObservationRegistry registry;

    private ObservedSync(Observation sync, ObservationRegistry registry) {
        this.sync = sync;
        this.scope = sync.openScope();
        this.registry = registry;
    }

    static SyncTrace begin(String controller, Object key, ObservationRegistry registry) {
        return registry.isNoop()
                ? NONE
                : new ObservedSync(Observation.createNotStarted("wheelhouse.sync", registry)
                        .contextualName(controller + " sync").lowCardinalityKeyValue("controller", controller)
                        .highCardinalityKeyValue("key", key.toString()).start(), registry);
    }

    @Override
    public OfWrite writing(Action.Write write) {
        String resource = write.type().groupResource();
        Observation observed = Observation.createNotStarted("wheelhouse.write", registry).parentObservation(sync)
                .contextualName(write.verb() + " " + resource).lowCardinalityKeyValue("verb", write.verb())
                .lowCardinalityKeyValue("resource", resource)
                .highCardinalityKeyValue("object", write.target().toString())
                .highCardinalityKeyValue("why", write.why()).start();
        return (code, error) -> end(observed.lowCardinalityKeyValue("code", String.valueOf(code)), error);
    }

    @Override
    public void ended(String result, @Nullable Throwable error) {
        scope.close();
        end(sync.lowCardinalityKeyValue("result", result), error);
    }

    private static void end(Observation ending, @Nullable Throwable error) {
        if (error != null) {
            ending.error(error);
        }
        ending.stop();
    }
}
