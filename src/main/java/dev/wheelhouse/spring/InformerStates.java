package dev.wheelhouse.spring;

import java.util.List;

import dev.wheelhouse.informer.InformerState;

/** Where there are informers whose state is shown. Thread safe. */
@FunctionalInterface
interface InformerStates {
    List<InformerState> states();
}
