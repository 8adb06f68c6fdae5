package dev.wheelhouse.apiserver.table;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The columns of the kinds that have not moved to their strategies yet. */
public final class AllPrinters {
    private AllPrinters() {}

    public static Map<String, List<Column>> all() {
        Map<String, List<Column>> all = new HashMap<>();
        CorePrinters.addTo(all);
        PodPrinters.addTo(all);
        NodePrinters.addTo(all);
        VolumePrinters.addTo(all);
        EventPrinters.addTo(all);
        AppsPrinters.addTo(all);
        BatchPrinters.addTo(all);
        NetworkPrinters.addTo(all);
        return Map.copyOf(all);
    }
}
