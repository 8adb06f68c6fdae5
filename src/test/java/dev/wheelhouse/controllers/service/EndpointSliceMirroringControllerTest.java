package dev.wheelhouse.controllers.service;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointSliceMirroringControllerTest {
    @Test
    void ofOverlapsThatStandForMillionsOfAddressesNothingChangesAndAnEventTells() {
        V1EndpointSubset all = new V1EndpointSubset();
        V1Endpoints endpoints = new V1Endpoints().metadata(new V1ObjectMeta().namespace("default").name("web"))
                .addSubsetsItem(all);
        for (int i = 0; i < 1100; i++) {
            CoreV1EndpointPort port = new CoreV1EndpointPort().name("p" + i).port(1 + i);
            all.addAddressesItem(new V1EndpointAddress().ip("10.1." + i / 256 + "." + i % 256)).addPortsItem(port);
            endpoints.addSubsetsItem(new V1EndpointSubset().addPortsItem(port)
                    .addAddressesItem(new V1EndpointAddress().ip("10.2." + i / 256 + "." + i % 256)));
        }
        MirrorDecisions.Decision decision = MirrorDecisions.decide(endpoints, List.of(), 1000);
        assertThat(decision.events()).singleElement().asString().contains("TooManyAddressesToMirror",
                "more than 1000000 addresses");
        assertThat(decision.writes().count()).isZero();
    }

    @Test
    void anAddressThatIsNoneIsLeftOutAndTold() {
        V1Endpoints endpoints = dev.wheelhouse.world.Yaml.read(
                """
                        {metadata: {namespace: default, name: web, uid: u}, subsets: [{addresses: [{ip: 1.2.3.4},
                         {ip: x}]}]}""",
                V1Endpoints.class);
        MirrorDecisions.Decision decision = MirrorDecisions.decide(endpoints, List.of(), 1000);
        assertThat(decision.events()).singleElement().asString()
                .contains("Skipped 1 invalid IP addresses when mirroring to EndpointSlices");
        assertThat(decision.writes().count()).isEqualTo(1);
    }
}
