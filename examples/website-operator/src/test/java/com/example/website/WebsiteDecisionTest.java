package com.example.website;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.operator.Decision;
import dev.wheelhouse.operator.Related;

/** The decision alone: a function of its parameters, without any server. */
class WebsiteDecisionTest {
    @Test
    void aNewWebsiteWantsAPageItsWebServersAndAService() {
        Decision decision = decide(Related.of());
        assertEquals(List.of("ConfigMap", "Deployment", "Service"),
                decision.objects().stream().map(it -> it.getClass().getSimpleName().substring(2)).toList());
        assertEquals(List.of(new Decision.Condition("Ready", false, "Starting", "0 of 2 web servers are ready.")),
                decision.conditions());
    }

    @Test
    void itIsReadyOnceItsWebServersAre() {
        Decision decision = decide(Related.of(new V1Deployment().metadata(new V1ObjectMeta().name("home"))
                .status(new V1DeploymentStatus().readyReplicas(2))));
        assertEquals(List.of(new Decision.Condition("Ready", true, "Serving", "2 of 2 web servers are ready.")),
                decision.conditions());
        assertEquals(new Website.Status(2), decision.status());
    }

    private static Decision decide(Related related) {
        Website website = new Website();
        website.getMetadata().setName("home");
        website.setSpec(new Website.Spec("<h1>Hello</h1>", 2));
        return new WebsiteOperator().decide(website, related, Instant.EPOCH);
    }
}
