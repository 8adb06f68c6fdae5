package org.example;

import java.nio.file.Path;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import dev.wheelhouse.operator.Wheelhouse;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;

/** Runs the operators as long as the application runs. */
@ApplicationScoped
public class Operators {
    @ConfigProperty(name = "kubeconfig")
    String kubeconfig;

    private Wheelhouse wheelhouse;

    void start(@Observes StartupEvent event) {
        wheelhouse = Wheelhouse.builder().operator(new WelcomeOperator()).kubeconfig(Path.of(kubeconfig)).start();
    }

    void stop(@Observes ShutdownEvent event) {
        wheelhouse.close();
    }

    /** For a health check. */
    public boolean areReady() {
        return wheelhouse.isReady();
    }
}
