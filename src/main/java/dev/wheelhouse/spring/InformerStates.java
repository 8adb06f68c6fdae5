package dev.wheelhouse.spring;

import java.util.List;

import dev.wheelhouse.informer.InformerState;

/** Returns the states of some informers, for health and the endpoint. Thread safe. */
@FunctionalInterface
interface InformerStates {
    List<InformerState> states();
}
