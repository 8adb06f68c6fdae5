package org.example;

import java.time.Instant;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.DecidingOperator;
import dev.wheelhouse.operator.Related;
import dev.wheelhouse.operator.Setup;

/** Every service account gets a ConfigMap that welcomes it. */
final class WelcomeOperator implements DecidingOperator<V1ServiceAccount> {

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
