package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

/** The name of a workload, and its steps, to which a subclass adds. */
abstract class NamedWorkload implements Workload {
    final String name;
    final List<Step> steps = new ArrayList<>();

    NamedWorkload(String name) {
        this.name = name;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final List<Step> steps() {
        return steps;
    }
}
