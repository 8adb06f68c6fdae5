package org.example;

import java.time.Clock;
import java.time.Instant;
import java.util.Map;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.Setup;

@SpringBootApplication
public class WelcomeApplication {

    public static void main(String[] args) {
        SpringApplication.run(WelcomeApplication.class, args);
    }

    /** A bean with a name that others like, too. */
    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @RestController
    static class Pages {
        @GetMapping("/")
        String hello() {
            return "hello";
        }
    }

    /** Every service account gets a ConfigMap that welcomes it. */
    @Component
    static class WelcomeOperator implements DecidingOperator<V1ServiceAccount> {

        @Override
        public void setup(Setup<V1ServiceAccount> setup) {
            setup.owns(V1ConfigMap.class);
        }

        @Override
        public Decision decide(V1ServiceAccount account, Related related, Instant now) {
            String name = account.getMetadata().getName();
            return Decision.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name(name + "-welcome"))
                    .data(Map.of("text", "Welcome, " + name)));
        }
    }
}
