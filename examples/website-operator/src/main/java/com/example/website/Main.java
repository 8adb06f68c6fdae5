package com.example.website;

import dev.wheelhouse.operator.Wheelhouse;

/** Runs the operator until somebody stops it, in a cluster or with a kubeconfig. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        Wheelhouse.builder().operator(new WebsiteOperator()).runUntilStopped();
    }
}
