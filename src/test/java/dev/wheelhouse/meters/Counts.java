package dev.wheelhouse.meters;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.distribution.HistogramSupport;

/** The counts of a registry's meters, for assertions. */
public final class Counts {
    private Counts() {}

    /** The values of some tags of the counters, timers and summaries of a name, each as often as it was counted. */
    public static List<String> of(MeterRegistry registry, String meter, String... tags) {
        List<String> counted = new ArrayList<>();
        for (Meter each : registry.find(meter).meters()) {
            double count = each instanceof Counter counter
                    ? counter.count()
                    : ((HistogramSupport) each).takeSnapshot().count();
            String values = String.join(" ",
                    Stream.of(tags).map(tag -> String.valueOf(each.getId().getTag(tag))).toList());
            counted.addAll(Collections.nCopies((int) count, values));
        }
        Collections.sort(counted);
        return counted;
    }
}
