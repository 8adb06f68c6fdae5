package com.example.website;

import dev.wheelhouse.operator.Wheelhouse;

/** Runs the operator until somebody stops it: by the service account in a pod, by the kubeconfig elsewhere. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        Wheelhouse.builder().operator(new WebsiteOperator()).leaderElection("website-operator").runUntilStopped();
    }
}
