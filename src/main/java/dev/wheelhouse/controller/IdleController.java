package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Loop;

/** A controller that does nothing, in the place of one that its options switch off. */
public record IdleController(String name) implements Controller {
    @Override
    public List<SharedIndexInformer<?>> informers() {
        return List.of();
    }

    @Override
    public List<Loop> loops() {
        return List.of();
    }

    @Override
    public void close() {}

    @Override
    public boolean drain(Duration within) {
        return true;
    }
}
