package org.example;

import java.nio.file.Path;

import dev.wheelhouse.operator.Wheelhouse;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;

/** Runs the operators as long as the application context lives. */
@Factory
final class Operators {
    @Context
    @Bean(preDestroy = "close")
    Wheelhouse wheelhouse(@Value("${kubeconfig}") String kubeconfig) {
        return Wheelhouse.builder().operator(new WelcomeOperator()).kubeconfig(Path.of(kubeconfig)).start();
    }
}
