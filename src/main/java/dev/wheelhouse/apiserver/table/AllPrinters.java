package dev.wheelhouse.apiserver.table;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The columns of the kinds that have not moved to their strategies yet. */
public final class AllPrinters {
    private AllPrinters() {}

    public static Map<String, List<Column>> all() {
        Map<String, List<Column>> all = new HashMap<>();
        VolumePrinters.addTo(all);
        AutoscalingPrinters.addTo(all);
        NetworkPrinters.addTo(all);
        AccessPrinters.addTo(all);
        AdmissionPrinters.addTo(all);
        SchedulingPrinters.addTo(all);
        ControlPlanePrinters.addTo(all);
        DevicePrinters.addTo(all);
        return Map.copyOf(all);
    }
}
