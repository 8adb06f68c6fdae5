package dev.wheelhouse.apiserver.metrics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.api.LabelSelector;

/**
 * One value of a metric, with labels. An annotation has one value, or several such as
 * {@code queue=mail 30; queue=orders,zone=a steps(5, 1m: 50)}.
 */
record Series(Map<String, String> labels, Load load) {
    /** The values of an annotation whose labels match. A value that cannot be parsed is left out. */
    static List<Series> of(String annotation, LabelSelector selector) {
        List<Series> series = new ArrayList<>();
        for (String part : annotation.split(";", -1)) {
            String text = part.strip();
            int space = text.indexOf(' ');
            boolean labelled = space > 0 && text.lastIndexOf('=', space) > 0;
            Map<String, String> labels = labelled ? labels(text.substring(0, space)) : Map.of();
            Load load = Load.parse(labelled ? text.substring(space + 1).strip() : text);
            if (load != null && selector.matches(labels)) {
                series.add(new Series(labels, load));
            }
        }
        return series;
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        for (String pair : text.split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                labels.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        return labels;
    }
}
