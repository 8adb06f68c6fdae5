package org.example;

import java.nio.file.Path;

import dev.wheelhouse.operator.Wheelhouse;

/** Runs the operator until it is asked to end. */
final class Main {
    private Main() {}

    /** @param args a kubeconfig, and the port of the probes */
    public static void main(String[] args) {
        Wheelhouse.builder().operator(new WelcomeOperator()).kubeconfig(Path.of(args[0])).leaderElection("welcome")
                .health(Integer.parseInt(args[1])).runUntilStopped();
    }
}
